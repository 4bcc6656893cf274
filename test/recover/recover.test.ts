import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { arrayMetadata } from '../../src/format/array-metadata.ts'
import { enumerationFile } from '../../src/format/enumeration.ts'
import { parseFragmentName } from '../../src/format/timestamped-name.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { filesBelow, temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { genericTileBytes } from '../helpers/generic-tile-bytes.ts'
import { get, items, type Json, parseJson } from '../helpers/json.ts'
import { Random } from '../helpers/random.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const METADATA = '__fragment_metadata.tdb'

/** Metadata of these is the same, byte by byte. Of the others TileDB counts nulls of texts wrongly, or takes the wrong texts for ends. */
const SAME_BYTES = [
  ...['1/sparse_2d_row', '2/sparse_basic', '3/sparse_basic', '5/sparse_basic', '7/sparse_basic', '9/sparse_basic'],
  ...['12/hilbert_texts', '12/sparse_consolidated', '16/number_filters', '20/sparse_consolidated', '22/rtree_levels'],
  ...['22/string_filters', '22/deletes_consolidated', '22/duplicates', '22/dense_consolidated', '23/sparse_2d_row'],
]

const HARM: Readonly<Record<string, (file: string) => void>> = {
  removed: (file) => rmSync(file),
  empty: (file) => truncateSync(file, 0),
  cut: (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
  flipped(file) {
    const bytes = readFileSync(file)
    for (let at = 3; at < bytes.length; at += 61) bytes[at] ^= 0x20
    writeFileSync(file, bytes)
  },
}

const folder = temporaryFolder()
let count = 0

/** A copy of a fixture, where to recover it, its key, and the fragments' metadata files in it. */
function copyOf(fixture: string) {
  const from = `${folder}/${count++}`
  cpSync(`${FIXTURES}/${fixture}`, from, { recursive: true })
  const key = get(parseJson(readFileSync(`${FIXTURES}/${fixture}.expected.json`, 'utf8')), 'key')
  const keyed = typeof key === 'string' ? ['--key', key] : []
  const files = names(from).filter((file) => file.endsWith(METADATA) && !file.includes('__labels'))
  return { from, to: `${from}.new`, keyed, files }
}

/** Bytes of all files below a folder, by path. */
function contents(path: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(filesBelow(path, ''), ([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  )
}

function names(path: string): string[] {
  return [...filesBelow(path, '').keys()].map((name) => name.slice(1))
}

async function document<T = Json>(args: readonly string[]): Promise<T> {
  return (await runJson(args)).documents[0] as T
}

async function cells(array: string, keyed: readonly string[]): Promise<string> {
  const { code, text } = await run(['read', array, '--format', 'ndjson', ...keyed])
  expect(code).toBe(0)
  return text
}

describe('lost metadata', () => {
  for (const fixture of shortTurn(SAME_BYTES, 6)) {
    test(`${fixture}: is written anew with the same bytes`, async () => {
      const { from, to, keyed, files } = copyOf(fixture)
      const whole = contents(from)
      for (const file of files) rmSync(join(from, file))
      const { code, text } = await run(['recover', from, '--to', to, ...keyed])
      expect(text).toMatch(/\nRECOVERED: all [\d,]+ cells\n$/)
      expect(code).toBe(0)
      expect(contents(to)).toEqual(whole)
    })
  }

  for (const fixture of [
    '2/dense_basic',
    '4/sparse_basic',
    '12/encrypted',
    '16/deletes_consolidated',
    '22/sparse_basic',
  ]) {
    if (!existsSync(`${FIXTURES}/${fixture}`)) continue
    for (const [how, harm] of shortTurn(Object.entries(HARM), 4)) {
      test(`${fixture}: ${how}, a read gives the same cells`, async () => {
        const { from, to, keyed, files } = copyOf(fixture)
        const before = await cells(from, keyed)
        harm(join(from, files[0]))
        const found = await document(['recover', from, '--to', to, ...keyed])
        expect(get(found, 'is_loss')).toBe(false)
        expect(await cells(to, keyed)).toBe(before)
        expect((await run(['check', '--level', 'cells', to, ...keyed])).code).toBe(0)
      })
    }
  }

  test('with too many chunks for its size is damaged, not too large', async () => {
    const { from, to } = copyOf('10/dense_basic')
    const file = join(from, names(from).filter((one) => one.startsWith('__10_10_') && one.endsWith(METADATA))[0])
    const bytes = readFileSync(file)
    // The second byte of the number of chunks in a section: 1 becomes 16385.
    bytes[646] ^= 0x40
    writeFileSync(file, bytes)
    const { code, text } = await run(['check', from])
    expect([code, text]).toEqual([1, expect.stringContaining('error SECTION_UNREADABLE ')])
    expect((await run(['recover', from, '--to', to])).code).toBe(0)
    expect(await cells(to, [])).toBe(await cells(`${FIXTURES}/10/dense_basic`, []))
  })

  test('claims to be encrypted in an array that is not encrypted', async () => {
    const { from, to, files } = copyOf('22/rtree_levels')
    const whole = contents(from)
    const bytes = readFileSync(join(from, files[0]))
    // The encryption type of the first generic tile.
    bytes[29] = 1
    writeFileSync(join(from, files[0]), bytes)
    expect((await run(['recover', from, '--to', to])).code).toBe(0)
    expect(contents(to)).toEqual(whole)
  })

  test('of a dense fragment: a copy of its footer tells the box', async () => {
    const { from, to, files } = copyOf('22/dense_fragment_metadata_consolidated')
    const before = await cells(from, [])
    for (const file of files) rmSync(join(from, file))
    expect((await run(['recover', from, '--to', to])).code).toBe(0)
    expect(await cells(to, [])).toBe(before)
    for (const file of files) expect(existsSync(join(to, file))).toBe(true)
    // The copies of footers that changed would contradict them.
    expect(names(to).filter((file) => file.endsWith('.meta'))).toEqual([])
  })

  test('of a dense fragment: the box is read at its place in the footer, whatever else is damaged', async () => {
    const { from, to, files } = copyOf('22/slabs_row_major')
    const before = await cells(from, [])
    const file = join(from, files[0])
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4, 12)
    bytes.fill(0xff, bytes.length - 60)
    writeFileSync(file, bytes)
    const found = await document(['recover', from, '--to', to])
    const [one] = get(found, 'fragments') as Json[]
    expect(get(one, 'assumed')).toEqual([expect.stringMatching(/^the box is .*, as the damaged metadata says$/)])
    expect(await cells(to, [])).toBe(before)
  })

  test.each(['cut', 'flipped'])(
    'of a dense fragment of version 2, %s: the box is at the start of what is left',
    async (how) => {
      const { from, to, files } = copyOf('2/dense_basic')
      const box = get(await document(['footer', join(from, files[0].slice(0, -METADATA.length))]), 'nonempty_domain')
      const file = join(from, files[0])
      const bytes = readFileSync(file)
      if (how === 'cut') truncateSync(file, bytes.length - 30)
      else
        writeFileSync(
          file,
          bytes.map((byte, at) => (at > bytes.length - 30 ? byte ^ 0x55 : byte)),
        )
      const found = await document(['recover', from, '--to', to])
      const [one] = get(found, 'fragments') as Json[]
      expect(get(one, 'assumed')).toEqual([expect.stringMatching(/^the box is .*, as the damaged metadata says$/)])
      const anew = get(await document(['footer', join(to, files[0].slice(0, -METADATA.length))]), 'nonempty_domain')
      expect(anew).toEqual(box)
    },
  )

  test('of a dense fragment: a box that leaves out written cells is rounded out to whole tiles', async () => {
    const { from, to, files } = copyOf('22/dense_consolidated')
    const before = await cells(from, [])
    const fragment = join(from, files[files.length - 1].slice(0, -METADATA.length))
    const { nonempty_domain: box } = await document<{ nonempty_domain: number[][] }>(['footer', fragment])
    const file = join(from, files[files.length - 1])
    const bytes = readFileSync(file)
    const [[low, high]] = box
    const ends = Buffer.from(Int32Array.of(low, high).buffer)
    const at = bytes.lastIndexOf(ends)
    expect(at).toBeGreaterThan(0)
    bytes.writeInt32LE(high - 1, at + 4)
    writeFileSync(file, bytes)
    expect((await run(['recover', from, '--to', to])).code).toBe(0)
    expect(await cells(to, [])).toBe(before)
  })

  test('of a dense fragment: if nothing tells the box, the user is asked for it', async () => {
    const { from, to, files } = copyOf('22/slabs_row_major')
    const before = await cells(from, [])
    const [fragment] = files.map((file) => file.slice(0, -METADATA.length))
    const { nonempty_domain: box } = await document<{ nonempty_domain: number[][] }>(['footer', join(from, fragment)])
    const { dimensions } = await document<{ dimensions: { name: string }[] }>(['schema', from])
    rmSync(join(from, files[0]))
    const failed = await run(['recover', from, '--to', to])
    expect(failed.code).toBe(3)
    expect(failed.stderr).toMatch(
      /where the fragment lies is lost\. It has \d+ of \d+ tiles, in a box of [\d ×or]+\. .*--domain NAME=LO\.\.HI/,
    )
    expect(existsSync(to)).toBe(false)
    const { code, text } = await run(['recover', from, '--to', `${to}.without`, '--drop-damaged', '--json'])
    const [one] = get(parseJson(text), 'fragments') as Json[]
    expect([code, get(one, 'outcome'), get(one, 'reason')]).toEqual([
      1,
      'lost',
      expect.stringContaining('where the fragment lies is lost'),
    ])
    const ranges = dimensions.flatMap(({ name }, d) => ['--domain', `${name}=${box[d].join('..')}`])
    expect((await run(['recover', from, '--to', to, ...ranges])).code).toBe(0)
    expect(await cells(to, [])).toBe(before)
  })
})

describe('tiles that cannot be read', () => {
  test('nothing is written unless the user allows the loss', async () => {
    const { from, to, files } = copyOf('22/filter_sha256')
    harmTile(join(from, files[0].slice(0, -METADATA.length)))
    const { code, stderr } = await run(['recover', from, '--to', to])
    expect(code).toBe(3)
    expect(stderr).toContain('--drop-damaged')
    expect(readdirSync(folder).filter((name) => name.includes(`${to.slice(folder.length + 1)}`))).toEqual([])
  })

  test('a count that no file can hold is no number of lost cells', async () => {
    const array = new EditedArray('22/rtree_levels')
    await array.editSchema((schema) => {
      schema.capacity = 2n ** 60n
    })
    const from = `${folder}/hostile`
    for (const [path, bytes] of array.files) {
      const file = from + path.slice(EDITED.length)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes)
    }
    const { text } = await run(['recover', from, '--to', `${from}.new`, '--drop-damaged'])
    expect(text).toMatch(
      /kept, nobody knows how many are lost; tile 0 of 131: expected about 1,153,000,000,000,000,000 /,
    )
    expect(text).not.toMatch(/e\+\d/)
  })

  for (const fixture of ['22/filter_sha256', '12/sparse_consolidated', '22/dense_consolidated', '5/sparse_basic']) {
    test(`${fixture}: kept and lost cells are all cells, and no other`, async () => {
      const { from, to, files } = copyOf(fixture)
      const fragment = files[0].slice(0, -METADATA.length)
      const before = await stored(from)
      const random = new Random(19)
      const file = readdirSync(join(from, fragment)).filter((name) => /^(a0|a|x)\.tdb$/.test(name))[0]
      const bytes = readFileSync(join(from, fragment, file))
      // The head of a chunk somewhere in the middle.
      bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8 + random.below(8))
      writeFileSync(join(from, fragment, file), bytes)
      const { code, text } = await run(['recover', from, '--to', to, '--drop-damaged', '--json'])
      expect(code).toBe(1)
      const found = parseJson(text)
      const lines = readFileSync(`${to}.lost.ndjson`, 'utf8').trim().split('\n').map(parseJson)
      expect(lines.length).toBe(get(found, 'cells_lost'))
      expect(lines.length).toBeGreaterThan(0)
      const after = await stored(to)
      expect([...after, ...lines.map((line) => JSON.stringify(get(line, 'coordinates')))].sort()).toEqual(before)
      expect((await run(['check', '--level', 'cells', to])).code).toBe(0)
    })
  }
})

