import { describe, expect, test } from '@jest/globals'
import { DenseCoordinates } from '../../src/cells/dense-coordinates.ts'
import { TilePieces } from '../../src/cells/large-tiles.ts'
import { EditableArray } from '../../src/damage/editable-array.ts'
import type { CheckFinding } from '../../src/documents/check.ts'
import { ReadAhead } from '../../src/storage/read-ahead.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run, runJson } from '../helpers/run.ts'

/** Small files whose metadata says that they hold more than fits in memory. */
const folder = temporaryFolder()
let arrays = 0

async function sample(...options: string[]): Promise<EditableArray> {
  const path = `${folder}/${arrays++}`
  const { code } = await run(['write-sample', path, '--attr', 'a:INT32', '--fragments', '1', ...options])
  expect(code).toBe(0)
  return new EditableArray(EDITED, filesBelow(path, EDITED), () => contextFor({ key: undefined }))
}

const int64s = (...values: bigint[]): Uint8Array => new Uint8Array(new BigInt64Array(values).buffer)

/** An array with one dense tile of this many cells, all written according to the metadata. */
async function hugeTile(cells: bigint): Promise<EditableArray> {
  const array = await sample('--dense', '--dim', 'x:INT64:0..99:4', '--cells', '4')
  const nonempty_domain = [{ min: int64s(0n), max: int64s(cells - 1n) }]
  await array.editFooter({ nonempty_domain, last_tile_cell_num: cells })
  await array.editSchema(({ domain }) => {
    domain.dimensions[0].domain = int64s(0n, 2n * cells)
    domain.dimensions[0].tile_extent = int64s(cells)
  })
  return array
}

describe('a capacity that makes more cells of the tiles than the non-empty domain has points', () => {
  async function crowded(...options: string[]): Promise<EditableArray> {
    const array = await sample('--dim', 'x:INT64:0..99', '--cells', '50', '--capacity', '10', ...options)
    await array.editSchema((schema) => {
      schema.capacity = 2n ** 40n
    })
    return array
  }
  const codesOf = async (array: EditableArray, ...call: string[]): Promise<unknown> => {
    const { code, documents } = await runJson([...call, EDITED], { storage: array.storage() })
    const found = (documents[0] as unknown as { findings: CheckFinding[] }).findings
    return { code, errors: found.filter((one) => one.severity === 'error').map((one) => `${one.code} ${one.variant}`) }
  }

  test('is an error of the overview, as of check', async () => {
    const array = await crowded()
    expect(await codesOf(array)).toEqual({ code: 1, errors: ['MBR_INVALID cells'] })
    expect(await codesOf(array, 'check')).toMatchObject({
      code: 1,
      errors: expect.arrayContaining(['MBR_INVALID cells']),
    })
  })

  test('is none where cells may have the same coordinates', async () => {
    expect(await codesOf(await crowded('--duplicates'))).toEqual({ code: 0, errors: [] })
  })
})

describe('cells that are larger than memory according to the schema', () => {
  async function hugeCells(): Promise<EditableArray> {
    const array = await sample('--dim', 'x:INT64:0..99', '--cells', '5')
    await array.editSchema(({ attributes: [a] }) => {
      a.cell_val_num = 2 ** 32 - 2
    })
    return array
  }

  test.each([
    ['all', []],
    ['a few', ['--limit', '2']],
    ['as Arrow, where no null has room, either', ['--format', 'arrow']],
  ] as const)('decode says that the tile holds less: %s', async (_, options) => {
    const array = await hugeCells()
    const { code, stderr } = await run(['decode', array.fragmentPath(), ...options], { storage: array.storage() })
    expect(stderr).toMatch(/a0\.tdb: .*field a, tile 0, .*expected \d+ unfiltered bytes, found chunks of 20/)
    expect(stderr).not.toMatch(/fault of tiledb-inspect/)
    expect(code).toBe(1)
  })
})

test.each([1, 3, 1000])('%i sums of a string field, which has none, are a finding', async (count) => {
  const array = await sample('--dim', 'x:INT64:0..99', '--cells', '50', '--capacity', '10', '--attr', 's:STRING_ASCII')
  const values = new Uint8Array(8 * count).fill(0xff)
  await array.editSection('tile_sums', 1, { values })
  const { code, documents } = await runJson(['check', '--level', 'cells', array.fragmentPath()], {
    storage: array.storage(),
  })
  expect(documents).toMatchObject([{ findings: [{ code: 'STATISTICS_COUNT' }], not_examined: [] }])
  expect(code).toBe(1)
})

