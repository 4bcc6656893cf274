import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import type { CellBatch, ColumnType } from '../../src/cells/column.ts'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { formatNames } from '../../src/cli/formats.ts'
import { NEWEST_STABLE } from '../../src/format/releases.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { writeArrow } from '../../src/rows/arrow.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES, type FixtureFolder, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn, turnOfFamilies } from '../helpers/turn.ts'
import { type ArrowValue, expectedValue, readArrow } from './arrow-table.ts'

const folder = temporaryFolder()
const arrays = fixtureFolders().filter(({ kind }) => kind === 'array')

/** Attributes of the fixture that have an enumeration. */
const LABELLED = ['tree', 'place', 'size', 'ratio']

async function fragmentsOf(array: FixtureFolder): Promise<{ path: string; columns: readonly ColumnType[] }[]> {
  const opened = new InspectArray(new Folder(localFiles, array.path), contextFor(array))
  const out: { path: string; columns: readonly ColumnType[] }[] = []
  for (const entry of await opened.fragments()) {
    const fragment = opened.fragment(entry.path)
    const cells = await FragmentCells.open(fragment)
    out.push({ path: `${array.path}/${entry.path}`, columns: cells.columns })
    await cells.close()
    await fragment.close()
  }
  return out
}

async function cellsOf(args: readonly string[]): Promise<Json[]> {
  const { documents } = await runJson(['decode', ...args])
  return items(get(documents[0], 'cells'))
}

function fixture(name: string): string {
  return `${FIXTURES}/${NEWEST_STABLE}/${name}`
}

async function firstFragment(name: string): Promise<string> {
  const [fragment] = await fragmentsOf({ kind: 'array', path: fixture(name), name, key: undefined })
  return fragment.path
}

/** What each column should hold; undefined where Arrow cannot. */
function expectedColumns(
  columns: readonly ColumnType[],
  shown: readonly Json[],
  stored: readonly Json[],
  raw: boolean,
): Map<string, ArrowValue[]> | undefined {
  const out = new Map<string, ArrowValue[]>()
  for (const column of columns) {
    const values: ArrowValue[] = []
    for (let i = 0; i < shown.length; i++) {
      const name = column.name
      const value = expectedValue(column, get(shown[i], name) ?? null, get(stored[i], name) ?? null, raw)
      if (value === undefined) return undefined
      values.push(value)
    }
    out.set(column.name, values)
  }
  return out
}