/** The coordinates of all cells of all fragments. */
async function stored(array: string): Promise<string[]> {
  const { dimensions } = await document<{ dimensions: { name: string }[] }>(['schema', array])
  const { text } = await run(['decode', array, '--all-fragments', '--format', 'ndjson'])
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const cell = parseJson(line)
      return JSON.stringify(Object.fromEntries(dimensions.map(({ name }) => [name, get(cell, name)])))
    })
    .sort()
}

function harmTile(fragment: string): void {
  const bytes = readFileSync(join(fragment, 'a0.tdb'))
  bytes[bytes.length - 1] ^= 1
  writeFileSync(join(fragment, 'a0.tdb'), bytes)
}

describe('an array', () => {
  test('without damage: everything that belongs to it is copied byte for byte', async () => {
    for (const fixture of [
      '22/commits_ignored',
      '22/enumerations',
      '22/dimension_labels',
      '22/metadata',
      '9/sparse_basic',
    ]) {
      const { from, to } = copyOf(fixture)
      expect((await run(['recover', from, '--to', to])).code).toBe(0)
      expect(contents(to)).toEqual(contents(from))
    }
  })

  test('lost cells are counted by fragment: other fragments may hold the same coordinates', async () => {
    const { from, to, files } = copyOf('22/deletes')
    const path = join(from, files[0].replace(METADATA, 'a0.tdb'))
    const bytes = readFileSync(path)
    bytes.fill(0xff, 8, 20)
    writeFileSync(path, bytes)
    const { text } = await run(['recover', from, '--to', to, '--drop-damaged'])
    expect(text).toMatch(/\d+ cells of this fragment lost; /)
    expect(text).toMatch(
      /RECOVERED WITH LOSS: \d+ of 24 cells in fragments lost, .*; other fragments may hold cells at/,
    )
  })

  // The footers of later fragments are read by the layout of an earlier one.
  test('each fragment of many loses its own damaged tiles only', async () => {
    const from = join(folder, 'each-of-many')
    const written = ['--dim', 'x:INT64:0..999', '--attr', 'a:INT32', '--capacity', '10', '--cells', '120']
    await run(['write-sample', from, ...written, '--fragments', '6'])
    for (const name of fragmentNames(from)) truncateSync(join(from, '__fragments', name, 'a0.tdb'), 60)
    const { code, documents, stderr } = await runJson(['recover', from, '--to', `${from}.new`, '--drop-damaged'])
    expect([code, stderr]).toEqual([1, ''])
    const kept = items(get(documents[0], 'fragments')).map((one) => [get(one, 'cell_num'), get(one, 'cells_lost')])
    expect(kept).toEqual(Array.from({ length: 6 }, () => [10, 10]))
  })

  test('a list of commits that names a missing fragment is written anew', async () => {
    const { from, to, files } = copyOf('22/commits_consolidated')
    const gone = files[0].slice(0, -METADATA.length)
    rmSync(join(from, gone), { recursive: true })
    const failed = await run(['recover', from, '--to', to])
    expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining('names, found no such folder')])
    const { code, text } = await run(['recover', from, '--to', to, '--drop-damaged'])
    expect(code).toBe(1)
    expect(text).toContain('RECOVERED WITH LOSS')
    expect(names(to).filter((file) => file.endsWith('.con'))).toEqual([])
    expect((await run(['check', '--level', 'cells', to])).code).toBe(0)
  })

  test('lines of a damaged list become files where TileDB looks for them, none outside the array and none twice', async () => {
    const { from, to } = copyOf('22/deletes')
    const commits = `${from}/__commits`
    const uuid = '0123456789abcdef0123456789abcdef'
    const marks = readdirSync(commits).filter((name) => name.endsWith('.wrt'))
    const conditions = readdirSync(commits).filter((name) => name.endsWith('.del'))
    for (const mark of marks) rmSync(`${commits}/${mark}`)
    const content = readFileSync(`${commits}/${conditions[0]}`)
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(BigInt(content.length))
    const condition = (path: string): Buffer[] => [Buffer.from(`${path}\n`), size, content]
    writeFileSync(
      `${commits}/__10_40_${uuid}_22.con`,
      Buffer.concat([
        // TileDB takes the last part of a line for the name.
        Buffer.from([...marks, `__99_99_${uuid}_22.wrt`].map((line) => `${line}\n`).join('')),
        ...condition(`__commits/${conditions[0]}`),
        ...condition(`../../outside/__99_99_${uuid}_22.del`),
      ]),
    )
    const { code, stderr } = await run(['recover', from, '--to', to, '--drop-damaged'])
    expect([code, stderr]).toEqual([1, ''])
    expect(existsSync(`${folder}/../outside`)).toBe(false)
    const expected = [...marks, ...conditions, `__99_99_${uuid}_22.del`]
    expect(readdirSync(`${to}/__commits`).sort()).toEqual(expected.sort())
    expect((await run(['check', '--level', 'cells', to])).code).toBe(0)
  })

  test('a list of commits that is cut inside a condition: fragments after the cut are kept, and the loss is reported', async () => {
    const { from, to } = copyOf('22/deletes')
    const commits = `${from}/__commits`
    const [condition] = readdirSync(commits).filter((name) => name.endsWith('.del'))
    const lines = [`__commits/${condition}\n`, '\xff\xff\0\0\0\0\0\0']
    for (const name of readdirSync(commits)) rmSync(`${commits}/${name}`)
    writeFileSync(`${commits}/__10_20_0123456789abcdef0123456789abcdef_22.con`, Buffer.from(lines.join(''), 'latin1'))
    const { code, text } = await run(['recover', from, '--to', to, '--json'])
    expect(code).toBe(1)
    const found = parseJson(text)
    const fragments = get(found, 'fragments') as Json[]
    expect(fragments.length).toBe(fragmentNames(from).length)
    for (const one of fragments) expect(get(one, 'assumed')).toEqual(['that the damaged list of commits names it'])
    expect(get(found, 'left_out')).toEqual([expect.objectContaining({ is_loss: true })])
    expect((await run(['check', '--level', 'cells', to])).code).toBe(0)
    expect(readdirSync(`${to}/__commits`).every((name) => name.endsWith('.wrt'))).toBe(true)
  })

  test.each(['18_empty_chunk_gzip', '22_empty_chunk_double_delta', '22_empty_chunk_bitshuffle_md5'])(
    'cells that TileDB wrote and does not read are copied, and told: %s',
    async (fixture) => {
      const from = `${FIXTURES}/unreadable/${fixture}`
      const to = `${folder}/${count++}`
      const { code, text } = await run(['recover', from, '--to', to, '--json'])
      expect([code, get(parseJson(text), 'remaining')]).toEqual([1, ['CHUNK_UNREADABLE']])
      for (const one of get(parseJson(text), 'fragments') as Json[]) expect(get(one, 'outcome')).toBe('kept')
    },
  )

  test('a delete condition that cannot be read comes from the list of commits that holds it, too', async () => {
    const { from, to } = copyOf('22/commits_consolidated')
    const list = readFileSync(join(from, names(from).find((name) => name.endsWith('.con')) ?? ''))
    const [file = ''] = /__commits\/\S*\.del/.exec(list.toString('latin1')) ?? []
    writeFileSync(join(from, file), 'cut')
    const { code, text } = await run(['recover', from, '--to', to, '--json'])
    expect(code).toBe(0)
    expect(get(parseJson(text), 'left_out')).toEqual([expect.objectContaining({ path: file, is_loss: false })])
    expect(list.includes(readFileSync(join(to, file)))).toBe(true)
    expect(await cells(to, [])).toBe(await cells(from, []))
  })

  test('whose schema names two fields alike is not written anew: one would be measured as the other', async () => {
    const from = `${folder}/${count++}`
    await run(['write-sample', from, '--damage', 'SCHEMA_DUPLICATE_FIELD'])
    const file = names(from).find((name) => name.endsWith('/a4.tdb')) ?? ''
    truncateSync(join(from, file), 100)
    const { code, stderr } = await run(['recover', from, '--to', `${from}.new`])
    expect([code, stderr]).toEqual([3, expect.stringContaining('a name of its own for each field, found "a" twice')])
  })

  test('what a writer left in __meta is left out, whatever is in it', async () => {
    const { from, to } = copyOf('22/sparse_basic')
    const left = `__1_1_${'0'.repeat(32)}.tmp`
    mkdirSync(`${from}/__meta`, { recursive: true })
    writeFileSync(`${from}/__meta/${left}`, 'neither a version nor anything else')
    expect((await run(['check', from])).code).toBe(1)
    const { code, text } = await run(['recover', from, '--to', to, '--json'])
    expect([code, get(parseJson(text), 'remaining')]).toEqual([0, []])
    expect(get(parseJson(text), 'left_out')).toEqual([expect.objectContaining({ path: `__meta/${left}` })])
  })

  test('a damaged consolidated fragment gives way to the fragments that it replaced', async () => {
    for (const fixture of ['22/vacuum_left', '22/dense_vacuum_left']) {
      const { from, to } = copyOf(fixture)
      const before = await cells(from, [])
      const [list] = readdirSync(`${from}/__commits`).filter((name) => name.endsWith('.vac'))
      const name = list.replace('.vac', '')
      const file = `${from}/__fragments/${name}/a0.tdb`
      truncateSync(file, readFileSync(file).length - 3)
      const { code, text } = await run(['recover', from, '--to', to])
      expect([code, text]).toEqual([0, expect.stringContaining('that it replaced are still there')])
      expect(text).toContain(`${name}.wrt: the fragments that its fragment replaced take its place\n`)
      expect(await cells(to, [])).toBe(before)
      expect(existsSync(`${to}/__fragments/${name}`)).toBe(false)
      // If one of those is gone, nothing takes its place.
      const [gone] = readFileSync(`${from}/__commits/${list}`, 'utf8').split('\n')
      rmSync(`${from}/__fragments/${gone.split('/').at(-1)}`, { recursive: true })
      expect((await run(['recover', from, '--to', `${to}.2`])).code).toBe(3)
    }
  })

  test('a damaged fragment that waits for vacuum is left out: nobody reads it', async () => {
    const { from, to } = copyOf('22/vacuum_left')
    const before = await cells(from, [])
    const [list] = readdirSync(`${from}/__commits`).filter((name) => name.endsWith('.vac'))
    const [hidden] = readFileSync(`${from}/__commits/${list}`, 'utf8').split('\n')
    truncateSync(`${from}/__fragments/${hidden.split('/').at(-1)}/a0.tdb`, 5)
    const { code, text } = await run(['recover', from, '--to', to])
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/\.wrt: its fragment is left out: a consolidated one has the cells\n/),
    ])
    expect(await cells(to, [])).toBe(before)
    expect((await run(['check', '--level', 'cells', to])).code).toBe(0)
  })

  test('damage outside fragments that cannot be mended is reported, and decides the exit code', async () => {
    const damaged = `${folder}/damaged`
    for (const [code, exit, says] of [
      [
        'ENUMERATION_UNREADABLE',
        1,
        /check --level cells finds ENUMERATION_MISSING\nRECOVERED WITH LOSS: all 20 cells, but/,
      ],
      ['LABEL_MISSING', 1, /finds LABEL_MISSING\nRECOVERED, BUT NOT RIGHT: all \d+ cells/],
      ['METADATA_UNREADABLE', 1, /finds no error\nRECOVERED WITH LOSS: all 20 cells, but/],
      ['CONSOLIDATED_METADATA_UNREADABLE', 0, /finds no error\nRECOVERED: all 30 cells/],
      ['SCHEMA_UNREADABLE', 3, /the schema cannot be read/],
    ] as const) {
      rmSync(damaged, { recursive: true, force: true })
      rmSync(`${damaged}.new`, { recursive: true, force: true })
      await run(['write-sample', damaged, '--damage', code])
      const ran = await run(['recover', damaged, '--to', `${damaged}.new`])
      expect([ran.code, ran.text + ran.stderr]).toEqual([exit, expect.stringMatching(says)])
    }
  })

  test.each([
    ['no fragment', () => {}, 0, /^RECOVERED: no cell, as TileDB reads no fragment$/m],
    [
      'fragments without commits',
      (array: string) => cpSync(`${FIXTURES}/22/sparse_basic/__fragments`, `${array}/__fragments`, { recursive: true }),
      1,
      /its cells are nowhere else[\s\S]*^RECOVERED WITH LOSS: no cell, as TileDB reads no fragment; what is left out is a loss$/m,
    ],
    [
      'a write that failed',
      (array: string) => mkdirSync(`${array}/__fragments/__5_5_${'0'.repeat(32)}_22`, { recursive: true }),
      0,
      /no reader sees it[\s\S]*^RECOVERED: no cell, as TileDB reads no fragment$/m,
    ],
  ] as const)('of which TileDB reads nothing: %s', async (name, change, exit, says) => {
    const from = `${folder}/${name}`
    cpSync(`${FIXTURES}/22/sparse_basic/__schema`, `${from}/__schema`, { recursive: true })
    change(from)
    const { code, text } = await run(['recover', from, '--to', `${from}.new`])
    expect([code, text]).toEqual([exit, expect.stringMatching(says)])
    expect(existsSync(`${from}.new/__fragments`)).toBe(false)
  })

  describe('what only exceeds --memory is not lost', () => {
    const name = '__1_1_00000000000000000000000000000001'
    const metadata = {
      key: 'k',
      deleted: false,
      type: 'UINT8' as const,
      value_num: 2 ** 20,
      value: new Uint8Array(2 ** 20),
    }
    const values = {
      ...{
        version: 0,
        name: 'e',
        path_name: `${name}_0`,
        type: 'UINT8' as const,
        cell_val_num: 1 as const,
        ordered: false,
      },
      ...{ data: new Uint8Array(5000), offsets: undefined },
    }
    test.each([
      ['metadata', '22/metadata', `__meta/${name}`, genericTileBytes({ entries: [metadata] }, arrayMetadata)],
      ['values', '22/enumerations', `__schema/__enumerations/${name}_0`, genericTileBytes(values, enumerationFile)],
    ] as const)('%s', async (_, fixture, path, bytes) => {
      const { from, to } = copyOf(fixture)
      writeFileSync(join(from, path), bytes)
      const { code, stderr } = await run(['recover', from, '--to', to, '--memory', '2M'])
      expect([code, stderr]).toEqual([3, expect.stringMatching(`/${path}: .*--memory`)])
      expect(existsSync(to)).toBe(false)
    })
  })

  test('an impossibly large index of a delete condition does not take all memory', async () => {
    const from = `${folder}/numbers`
    const lines = [...Array(4).keys()].map((x) => {
      const deleted = x === 0 ? '50,"__delete_condition_index":4000000000' : 'null,"__delete_condition_index":null'
      return `{"x":${x},"a":1,"__timestamps":${10 + x},"__delete_timestamps":${deleted}}\n`
    })
    writeFileSync(`${from}.ndjson`, lines.join(''))
    await run(['write-sample', from, '--dim', 'x:INT32:0..99:10', '--attr', 'a:INT32', '--data', `${from}.ndjson`])
    rmSync(join(from, names(from).filter((file) => file.endsWith(METADATA))[0]))
    const { code, text } = await run(['recover', from, '--to', `${from}.new`])
    expect([code, text]).toEqual([1, expect.stringContaining('finds DELETE_CONDITION_INDEX\nRECOVERED, BUT NOT RIGHT')])
  })

  test.each(['DELETE_TIMESTAMP', 'CELL_TIMESTAMP', 'COORDINATE_DUPLICATE'])(
    'a fault of cells is said to remain, with or without their metadata: %s',
    async (fault) => {
      const from = `${folder}/${fault}`
      await run(['write-sample', from, '--damage', fault])
      for (const to of [`${from}.with`, `${from}.without`]) {
        const { code, text } = await run(['recover', from, '--to', to])
        expect([code, text]).toEqual([
          1,
          expect.stringMatching(
            new RegExp(
              `finds .*${fault}.*\nRECOVERED, BUT NOT RIGHT: all \\d+ cells(?:, but the metadata contradicts .*)?\n$`,
            ),
          ),
        ])
        for (const name of names(from).filter((file) => file.endsWith(METADATA))) rmSync(join(from, name))
      }
    },
  )

  test('an output that exists, and the source itself, are refused', async () => {
    const { from } = copyOf('22/sparse_basic')
    const before = contents(from)
    for (const to of [from, `${from}/new`, `${from}/__fragments/new`])
      expect((await run(['recover', from, '--to', to])).code).toBe(2)
    expect(contents(from)).toEqual(before)
  })
})