describe('a dense tile with far too many cells', () => {
  test('decode ends the tile when no field can be read further', async () => {
    const array = await hugeTile(2n ** 40n)
    const { code, text, stderr } = await run(['decode', array.fragmentPath(), '--format', 'csv'], {
      storage: array.storage(),
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/expected 4398046511104 unfiltered bytes, found chunks of 16/)
    expect(text.length).toBeLessThan(2 ** 20)
  })

  test('decode --keep-going computes no coordinates for a tile that it leaves out', async () => {
    const array = await hugeTile(2n ** 29n)
    const original = DenseCoordinates.prototype.cells
    let calls = 0
    DenseCoordinates.prototype.cells = function (...args) {
      calls++
      return original.apply(this, args)
    }
    try {
      const { code, documents } = await runJson(['decode', array.fragmentPath(), '--keep-going'], {
        storage: array.storage(),
      })
      expect({ code, calls }).toEqual({ code: 1, calls: 0 })
      expect(documents).toMatchObject([{ cells: [], errors: [{ code: 'INCONSISTENT' }] }])
    } finally {
      DenseCoordinates.prototype.cells = original
    }
  })
})

test.each([
  [['decode'], 2 ** 16],
  [['check'], 2 ** 16],
  // It reads a local tile chunk by chunk, which is not planned.
  [['verify-checksums', '--deep'], 0],
])('%s: of a file of a terabyte only %d ranges are planned', async (args, most) => {
  const array = await sample('--dim', 'x:INT64:0..99', '--attr', 's:STRING_ASCII', '--cells', '5')
  await array.editFooter(({ file_sizes, file_var_sizes }) => {
    file_sizes.fill(2 ** 40)
    file_var_sizes.fill(2 ** 40)
  })
  const planned: number[] = []
  const original = ReadAhead.prototype.plan
  ReadAhead.prototype.plan = function (ranges, options) {
    const all = [...ranges]
    planned.push(all.length)
    expect(Math.max(...all.map(({ length }) => length))).toBeLessThanOrEqual(2 ** 20)
    return original.call(this, all, options)
  }
  try {
    const { code, text, stderr } = await run([...args, array.fragmentPath()], { storage: array.storage() })
    expect(Math.max(...planned)).toBe(most)
    expect(text + stderr).toMatch(/a0\.tdb/)
    expect(code).toBe(1)
  } finally {
    ReadAhead.prototype.plan = original
  }
})

describe('chunks of a large tile that are not needed', () => {
  const LENGTH = 8
  const CHUNKS = 6

  /** Records which chunks are unfiltered. One of them has a wrong length. */
  function pieces(lies: { chunk: number; length: number } | undefined, undone: number[]): TilePieces {
    const length = (index: number): number => (index === lies?.chunk ? lies.length : LENGTH)
    return new TilePieces({
      expected: LENGTH * CHUNKS,
      async *chunks() {
        let from = 0
        for (let index = 0; index < CHUNKS; index++) {
          const none = new Uint8Array(0)
          yield { chunk: { original_length: length(index), metadata: none, data: none }, index, offset: 0, from }
          from += length(index)
        }
      },
      undo: async ({ chunk, index }) => {
        undone.push(index)
        if (chunk.original_length !== LENGTH) throw new RangeError(`chunk ${index}`)
        return new Uint8Array(LENGTH).fill(index)
      },
      fault: (error) => error,
    })
  }

  test('are skipped, except for the first', async () => {
    const undone: number[] = []
    expect(await pieces(undefined, undone).read(33, 35)).toEqual(Uint8Array.of(4, 4))
    expect(undone).toEqual([0, 4])
  })

  test.each([0, 1, 7])('are unfiltered if their length differs: %i', async (length) => {
    for (const chunk of [0, 2])
      await expect(pieces({ chunk, length }, []).read(33, 35)).rejects.toThrow(`chunk ${chunk}`)
  })
})
