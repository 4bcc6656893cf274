import {
  appendFileSync,
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { openGenomicsdbAnatomy } from '../../src/anatomy/genomicsdb.ts'
import { openGenomicsdbTarget } from '../../src/genomicsdb/target.ts'
import { localFiles } from '../../src/node/file.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { dissected, filePaths } from '../anatomy/anatomy.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { arraysOf, openFragments, unpackWorkspace, WORKSPACES } from '../helpers/genomicsdb.ts'
import { get, type Json } from '../helpers/json.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import { run, runJson } from '../helpers/run.ts'

quickTrials()

const folder = temporaryFolder()
const [, TILED] = WORKSPACES
const workspaces = new Map(WORKSPACES.map((name) => [name, unpackWorkspace(name, folder)]))

/** The first array of a workspace with marked fragments, and the first of these. */
async function firstFragment(workspace: string): Promise<{ array: string; fragment: string }> {
  for (const array of arraysOf(workspace)) {
    const [one] = await openFragments(array)
    if (one) return { array, fragment: one.folder.path }
  }
  throw new Error('no fragment')
}

/** A copy of an array with one fragment, to be damaged. */
let copies = 0
async function damaged(): Promise<{ array: string; fragment: string }> {
  const { array, fragment } = await firstFragment(`${folder}/${TILED}/ws`)
  const copy = `${folder}/copies/${copies++}`
  cpSync(array, copy, { recursive: true })
  return { array: copy, fragment: fragment.replace(array, copy) }
}

describe.each(WORKSPACES)('workspace %s', (name) => {
  const workspace = `${folder}/${name}/ws`

  test('every byte of every file of its arrays is told once', async () => {
    const reading = readContext(nodeCodecs)
    const faults: string[] = []
    for (const array of arraysOf(workspace)) {
      for (const path of filePaths(array)) {
        if (path.includes('genomicsdb_meta_dir') || path.includes('/.__')) continue
        const target = await openGenomicsdbTarget(localFiles, path)
        if (target?.kind !== 'file') throw new Error(`${path} is a ${target?.kind}`)
        const found = await dissected(await openGenomicsdbAnatomy(target, { reading, style: { raw: false } }))
        for (const fault of [...(found.coverage === undefined ? [] : [found.coverage]), ...found.faults, ...found.gaps])
          faults.push(`${path}: ${fault}`)
      }
    }
    expect(faults).toEqual([])
  })

  test('commands about fragments agree on them', async () => {
    for (const array of arraysOf(workspace)) {
      const fragments = await openFragments(array)
      for (const command of ['footer', 'rtree', 'tiles']) {
        const { code, documents, stderr } = await runJson([command, array, '--quiet'])
        expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
        const shown = documents.filter((document) => get(document, 'kind') !== 'empty')
        expect(shown.map((document) => get(document, 'path'))).toEqual(fragments.map((one) => one.folder.path))
      }
      for (const { folder: at, cell_num, tile_num } of fragments) {
        const { documents } = await runJson(['footer', at.path])
        expect(documents[0]).toMatchObject({ kind: 'genomicsdb-footer', marked: true, tile_num, cell_num })
        const { text } = await run(['decode', at.path, '--format', 'ndjson'])
        expect(text.split('\n').length - 1).toBe(cell_num)
      }
    }
  })
})

test('the boxes hold the cells, and cells of a range are those of its tiles', async () => {
  const { fragment } = await firstFragment(`${folder}/${TILED}/ws`)
  const cells = (await runJson(['decode', fragment])).documents[0]
  const all = get(cells, 'cells') as Json[]
  const { documents } = await runJson(['rtree', fragment])
  const tiles = get(documents[0], 'tiles') as Json[]
  expect(tiles.length).toBeGreaterThan(1)
  let from = 0
  for (const tile of tiles) {
    const inside = all.slice(from, from + Number(get(tile, 'cell_num')))
    from += inside.length
    const positions = inside.map((cell) => Number(get(cell, 'position')))
    expect(get(tile, 'mbr')).toEqual([expect.anything(), [Math.min(...positions), Math.max(...positions)]])
    expect(get(tile, 'first_cell')).toEqual({
      samples: get(inside[0], 'samples'),
      position: get(inside[0], 'position'),
    })
  }
  expect(from).toBe(all.length)
  const middle = Number(get(all[all.length >> 1], 'position'))
  const range = `position=..${middle}`
  const some = (await runJson(['decode', fragment, '--range', range, '--field', 'END'])).documents[0]
  const wanted = all.filter((cell) => Number(get(cell, 'position')) <= middle)
  expect((get(some, 'cells') as Json[]).map((cell) => get(cell, 'END'))).toEqual(wanted.map((cell) => get(cell, 'END')))
  expect(Object.keys((get(some, 'cells') as object[])[0])).toEqual(['samples', 'position', 'END'])
  const touched = (await runJson(['rtree', fragment, '--range', range])).documents[0]
  expect((get(touched, 'tiles') as Json[]).length).toBeLessThan(tiles.length)
  const second = (await runJson(['decode', fragment, '--tiles', '1..1'])).documents[0]
  expect((get(second, 'cells') as Json[]).length).toBe(Number(get(tiles[1], 'cell_num')))
})

test('at names the cell of a byte that is not compressed', async () => {
  const plain = WORKSPACES.at(-1)
  const { fragment } = await firstFragment(`${folder}/${plain}/ws`)
  const { documents } = await runJson(['at', `${fragment}/DP.tdb`, '9'])
  const rows = (await runJson(['decode', fragment, '--field', 'DP'])).documents[0]
  const third = (get(rows, 'cells') as Json[])[2]
  expect(get(documents[0], 'cells')).toEqual({
    ...{ tile: 0, from: 2, to: 2, field: 'DP', value: get(third, 'DP') },
    coordinates: { samples: get(third, 'samples'), position: get(third, 'position') },
  })
})

test('a tile is undone to the bytes of its cells', async () => {
  const { fragment } = await firstFragment(`${folder}/${TILED}/ws`)
  const { stdout } = await run(['tile', fragment, 'END', '1', '--bytes', '-o', '-'])
  const rows = (await runJson(['decode', fragment, '--tiles', '1..1', '--field', 'END'])).documents[0]
  const ends = (get(rows, 'cells') as Json[]).map((cell) => BigInt(get(cell, 'END') as number))
  expect([...new BigInt64Array(stdout.slice().buffer)]).toEqual(ends)
  const hex = await run(['tile', fragment, 'REF', '--hex'])
  expect({ code: hex.code, text: hex.text }).toEqual({ code: 0, text: expect.stringContaining('content CHAR[var]') })
})

describe('damage is told in words, with its file', () => {
  test.each<[string, (fragment: string) => void, string]>([
    [
      'no book-keeping',
      (at) => rmSync(`${at}/__book_keeping.tdb.gz`),
      'expected the file __book_keeping.tdb.gz of a fragment, found no such file',
    ],
    [
      'a short book-keeping',
      (at) => truncateSync(`${at}/__book_keeping.tdb.gz`, 60),
      '__book_keeping.tdb.gz: expected a gzip stream, found one that ends too early, after 60 bytes',
    ],
    [
      'a book-keeping without gzip',
      (at) => writeFileSync(`${at}/__book_keeping.tdb.gz`, 'no'),
      '__book_keeping.tdb.gz: expected a gzip stream, found',
    ],
    [
      'no cells in the last tile',
      (at) => changed(at, (bytes) => bytes.fill(0, bytes.length - 8)),
      'cells in the last tile, found 0',
    ],
    ['more boxes than bytes', (at) => changed(at, (bytes) => bytes.fill(0x7f, 40, 45)), '__book_keeping.tdb.gz'],
    ['more than is described', (at) => changed(at, (bytes) => Buffer.concat([bytes, bytes])), 'found'],
  ])('%s', async (_what, damage, message) => {
    const { fragment } = await damaged()
    damage(fragment)
    for (const command of ['footer', 'tiles', 'decode']) {
      const { code, stderr } = await runJson([command, fragment])
      expect({ command, code, stderr }).toEqual({ command, code: 1, stderr: expect.stringContaining(message) })
    }
  })

  test.each<[string, (fragment: string) => void, string]>([
    [
      'no file',
      (at) => rmSync(`${at}/END.tdb`),
      'END.tdb: expected the file END.tdb of the fragment, found no such file',
    ],
    ['a short file', (at) => truncateSync(`${at}/END.tdb`, 20), 'END.tdb'],
    ['a garbled tile', (at) => writeFileSync(`${at}/END.tdb`, changedFirst(readFileSync(`${at}/END.tdb`))), 'END.tdb'],
    ['offsets of another field', (at) => copyFileSync(`${at}/REF.tdb`, `${at}/ALT.tdb`), 'ALT'],
  ])('%s: the other columns are shown', async (_what, damage, message) => {
    const { fragment } = await damaged()
    damage(fragment)
    const { code, stderr, documents } = await runJson(['decode', fragment])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
    const rows = get(documents[0], 'cells') as Json[]
    expect(rows.length).toBeGreaterThan(0)
    expect(Object.keys(rows[0] as object)).toEqual(expect.arrayContaining(['samples', 'position', 'REF', 'DP']))
    expect((get(documents[0], 'errors') as Json[]).length).toBeGreaterThan(0)
  })

  test('bytes after the gzip stream are told, and do no harm', async () => {
    const { fragment } = await damaged()
    appendFileSync(`${fragment}/__book_keeping.tdb.gz`, 'more')
    const { code, documents } = await runJson(['footer', fragment])
    expect({ code, extra: get(documents[0], 'extra_size') }).toEqual({ code: 0, extra: 4 })
    expect((await run(['dump', fragment])).text).toContain('after the gzip stream; readers skip it')
  })

  test('a cut stream is shown up to where it is cut', async () => {
    const { fragment } = await damaged()
    const file = `${fragment}/__book_keeping.tdb.gz`
    truncateSync(file, readFileSync(file).length - 20)
    const { code, text, stderr } = await run(['dump', fragment])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ends too early') })
    expect(text).toContain('mbr_num')
  })

  test('a fragment without its mark is left out, and shown if it is named', async () => {
    const { array, fragment } = await damaged()
    rmSync(`${fragment}/__tiledb_fragment.tdb`)
    const all = await run(['footer', array])
    expect(all.stderr).toContain('is left out: it has no mark')
    const { code, documents } = await runJson(['footer', fragment])
    expect({ code, marked: get(documents[0], 'marked') }).toEqual({ code: 0, marked: false })
  })
})

/** Changes the content of a book-keeping. */
function changed(fragment: string, change: (content: Buffer) => Uint8Array): void {
  const file = `${fragment}/__book_keeping.tdb.gz`
  writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(file)))))
}

