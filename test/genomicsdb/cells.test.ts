import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { batchRows, columnValue } from '../../src/cells/rows.ts'
import { gunzip } from '../../src/filters/codecs/gunzip.ts'
import { genomicsdbSchemaOf } from '../../src/format/genomicsdb/array-schema.ts'
import { bookKeeping } from '../../src/format/genomicsdb/book-keeping.ts'
import { BOOK_KEEPING_FILE } from '../../src/format/genomicsdb/names.ts'
import { decode } from '../../src/format/io.ts'
import type { CellValue } from '../../src/format/value.ts'
import { openFragmentCells } from '../../src/genomicsdb/cells.ts'
import { columnFiles, openColumnFile } from '../../src/genomicsdb/column-file.ts'
import type { GenomicsdbFragment } from '../../src/genomicsdb/fragment.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { openFragments, unpackWorkspace, WORKSPACES } from '../helpers/genomicsdb.ts'
import { specimen } from '../helpers/specimen.ts'

/** Workspaces that GenomicsDB's importer wrote, against what its library reads of them. */

interface Call {
  row: number
  column: number
  end_column: number
  REF: string
  ALT: string[] | null
  fields: Record<string, unknown>
}

interface Expected {
  arrays: Record<string, { calls: Call[] }>
  disk: Record<string, { fragments: Record<string, { tiles: number; cells: number; calls: number; rows: number[] }> }>
}

const folder = temporaryFolder()
type Row = { [field: string]: CellValue }

async function rowsOf(fragment: GenomicsdbFragment): Promise<Row[]> {
  const cells = await openFragmentCells(fragment)
  const values = cells.columns.map((column) => columnValue(column, { raw: false }))
  const rows: Row[] = []
  for await (const batch of cells.batches()) rows.push(...batchRows(batch, cells.columns, values))
  await cells.close()
  return rows
}

const ABSENT_INT = 2 ** 31 - 1
const ABSENT_FLOAT = 3.4028235e38

/** A value as the library shows it; undefined for one that is absent. */
function shown(value: CellValue): unknown {
  const list = Array.isArray(value) ? value : [value]
  if (
    list.length === 0 ||
    list.every((one) => one === ABSENT_INT || one === ABSENT_FLOAT || one === '' || one === '\x7f')
  )
    return undefined
  const plain = list.map((one) => (typeof one === 'number' && !Number.isFinite(one) ? String(one).toLowerCase() : one))
  return plain.length === 1 ? plain[0] : plain
}

/** The same JSON with fractions as float32: what is printed is the shortest text of one. */
function rounded<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, one) =>
    typeof one === 'number' && !Number.isInteger(one) ? Math.fround(one) : one,
  )
}

/** A genotype: allele, phase, allele… A haploid one is a number. */
function genotype(value: CellValue): unknown {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0) return undefined
  return list
    .map((one, i) => {
      if (i % 2 === 1) return one === 1 ? '|' : '/'
      return one === -1 ? '.' : String(one)
    })
    .join('')
}

/** The call of a cell, as the library gives it. Fields of lists of lists, which the Python package cuts, are left out. */
function callOf({ samples, position, END, REF, ALT, ...fields }: Row): Partial<Call> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const one = name === 'GT' ? genotype(value) : shown(value)
    if (one !== undefined && !NESTED.has(name)) kept[name] = one
  }
  const alleles = String(ALT).split('|')
  return {
    ...{ row: Number(samples), column: Number(position), end_column: Number(END), REF: String(REF) },
    ALT: ALT === '' ? null : alleles.map((one) => (one === '&' ? '<NON_REF>' : one)),
    fields: kept,
  }
}

const NESTED = new Set([
  'AS_RAW_MQ',
  'AS_QUALapprox',
  'AS_RAW_ReadPosRankSum',
  'AS_SB_TABLE',
  'AS_VarDP',
  'AS_RAW_MQRankSum',
])

const byPlace = (a: Partial<Call>, b: Partial<Call>): number =>
  Number(a.column) - Number(b.column) || Number(a.row) - Number(b.row)

describe.each(WORKSPACES)('workspace %s', (name) => {
  const workspace = unpackWorkspace(name, folder)
  const expected: Expected = JSON.parse(readFileSync(`${dirname(workspace)}/expect.json`, 'utf8'))
  const arrays = Object.keys(expected.arrays)

  test('every value of every call is that of the library', async () => {
    expect(arrays.length).toBeGreaterThan(0)
    for (const array of arrays) {
      const calls: Partial<Call>[] = []
      for (const fragment of await openFragments(`${workspace}/${array}`)) {
        const rows = await rowsOf(fragment)
        const facts = expected.disk[array].fragments[fragment.name]
        expect({ tiles: fragment.tile_num, cells: fragment.cell_num }).toEqual({
          tiles: facts.tiles,
          cells: facts.cells,
        })
        expect(rows.length).toBe(facts.cells)
        const begins = rows.filter(({ END, position }) => Number(END) >= Number(position))
        expect(begins.length).toBe(facts.calls)
        expect([...new Set(rows.map(({ samples }) => Number(samples)))].sort((a, b) => a - b)).toEqual(facts.rows)
        calls.push(...begins.map(callOf))
      }
      const wanted = expected.arrays[array].calls.map(({ row, column, end_column, REF, ALT, fields }) => ({
        ...{ row, column, end_column, REF, ALT, fields },
      }))
      expect(rounded(calls.sort(byPlace))).toEqual(rounded(wanted.sort(byPlace)))
    }
  })

  test('schemas and book-keeping are written back as they were read, and every byte has a meaning', async () => {
    for (const array of arrays) {
      const stored = new Uint8Array(readFileSync(`${workspace}/${array}/__array_schema.tdb`))
      const describeSchema = genomicsdbSchemaOf(stored)
      const schema = decode(stored, describeSchema)
      const head = { version: 0, where: array }
      const specimens = [specimen({ structure: 'schema', ...head }, stored, describeSchema)]
      for (const fragment of await openFragments(`${workspace}/${array}`)) {
        const packed = readFileSync(`${fragment.folder.path}/${BOOK_KEEPING_FILE}`)
        const { content, length, fault } = gunzip(packed, 2 ** 24)
        expect({ length, fault }).toEqual({ length: packed.length, fault: undefined })
        specimens.push(specimen({ structure: 'book-keeping', ...head }, content, bookKeeping(schema)))
      }
      for (const one of specimens) {
        expect(one.roundTrip()).toEqual(one.bytes)
        expect(one.coverage()).toBeUndefined()
        for (const part of [0, 1, 17, one.bytes.length >> 1, one.bytes.length - 1])
          expect(one.prefix(part)).toBe('refused')
      }
    }
  })

  test('the tiles of each file fill it', async () => {
    for (const array of arrays) {
      for (const fragment of await openFragments(`${workspace}/${array}`)) {
        const files = columnFiles(fragment)
        const names = readdirSync(fragment.folder.path).filter((one) => !/^__(tiledb_fragment|book_keeping)/.test(one))
        expect(files.map((file) => file.name)).toEqual(expect.arrayContaining(names))
        for (const file of files) {
          const open = await openColumnFile(fragment, file)
          if (names.includes(file.name))
            expect(open.file_size).toBe(statSync(`${fragment.folder.path}/${file.name}`).size)
          for (let tile = 0; tile < fragment.tile_num; tile++)
            expect((await open.read(tile)).length).toBe(open.unfiltered_sizes[tile])
          expect(open.starts[0] ?? 0).toBe(0)
          await open.close()
        }
      }
    }
  })
})