test('one fragment becomes a folder of its own', async () => {
  const { from, to, files } = copyOf('22/rtree_levels')
  const fragment = join(from, files[0].slice(0, -METADATA.length - 1))
  const whole = contents(fragment)
  truncateSync(join(fragment, METADATA), 100)
  expect((await run(['recover', fragment, '--to', to])).code).toBe(0)
  expect(contents(to)).toEqual(whole)
})

describe('a fragment whose folder has lost its name', () => {
  const ofName = async (args: readonly string[]): Promise<Record<string, Json | undefined>> => {
    const found = await document(args)
    const [one] = get(found, 'fragments') as Json[]
    return {
      name: get(one, 'name'),
      outcome: get(one, 'outcome'),
      assumed: get(one, 'assumed'),
      place: get(found, 'place'),
    }
  }

  for (const fixture of ['22/rtree_levels', '4/sparse_basic', '1/sparse_2d_row']) {
    test(`${fixture}: a commit, or the time, tells the name; in its place the array is whole again`, async () => {
      const { from, to, files } = copyOf(fixture)
      const whole = contents(from)
      const path = files[0].slice(0, -METADATA.length - 1)
      const name = path.split('/').at(-1) ?? ''
      const { timestamp_range, uuid } = parseFragmentName(name) ?? { timestamp_range: [], uuid: '' }
      const lost = `${from}.copied`
      renameSync(join(from, path), lost)
      // Before version 5 there are no commits, so nothing but the time helps.
      const known = fixture.startsWith('22') ? [] : ['--timestamp', timestamp_range.join('..')]
      const source = known.length > 0 ? `${from}.${uuid}` : lost
      renameSync(lost, source)
      for (const [how, outcome] of [
        ['whole', 'kept'],
        ['without metadata', 'rebuilt'],
      ]) {
        if (how !== 'whole') rmSync(join(source, METADATA))
        rmSync(to, { recursive: true, force: true })
        const found = await ofName(['recover', source, '--array', from, '--to', to, ...known])
        expect(found).toMatchObject({ name, outcome, place: path })
        cpSync(to, join(from, path), { recursive: true })
        expect(contents(from)).toEqual(whole)
        rmSync(join(from, path), { recursive: true })
      }
    })
  }

  test('the user is asked for the missing facts', async () => {
    const { from, to, files } = copyOf('22/duplicates')
    const [first, second] = files.map((file) => join(from, file.slice(0, -METADATA.length - 1)))
    const lost = join(from, '__fragments/lost')
    const copied = `${from}.copied`
    cpSync(first, copied, { recursive: true })
    rmSync(join(copied, METADATA))
    const fails = async (...args: string[]): Promise<[number, string]> => {
      const { code, stderr } = await run(['recover', ...args, '--to', to])
      return [code, stderr]
    }
    expect(await fails(copied)).toEqual([2, expect.stringContaining('--array expects the array')])
    expect(await fails(copied, '--array', from)).toEqual([3, expect.stringContaining('give the time with --timestamp')])
    expect(await fails(copied, '--array', from, '--timestamp', '5..4')).toEqual([
      2,
      expect.stringContaining('T1 up to'),
    ])
    expect(await fails(from, '--timestamp', '5')).toEqual([2, expect.stringContaining('are for a fragment')])
    renameSync(first, lost)
    expect(await fails(from)).toEqual([3, expect.stringContaining('__fragments/lost may be it')])
    // In the array, a commit whose fragment is gone tells the name; of two, the time decides.
    const name = first.split('/').at(-1)
    const guess = 'that it is the one fragment that a commit names and that is gone'
    expect(await ofName(['recover', lost, '--to', to])).toMatchObject({ name, outcome: 'kept', assumed: [guess] })
    renameSync(second, `${second}.away`)
    expect(await fails(lost)).toEqual([3, expect.stringContaining('commits name 2 fragments that are gone')])
    const [, first_time, last_time] = /^__(\d+)_(\d+)_/.exec(name ?? '') ?? []
    const times = ['--timestamp', `${first_time}..${last_time}`, '--to', `${to}.2`]
    expect(await ofName(['recover', lost, ...times])).toMatchObject({ name, assumed: [] })
    const other = await ofName([
      'recover',
      lost,
      '--timestamp',
      '2024-05-01',
      '--format-version',
      '20',
      '--to',
      `${to}.3`,
    ])
    expect(other.place).toMatch(/^__fragments\/__1714521600000_1714521600000_[0-9a-f]{32}_20$/)
  })
})

