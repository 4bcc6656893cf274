import { describe, expect, test } from '@jest/globals'
import { collectColumns, openArray, openCells, writeArrowStream } from '../src/index.ts'
import { FIXTURES } from './helpers/fixtures.ts'
import { run } from './helpers/run.ts'

async function cellsOf(name: string, fields?: string[]) {
  const array = await openArray(`${FIXTURES}/22/${name}`)
  const [{ path }] = await array.fragments()
  return {
    cells: await openCells(array.fragment(path), fields ? { fields } : {}),
    path: `${FIXTURES}/22/${name}/${path}`,
  }
}

describe('collectColumns', () => {
  test.each(['type_numbers_sparse', 'type_numbers_dense', 'type_datetimes', 'type_text'])(
    '%s: each type has its typed array, with one element a value',
    async (name) => {
      const { cells } = await cellsOf(name)
      const columns = await collectColumns(cells)
      const arrays = cells.columns.map((column) => {
        const { values } = columns.get(column.name) ?? { values: [] }
        return `${column.type} ${values.constructor.name}`
      })
      expect([...new Set(arrays)].sort()).toMatchSnapshot()
      await cells.close()
    },
  )

  test('the values are those that the command line prints, nulls beside them', async () => {
    const { cells, path } = await cellsOf('type_nullable')
    const columns = await collectColumns(cells)
    await cells.close()
    const { text } = await run(['decode', '--format', 'ndjson', '--raw', path])
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line): { [field: string]: unknown } => JSON.parse(line))
    expect(rows.length).toBeGreaterThan(1)
    let nulls = 0
    for (const { name, type, cell_val_num } of cells.columns) {
      const { values, validity } = columns.get(name) ?? { values: [], validity: undefined }
      if (cell_val_num !== 1 || !/INT(8|16|32)$/.test(type)) continue
      const shown = [...values].map((value, i) => (validity?.[i] === 0 ? null : value))
      expect(shown).toEqual(rows.map((row) => row[name]))
      nulls += shown.filter((value) => value === null).length
    }
    expect(nulls).toBeGreaterThan(0)
  })

  test('var-sized cells begin where `starts` says, in elements', async () => {
    const { cells, path } = await cellsOf('type_var_numeric')
    const columns = await collectColumns(cells)
    await cells.close()
    const { text } = await run(['decode', '--format', 'ndjson', path])
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line): { [field: string]: unknown } => JSON.parse(line))
    const wide = cells.columns.filter(
      ({ cell_val_num, type }) => cell_val_num === 'var' && /^(U?INT(16|32)|FLOAT64)$/.test(type),
    )
    expect(wide.length).toBeGreaterThan(0)
    for (const { name } of wide) {
      const { values, starts, validity } = columns.get(name) ?? { values: [] }
      const found = rows.map((_, i) => (validity?.[i] === 0 ? null : [...values.slice(starts?.[i], starts?.[i + 1])]))
      expect(found).toEqual(rows.map((row) => row[name]))
    }
  })
})

test.each(['sparse_basic', 'dense_basic', 'type_text'])(
  'writeArrowStream: %s has the bytes that the command line writes',
  async (name) => {
    const { cells, path } = await cellsOf(name)
    const pieces: Uint8Array[] = []
    await writeArrowStream(cells, (piece) => {
      pieces.push(piece)
    })
    await cells.close()
    const { stdout } = await run(['decode', '--format', 'arrow', path])
    expect(Buffer.concat(pieces).equals(stdout)).toBe(true)
  },
)
