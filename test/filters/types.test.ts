import { describe, expect, test } from '@jest/globals'
import { filterOfOtherType } from '../../src/check/known-faults.ts'
import { typeAfter } from '../../src/filters/registry.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { parseJsonDocuments } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'

const XOR: FilterConfig = { name: 'XOR' }
const SHORT: FilterConfig = { name: 'SCALE_FLOAT', scale: 1, offset: 0, byte_width: 2 }
const AS_INT64: FilterConfig = { name: 'DELTA', level: -1, reinterpret_datatype: 'INT64' }
const BITS: FilterConfig = { name: 'BIT_WIDTH_REDUCTION', max_window_size: 256 }
const SHUFFLE: FilterConfig = { name: 'BYTESHUFFLE' }
const ZSTD: FilterConfig = { name: 'ZSTD', level: 3 }

describe('the type that a filter sees', () => {
  test.each<[string, FilterConfig, Datatype, Datatype]>([
    ['XOR', XOR, 'FLOAT32', 'INT32'],
    ['SCALE_FLOAT', SHORT, 'FLOAT64', 'INT16'],
    ['DELTA', AS_INT64, 'INT16', 'INT64'],
    ['ZSTD', ZSTD, 'INT16', 'INT16'],
  ])("is what %s makes since version 20, the field's before", (_, filter, type, made) => {
    expect(typeAfter(filter, type, 20)).toBe(made)
    expect(typeAfter(filter, type, 19)).toBe(type)
  })

  test('of what TileDB 2.16 wrote: decode reads it', async () => {
    const { code, text } = await run([
      'decode',
      'test/fixtures/unreadable/19_one_filter_type/__fragments/__1_1_52339a92cb384cbd8f0af9365336bf7f_19',
      '--format',
      'ndjson',
      '--raw',
    ])
    expect(code).toBe(0)
    const cells = parseJsonDocuments(text)
    const column = (name: string): unknown[] => cells.map((cell) => (cell as Record<string, unknown>)[name])
    const numbers = (name: string): number[] => column(name).map(Number)
    expect(numbers('xor_bits')).toEqual([0, 200, 255, 256, 33006, 65535, 70000, 4000000000])
    expect(numbers('xor_float')).toEqual([0.5, 1.5, 2, 3.25, 4, 5, 6, 7.75])
    expect(numbers('xor_date')).toEqual([0, 1, 200, 255, 3000, 70000, 80000, 90000])
    expect(numbers('delta_shuffle')).toEqual([3, 1, -4, 1, -5, 9, -2, 6])
    expect(numbers('delta_bits')).toEqual([0.5, 1.5, 2, 3.25, 4, 5, 6, 7.75])
  })

  test.each<[string, FilterConfig[], Datatype, number, string | undefined]>([
    ['floats that become integers', [XOR, BITS], 'FLOAT32', 19, 'BIT_WIDTH_REDUCTION'],
    ['dates that become integers', [XOR, ZSTD, BITS], 'DATETIME_DAY', 16, 'BIT_WIDTH_REDUCTION'],
    ['unsigned ones that become signed', [XOR, BITS], 'UINT32', 19, 'BIT_WIDTH_REDUCTION'],
    ['another size', [SHORT, SHUFFLE], 'FLOAT64', 15, 'BYTESHUFFLE'],
    ['the same size', [XOR, SHUFFLE], 'FLOAT32', 19, undefined],
    ['the same integers', [XOR, BITS], 'INT32', 19, undefined],
    ['filters that see bytes', [XOR, ZSTD], 'FLOAT32', 19, undefined],
    ['formats since 20', [XOR, BITS], 'FLOAT32', 20, undefined],
  ])('matters to later releases or not: %s', (_, filters, type, version, name) => {
    expect(filterOfOtherType(filters, type, version)?.name).toBe(name)
  })
})