test('links in __labels that lead back are not followed for ever', async () => {
  const { from, to } = copyOf('22/sparse_basic')
  mkdirSync(join(from, '__labels'))
  for (const [name, target] of [
    ['above', '..'],
    ['here', '.'],
    ['again', '.'],
  ])
    symlinkSync(target, join(from, '__labels', name))
  const { code, text } = await run(['recover', from, '--to', to])
  expect(code).toBe(0)
  expect(text).toContain('left out   __labels/above: it is a link to a folder that is copied already')
  expect(names(to).filter((name) => name.startsWith('__labels'))).toEqual([])
})

test('a fragment whose schema is lost takes another one only if all of its files fit', async () => {
  const { from, to } = copyOf('22/evolved_sparse')
  const schemas = readdirSync(join(from, '__schema')).sort()
  rmSync(join(from, '__schema', schemas[1]))
  const { code, stderr } = await run(['recover', from, '--to', to])
  expect(code).toBe(3)
  expect(stderr).toContain(`its schema ${schemas[1]} is not there, and no other schema fits its files, such as a1.tdb`)
  // The same fields under another name.
  const one = copyOf('22/sparse_basic')
  const [name] = readdirSync(join(one.from, '__schema')).filter((entry) => entry.startsWith('__1'))
  const other = name.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  renameSync(join(one.from, '__schema', name), join(one.from, '__schema', other))
  const fragments = get(await document(['recover', one.from, '--to', one.to]), 'fragments') as Json[]
  for (const fragment of fragments)
    expect(get(fragment, 'assumed')).toEqual([
      `its schema is ${other}, which fits its files: its own, ${name}, is not there`,
    ])
})