describe('a stream holds what JSON shows, in every fragment of every fixture', () => {
  const versions = [...new Set(arrays.map(versionOf))]
  test.each(turnOfFamilies(versions, 6, (one) => one))('version %i', async (version) => {
    let compared = 0
    const all = arrays.filter((one) => versionOf(one) === version)
    for (const array of shortTurn(all, all.length > 20 ? 5 : 1)) {
      const key = array.key === undefined ? [] : ['--key', array.key]
      for (const { path, columns } of await fragmentsOf(array)) {
        const shown = await cellsOf([path, ...key])
        const stored = await cellsOf([path, ...key, '--raw'])
        for (const raw of [false, true]) {
          const args = ['decode', path, ...key, '--format', 'arrow', ...(raw ? ['--raw'] : [])]
          const { code, stdout, stderr } = await run(args)
          const expected = expectedColumns(columns, raw ? stored : shown, stored, raw)
          if (!expected) {
            expect({ path, code, stderr }).toMatchObject({
              code: 2,
              stderr: expect.stringContaining('--raw writes them'),
            })
            continue
          }
          expect({ path, code, stderr }).toMatchObject({
            code: 0,
            stderr: expect.stringMatching(/^(?:note: \w+: nulls are shown as they were written; .*\n)*$/),
          })
          const read = readArrow(stdout)
          expect(read.rowNum).toBe(shown.length)
          expect(read.metadata).toEqual(columns.map(({ type }) => type))
          expect({ path, raw, columns: read.columns }).toEqual({ path, raw, columns: expected })
          compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(0)
  })
})

describe('options', () => {
  test('-o x.arrow is a file, which has a footer; x.arrows a stream', async () => {
    const fragment = await firstFragment('sparse_basic')
    const { stdout } = await run(['decode', fragment, '--format', 'arrow'])
    for (const [name, file] of [
      ['a.arrow', true],
      ['a.arrows', false],
    ] as const) {
      const path = `${folder}/${name}`
      expect((await run(['decode', fragment, '-o', path])).code).toBe(0)
      const bytes = new Uint8Array(readFileSync(path))
      expect(Buffer.from(bytes.subarray(-6)).toString('latin1') === 'ARROW1').toBe(file)
      expect(readArrow(bytes)).toEqual(readArrow(stdout))
    }
  })

  test('--limit, --tiles, --range and --field choose the same cells as for JSON', async () => {
    const fragment = await firstFragment('sparse_2d_row_row')
    const [{ columns }] = await fragmentsOf({
      kind: 'array',
      path: fixture('sparse_2d_row_row'),
      name: '',
      key: undefined,
    })
    const [first, second] = columns
    const [cell] = await cellsOf([fragment, '--limit', '1'])
    const value = String(get(cell, first.name))
    const attribute = columns[columns.length - 1].name
    for (const options of [
      ['--limit', '0'],
      ['--limit', '3'],
      ['--tiles', '1'],
      ['--range', `${first.name}=${value}`],
      ['--range', `${second.name}=2..`, '--limit', '2'],
      ['--field', attribute],
    ]) {
      const shown = await cellsOf([fragment, ...options])
      const read = readArrow((await run(['decode', fragment, ...options, '--format', 'arrow'])).stdout)
      expect(read.rowNum).toBe(shown.length)
      const chosen = columns.filter(({ name }) => read.names.includes(name))
      expect(chosen.map(({ name }) => name)).toEqual(
        options[0] === '--field' ? [first.name, second.name, attribute] : columns.map(({ name }) => name),
      )
      expect(read.columns).toEqual(expectedColumns(chosen, shown, shown, false))
    }
  })

  test('--fill writes the padding cells of dense tiles', async () => {
    const fragment = await firstFragment('dense_basic')
    const shown = await cellsOf([fragment, '--fill'])
    const read = readArrow((await run(['decode', fragment, '--fill', '--format', 'arrow'])).stdout)
    expect(read.rowNum).toBe(shown.length)
    expect(shown.length).toBeGreaterThan((await cellsOf([fragment])).length)
  })

  test('--labels writes dictionaries; indexes without a value are null', async () => {
    for (const { path, columns } of await fragmentsOf({
      kind: 'array',
      path: fixture('enumerations'),
      name: '',
      key: undefined,
    })) {
      const shown = await cellsOf([path, '--labels'])
      const read = readArrow((await run(['decode', path, '--labels', '--format', 'arrow'])).stdout)
      const labelled = columns.filter(({ name }) => LABELLED.includes(name))
      expect(labelled.length).toBe(LABELLED.length)
      for (const { name } of labelled) {
        const values = read.columns.get(name) ?? []
        expect(values.map((value) => (typeof value === 'bigint' ? Number(value) : value))).toEqual(
          shown.map((cell) => get(cell, name)),
        )
      }
    }
  })

  test('--all-fragments: one table, each cell with its fragment; what a fragment lacks is null', async () => {
    for (const name of ['evolved_sparse', 'sparse_consolidated', 'enumerations', 'deletes_consolidated']) {
      const { code, stdout, stderr } = await run(['decode', fixture(name), '--all-fragments', '--format', 'arrow'])
      const shown = await cellsOf([fixture(name), '--all-fragments'])
      if (code === 2) {
        expect(stderr).toContain('decode them one by one')
        continue
      }
      const read = readArrow(stdout)
      expect(read.names[0]).toBe('__fragment')
      expect(read.columns.get('__fragment')).toEqual(shown.map((cell) => get(cell, '__fragment')))
      for (const [column, values] of read.columns) {
        expect(values.map((value) => value === null)).toEqual(shown.map((cell) => (get(cell, column) ?? null) === null))
      }
    }
  })

  test('is refused on a terminal, for several targets, and by commands that have no table of cells', async () => {
    const fragment = await firstFragment('sparse_basic')
    for (const [args, message] of [
      [['decode', fragment, '--format', 'arrow'], 'terminal'],
      [['decode', fragment, fragment, '--format', 'arrow'], 'found 2 targets'],
      [['read', fragment, fragment, '--format', 'arrow'], 'writes one table: expected one target, found 2 targets'],
      [['ls', fragment, '--format', 'arrow'], `--format expects ${formatNames({}).join(', ')}, found "arrow"`],
      [['footer', fragment, '-o', `${folder}/b.arrow`], 'not arrow'],
    ] as const) {
      const { code, stdout, stderr } = await run(args, { columns: 80 })
      expect({ code, text: stdout.length, stderr }).toMatchObject({
        code: 2,
        text: 0,
        stderr: expect.stringContaining(message),
      })
    }
  })
})

const INT32: ColumnType = {
  name: 'a',
  kind: 'attribute',
  type: 'INT32',
  cell_val_num: 1,
  nullable: false,
}
const TEXT: ColumnType = {
  name: 's',
  kind: 'attribute',
  type: 'STRING_UTF8',
  cell_val_num: 'var',
  nullable: true,
}

function batchOf(tile: number, numbers: readonly number[], rows?: readonly number[]): CellBatch {
  const texts = numbers.map((n) => 'x'.repeat(n % 50))
  const starts = new Float64Array(numbers.length + 1)
  texts.forEach((text, i) => {
    starts[i + 1] = starts[i] + text.length
  })
  return {
    tile,
    cell_num: numbers.length,
    rows: rows && Uint32Array.from(rows),
    columns: [
      { data: new Uint8Array(Int32Array.from(numbers).buffer), starts: undefined, validity: undefined },
      {
        data: new TextEncoder().encode(texts.join('')),
        starts,
        validity: Uint8Array.from(numbers, (n) => (n % 7 === 0 ? 0 : 1)),
      },
    ],
  }
}

function valuesOf(numbers: readonly number[]): Map<string, ArrowValue[]> {
  return new Map<string, ArrowValue[]>([
    ['a', [...numbers]],
    ['s', numbers.map((n) => (n % 7 === 0 ? null : 'x'.repeat(n % 50)))],
  ])
}

async function written(
  batches: Iterable<CellBatch>,
  onWrite: () => void = () => {},
): Promise<{ bytes: Uint8Array; error: unknown }> {
  const parts: Uint8Array[] = []
  const out = {
    columns: undefined,
    color: false,
    write(part: string | Uint8Array) {
      onWrite()
      if (typeof part !== 'string') parts.push(part.slice())
    },
  }
  async function* later(): AsyncGenerator<CellBatch> {
    yield* batches
  }
  let error: unknown
  try {
    await writeArrow({ columns: [INT32, TEXT], batches: later() }, out, { file: false, raw: false })
  } catch (caught) {
    error = caught
  }
  return { bytes: Buffer.concat(parts), error }
}

const count = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i)

describe('record batches', () => {
  test('small tiles share one, whatever rows are chosen of them', async () => {
    const tiles = count(0, 300).map((t) =>
      batchOf(t, count(t * 10, 10), t % 3 === 0 ? [1, 2, 5] : t % 3 === 1 ? [3, 4, 5] : undefined),
    )
    const numbers = tiles.flatMap(({ rows, tile }) => Array.from(rows ?? count(0, 10), (i) => tile * 10 + Number(i)))
    const { bytes } = await written(tiles)
    const read = readArrow(bytes)
    expect(read.batches).toHaveLength(1)
    expect(read.columns).toEqual(valuesOf(numbers))
  })

  test('a large tile is one, written before the next tile is read', async () => {
    const large = 40_000
    const log: string[] = []
    function* tiles(): Generator<CellBatch> {
      for (let t = 0; t < 4; t++) {
        log.push(`read ${t}`)
        yield batchOf(
          t,
          count(t * large, large),
          t === 2 ? count(5, large - 10) : t === 3 ? count(0, large / 2).map((i) => 2 * i) : undefined,
        )
      }
    }
    const { bytes } = await written(tiles(), () => {
      if (log[log.length - 1] !== 'write') log.push('write')
    })
    expect(log).toEqual(['read 0', 'write', 'read 1', 'write', 'read 2', 'write', 'read 3', 'write'])
    const read = readArrow(bytes)
    expect(read.batches).toEqual([large, large, large - 10, large / 2])
    const numbers = [
      ...count(0, 2 * large),
      ...count(2 * large + 5, large - 10),
      ...count(0, large / 2).map((i) => 3 * large + 2 * i),
    ]
    expect(read.columns).toEqual(valuesOf(numbers))
  })

  test('no cells: a schema and nothing else', async () => {
    const read = readArrow((await written([])).bytes)
    expect(read).toMatchObject({ names: ['a', 's'], nullable: [false, true], rowNum: 0 })
  })
})

describe('columns that cannot be read', () => {
  const without = (batch: CellBatch, column: number): CellBatch => ({
    ...batch,
    columns: batch.columns.map((data, c) => (c === column ? undefined : data)),
  })

  test('are null where the schema can still say so', async () => {
    const { bytes, error } = await written([without(batchOf(0, count(1, 3)), 0), without(batchOf(1, count(4, 3)), 1)])
    expect(error).toBeUndefined()
    const read = readArrow(bytes)
    expect(read.nullable).toEqual([true, true])
    expect(read.columns).toEqual(
      new Map<string, ArrowValue[]>([
        ['a', [null, null, null, 4, 5, 6]],
        ['s', ['x', 'xx', 'xxx', null, null, null]],
      ]),
    )
  })

  test('end the stream where it is too late for that; what came before can be read', async () => {
    const large = 40_000
    const { bytes, error } = await written([batchOf(0, count(0, large)), without(batchOf(1, count(0, large)), 0)])
    expect(error).toBeInstanceOf(InspectError)
    expect(error).toMatchObject({ code: 'INCONSISTENT', at: { field: 'a' } })
    expect(readArrow(bytes).columns).toEqual(valuesOf(count(0, large)))
  })

  test('text that is not valid names its cell', async () => {
    const bad = batchOf(3, count(1, 4))
    const text = bad.columns[1]
    if (text) text.data[3] = 0xff
    const { error } = await written([batchOf(2, count(1, 4)), bad])
    expect(error).toMatchObject({
      code: 'BAD_VALUE',
      message: expect.stringContaining('cell 2 of tile 3'),
      at: { field: 's' },
    })
  })
})
