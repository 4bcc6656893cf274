import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { onDiskAndOn } from '../helpers/both.ts'
import { FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { get } from '../helpers/json.ts'
import { runJson } from '../helpers/run.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

const server = await serveFolder(FIXTURES)
const withIndex = await serveFolder(FIXTURES, { index: true })
/** Short timeouts, so that tests of faults do not wait. */
const env = { TILEDB_INSPECT_TIMEOUT: '0.3', TILEDB_INSPECT_ATTEMPTS: '3' }

const ARRAY = '22/sparse_basic'
const FRAGMENT = `${ARRAY}/__fragments/${fragmentNames(`${FIXTURES}/${ARRAY}`)[0]}`

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

describe('fragments on a server without listings', () => {
  test.each(FRAGMENT_COMMANDS)('%s %s prints the same as for local files', async (...args) => {
    const { local, remote } = await onDiskAndOn(server.url, args.filter(Boolean), FRAGMENT, { env })
    expect(remote).toEqual(local)
  })
})

describe('files that are named like fragments', () => {
  const files = ['22/sparse_basic/__schema', '22/metadata/__meta', '22/group/__group'].map(
    (folder) => `${folder}/${readdirSync(`${FIXTURES}/${folder}`).find((name) => name !== '__enumerations')}`,
  )
  test.each(files)('%s', async (file) => {
    for (const [{ url }, ...args] of [
      [server, 'dump'],
      [server, 'at', '50', '--no-flips'],
      [withIndex, 'at', '50'],
    ] as const) {
      const { local, remote } = await onDiskAndOn(url, args, file, { env })
      expect({ args, remote }).toEqual({ args, remote: local })
    }
    const { code, documents } = await runJson(['at', `${server.url}/${file}`, '50'], { env })
    expect([code, get(documents[0], 'detected_in')]).toEqual([0, 'file'])
  })
})

describe('arrays on a server with index pages', () => {
  const arrays = fixtureFolders().filter(({ kind, key }) => kind === 'array' && key === undefined)
  const commands = [
    ['ls'],
    ['ls', '--names'],
    ['schema', '--all'],
    ['commits'],
    ['footer'],
    ['check', '--level', 'cells'],
  ]
  const some = arrays.filter((_, i) => i % 12 === 0)
  test.each(turnOfFamilies(some, 16, versionOf).map(({ name }) => name))('%s', async (name) => {
    for (const args of commands) {
      const { local, remote } = await onDiskAndOn(withIndex.url, args, name, { env })
      expect({ args, remote }).toEqual({ args, remote: local })
    }
  })
})
