import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES, fixtureFolders } from '../helpers/fixtures.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { run } from '../helpers/run.ts'

const server = await serveFolder(FIXTURES)
const withIndex = await serveFolder(FIXTURES, { index: true })
/** Faults must not make tests wait. */
const env = { TILEDB_INSPECT_TIMEOUT: '0.3', TILEDB_INSPECT_ATTEMPTS: '3' }

const ARRAY = '22/sparse_basic'
const FRAGMENT = `${ARRAY}/__fragments/${readdirSync(`${FIXTURES}/${ARRAY}/__fragments`)[0]}`

const FRAGMENT_COMMANDS = [
  ['footer'],
  ['schema'],
  ['rtree'],
  ['metadata'],
  ['tiles'],
  ['decode'],
  ['verify-checksums', '--deep'],
  ['check', '--level', 'cells'],
  ['stats'],
]

/** Runs a command on the disk and by HTTP. */
async function both(args: readonly string[], target: string, url: string): Promise<[unknown, unknown]> {
  const local = await run([...args, '--json', `${FIXTURES}/${target}`], { env })
  const remote = await run([...args, '--json', `${url}/${target}`], { env })
  const bare = (text: string, at: string): string => text.replaceAll(at, '…')
  return [
    { code: local.code, text: bare(local.text, FIXTURES), stderr: bare(local.stderr, FIXTURES) },
    { code: remote.code, text: bare(remote.text, url), stderr: bare(remote.stderr, url) },
  ]
}

describe('fragments of a server that lists nothing', () => {
  test.each(FRAGMENT_COMMANDS)('%s %s prints what it prints of the files', async (...args) => {
    const [local, remote] = await both(args.filter(Boolean), FRAGMENT, server.url)
    expect(remote).toEqual(local)
  })
})

describe('arrays of a server with index pages', () => {
  const arrays = fixtureFolders().filter(({ kind, key }) => kind === 'array' && key === undefined)
  const commands = [
    ['ls'],
    ['ls', '--names'],
    ['schema', '--all'],
    ['commits'],
    ['footer'],
    ['check', '--level', 'cells'],
  ]
  test.each(arrays.filter((_, i) => i % 12 === 0).map(({ name }) => name))('%s', async (name) => {
    for (const args of commands) {
      const [local, remote] = await both(args, name, withIndex.url)
      expect({ args, remote }).toEqual({ args, remote: local })
    }
  })
})