test('a field whose values have another size in the schema than in the files cannot be read, and that is said', async () => {
  const edited = new EditedArray('22/sparse_basic')
  await edited.editSchema(({ attributes }) => {
    const fixed = attributes.find(({ cell_val_num }) => cell_val_num !== 'var')
    Object.assign(fixed ?? {}, { cell_val_num: 7 })
  })
  const { from, to } = copyOf('22/sparse_basic')
  for (const [path, bytes] of edited.files) writeFileSync(`${from}${path.slice(EDITED.length)}`, bytes)
  const { code, stderr } = await run(['recover', from, '--to', to])
  expect(code).toBe(3)
  expect(stderr).toContain(
    '6 of 6 tiles cannot be read, the first is tile 0: expected 448 unfiltered bytes, found chunks of 64',
  )
})

test('a file that ends in zeros loses the tiles there, and no others', async () => {
  const from = `${folder}/${count++}`
  const to = `${from}.new`
  const fields = ['--dim', 'i:INT32:0..99:10', '--attr', 'a:INT64', '--attr', 'b:INT64', '--filters', 'none']
  await run(['write-sample', from, '--dense', ...fields, '--cells', '100', '--fragments', '1'])
  const file = join(from, '__fragments', fragmentNames(from)[0], 'a0.tdb')
  // The last 6 of 10 tiles, of 100 bytes each. Zeros look like tiles without chunks, of 8 bytes each.
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0, 400))
  expect(bytes.length).toBe(1000)
  const found = await document(['recover', from, '--to', to, '--drop-damaged'])
  expect(get(found, 'cells_lost')).toBe(60)
  expect(await stored(to)).toHaveLength(40)
})