function changedFirst(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (i === 0 ? byte ^ 0xff : byte))
}

test('usage is told: fields, tiles, roles and options that there are not', async () => {
  const { array, fragment } = await firstFragment(workspaces.get(TILED) ?? '')
  for (const [args, message] of [
    [['decode', fragment, '--field', 'EN'], 'END'],
    [['tiles', fragment, '--tiles', '999..'], 'found 999..'],
    [['tile', fragment, 'REF', '999'], 'tile expects an index from 0 to'],
    [['tile', fragment, 'RE'], 'REF'],
    [['tile', fragment, 'END', '--role', 'var'], 'a role of END (data)'],
    [['at', `${fragment}/END.tdb`, '99999999'], 'an offset below'],
    [['schema', '--all', array], 'schema --all does not take an array of GenomicsDB'],
    [['decode', '--all-fragments', array], 'decode --all-fragments does not take an array of GenomicsDB'],
    [['decode', '--labels', array], 'decode --labels does not take an array of GenomicsDB'],
    [['tiles', '--where', 'DP > 1', array], 'tiles --where does not take an array of GenomicsDB'],
    [['read', '--sort-by', 'DP', '--limit', '1', array], 'read --sort-by does not take an array of GenomicsDB'],
    [['tiles', '--as-of', '5', array], 'tiles --as-of does not take an array of GenomicsDB'],
    [['why', fragment], 'why does not take a fragment of GenomicsDB'],
    [['dump', workspaces.get(TILED) ?? ''], 'dump does not take a workspace of GenomicsDB'],
  ] as [string[], string][]) {
    const { code, stderr } = await run(args)
    expect({ args, code, stderr }).toEqual({ args, code: 2, stderr: expect.stringContaining(message) })
  }
  const several = arraysOf(workspaces.get(WORKSPACES[0]) ?? '')
  for (const one of several) {
    const fragments = readdirSync(one).filter((name) => name.startsWith('__') && !name.includes('.'))
    const { code, stderr } = await run(['decode', one])
    if (fragments.length > 1)
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(fragments[0]) })
  }
})
