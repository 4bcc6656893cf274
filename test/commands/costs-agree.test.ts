import { cpSync, readdirSync, rmSync, statSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { WhyDocument } from '../../src/documents/why.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { vacuumedBy } from '../../src/objects/vacuum.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

/** What a command says of costs is what others count. */

const folder = temporaryFolder()

async function documentOf<T = Record<string, number>>(...args: string[]): Promise<T> {
  return JSON.parse((await run([...args, '--json'])).text)
}

async function written(...args: string[]): Promise<void> {
  expect((await run(['write-sample', ...args])).code).toBe(0)
}

function filesOf(path: string): string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() ? `${entry.parentPath}/${entry.name}` : []))
}

/** An array whose commits and footers are consolidated. @param more steps after that */
async function listed(name: string, ...more: string[]): Promise<string> {
  const path = `${folder}/${name}`
  const dims = ['--dim', 'x:INT32:0..999:100', '--attr', 'a:INT32', '--cells', '200', '--fragments', '20']
  const lists = ['--consolidate', 'commits', '--vacuum', 'commits', '--consolidate', 'fragment_meta']
  await written(path, ...dims, ...lists, ...more)
  return path
}

test('stats: a vacuum frees the replaced fragments and the .vac files', async () => {
  const array = `${folder}/vacuum`
  cpSync(`${FIXTURES}/22/vacuum_left`, array, { recursive: true })
  const bytes = (): number => filesOf(array).reduce((sum, file) => sum + statSync(file).size, 0)
  const [stats, before] = [await documentOf('stats', array), bytes()]
  const opened = new InspectArray(new Folder(localFiles, array), contextFor({ key: undefined }))
  for (const path of (await vacuumedBy(opened, 'fragments')).gone) rmSync(`${array}/${path}`, { recursive: true })
  expect(stats).toMatchObject({ vacuum_size: before - bytes(), unread_kept_size: 0 })
  expect(stats.vacuum_size).toBeGreaterThan(stats.unread_size)
})

test('stats: no vacuum is offered where it would delete the only copies of cells', async () => {
  const array = `${folder}/hidden`
  cpSync(`${FIXTURES}/22/vacuum_left`, array, { recursive: true })
  const replacement = readdirSync(`${array}/__fragments`).find((name) => name.startsWith('__10_30_'))
  rmSync(`${array}/__fragments/${replacement}`, { recursive: true })
  rmSync(`${array}/__commits/${replacement}.wrt`)
  expect(await documentOf('stats', array)).toMatchObject({ vacuum_size: 0, vacuum_loses_cells: true })
  const { text } = await run(['stats', array])
  expect(text).toContain('\ndo not vacuum ')
  expect(text).not.toContain('vacuum frees')
})

test('explain: after a consolidation TileDB still reads the files that a vacuum of fragments keeps', async () => {
  const array = await listed('kept')
  const [, promised] =
    /consolidated: .*, (\d+) reads? \(/.exec((await run(['explain', array, '--remedies'])).text) ?? []
  const after = await listed('merged', '--consolidate', 'fragments', '--vacuum', 'fragments')
  const { total } = await documentOf<{ total: { reads: number } }>('explain', after)
  expect(promised).toBe(String(total.reads))
})

test('why: a file of footers is for the requests that it saves', async () => {
  const array = await listed('footers')
  const file = filesOf(array).find((one) => one.endsWith('.meta')) ?? ''
  const answer = await documentOf<WhyDocument>('why', file)
  const { text } = await run(['why', file])
  const opening = async (): Promise<number> =>
    (await documentOf<{ opening: { requests: number } }>('explain', array)).opening.requests
  const before = await opening()
  rmSync(file)
  const requests = { with_it: before, without_it: await opening() }
  expect(answer).toMatchObject({ delete: 'yes', opening_requests: requests })
  expect(text).toContain(`opening      ${requests.with_it} requests to S3 with it, ${requests.without_it} without\n`)
  expect(requests.with_it).toBeLessThan(requests.without_it)
})

test('read --provenance: what a narrow terminal hides --vertical shows, as --field takes no column that is none', async () => {
  const array = `${FIXTURES}/22/sparse_basic`
  const { text } = await run(['read', array, '--provenance'], { columns: 90 })
  expect(text).toMatch(/ more columns: .* \(--vertical\s+shows all\)/)
  expect((await run(['read', array, '--provenance', '--vertical'], { columns: 90 })).text).toContain('__written')
})