describe('cells that contradict the statistics', () => {
  /** Writes an edited fixture to a folder. @returns its path */
  function written(array: EditedArray): string {
    const path = `${folder}/${count++}`
    for (const one of array.matching(/./)) {
      const file = path + one.slice(EDITED.length)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, array.get(one))
    }
    return path
  }

  /** An array whose third tile has a changed cell of `i8`. */
  async function changed(fixture: string, field: string): Promise<EditedArray> {
    const array = new EditedArray(fixture)
    await array.editTile(field, 'data', 2, (data) => {
      data[0] ^= 0x40
    })
    return array
  }

  const contradiction = { tile: 2, field: 'i8', codes: expect.arrayContaining(['TILE_SUM']) }

  test('a fragment with nothing else is copied, and the exit code is 1', async () => {
    const from = written(await changed('22/filter_none', 'i8'))
    const { code, text } = await run(['recover', from, '--to', `${from}.new`, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(text)).toMatchObject({
      fragments: [{ outcome: 'kept', cells_lost: 0, contradictions: [contradiction] }],
      remaining: expect.arrayContaining(['TILE_SUM']),
      is_loss: false,
    })
    expect(contents(`${from}.new`)).toEqual(contents(from))
    const table = await run(['recover', from, '--to', `${from}.new2`])
    expect(table.text).toMatch(/contradicted +\S+: tile 2, i8: \d+ cells \(/)
    expect(table.text).toMatch(/^RECOVERED, BUT NOT RIGHT: all \d+ cells, but the metadata contradicts some of /m)
  })

  test('new metadata keeps what contradicts them', async () => {
    const array = await changed('22/filter_none', 'i8')
    await array.editSection('fragment_min_max_sum_null_count', undefined, (all) => {
      all[1].sum.fill(7)
    })
    const from = written(array)
    const codes = async (path: string): Promise<unknown[]> => {
      const { text } = await run(['check', '--level', 'cells', path, '--json'])
      return JSON.parse(text).findings.map((one: { code: string }) => one.code)
    }
    const before = await codes(from)
    expect(before).toContain('FRAGMENT_SUM')
    const { code, text } = await run(['recover', from, '--to', `${from}.new`, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(text)).toMatchObject({ fragments: [{ outcome: 'rebuilt', contradictions: [contradiction] }] })
    expect(await codes(`${from}.new`)).toEqual(before.filter((one) => one !== 'FRAGMENT_SUM'))
  })

  test('--drop-damaged leaves out their tiles', async () => {
    const from = written(await changed('22/filter_none', 'i8'))
    const { code, text } = await run(['recover', from, '--to', `${from}.new`, '--drop-damaged', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(text)).toMatchObject({ fragments: [{ outcome: 'partly', contradictions: [] }], remaining: [] })
  })

  test('a sum that nothing else supports is computed anew', async () => {
    const from = `${folder}/${count++}`
    await run(['write-sample', from, '--damage', 'TILE_SUM'])
    const { code, text } = await run(['recover', from, '--to', `${from}.new`, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(text)).toMatchObject({ fragments: [{ outcome: 'rebuilt', contradictions: [] }], remaining: [] })
  })

  /** A dense array whose newer fragment has a changed byte outside of its box, where readers see the older one. */
  async function changedOutside(): Promise<string> {
    const path = `${folder}/${count++}`
    const dimensions = [{ name: 'x', type: 'INT32', domain: [0, 7], tile_extent: 4 }]
    const schema = {
      array_type: 'dense',
      dimensions,
      attributes: [{ name: 'a', type: 'INT32', filters: { filters: [] } }],
    }
    const write = (from: number, to: number, time: number) => {
      const cells = Array.from({ length: to - from }, (_, i) => ({ x: from + i, a: 10 * time + i }))
      return { step: 'write', cells, time }
    }
    const steps = [{ step: 'create', schema, time: 10 }, write(0, 8, 11), write(1, 3, 12)]
    writeFileSync(`${path}.json`, JSON.stringify({ steps }))
    await run(['write-sample', path, '--steps', `${path}.json`])
    const newer = fragmentNames(path).find((name) => name.startsWith('__12_'))
    const file = `${path}/__fragments/${newer}/a0.tdb`
    const bytes = readFileSync(file)
    bytes[bytes.length - 4] ^= 1
    writeFileSync(file, bytes)
    return path
  }

  test('a box is not made wider over the cells of older fragments', async () => {
    const from = await changedOutside()
    const { code, text } = await run(['recover', from, '--to', `${from}.new`, '--json'])
    expect(code).toBe(1)
    const contradictions = [{ tile: 0, field: 'a', codes: ['NONEMPTY_DOMAIN'], cells: 4 }]
    expect(JSON.parse(text)).toMatchObject({
      fragments: [{ outcome: 'kept' }, { outcome: 'rebuilt', assumed: [], contradictions }],
      remaining: ['NONEMPTY_DOMAIN'],
    })
    expect((await run(['diff', '--read', from, `${from}.new`])).code).toBe(0)
    const dropped = await run(['recover', from, '--to', `${from}.dropped`, '--drop-damaged', '--json'])
    expect(dropped.code).toBe(1)
    expect(JSON.parse(dropped.text)).toMatchObject({ fragments: [{}, { outcome: 'lost' }], remaining: [] })
  })
})
