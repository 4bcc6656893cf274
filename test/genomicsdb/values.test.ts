import { expect, test } from '@jest/globals'
import { bytes, u32Bytes, u64Bytes } from '../../src/damage/bytes.ts'
import { callFields } from '../../src/genomicsdb/call-fields.ts'
import { listsOf } from '../../src/genomicsdb/values.ts'
import { whole } from '../check/damage.ts'
import { check } from '../check/findings.ts'
import { EDITED } from '../helpers/edit-array.ts'

const cell = (first: number, second: number): Uint8Array => bytes(u32Bytes(first), u32Bytes(0), u32Bytes(second))

test('a genotype of an allele that ALT does not list is a finding, in the first cell of its tile', async () => {
  const array = await whole('GENOMICSDB_VALUE')
  const file = array.first(/chr1\$1\$100.*GT_var/)
  const found = async () => {
    const { findings } = await check(array.storage(), EDITED, { level: 'cells' })
    return findings.map(({ code, field, tile, cell: at, expected, found }) => [code, field, tile, at, expected, found])
  }
  // ALT has two alleles. What was not called is none.
  const called = [cell(0, 1), cell(2, -1 >>> 0), cell(0x7fffffff, 0x80000000)]
  array.files.set(file, bytes(...called, cell(0, 2)))
  expect(await found()).toEqual([])
  array.files.set(file, bytes(...called, cell(1, 3)))
  expect(await found()).toEqual([['GENOMICSDB_VALUE', 'GT', 0, 3, 'alleles of 0 to 2, as ALT has 2', '3']])
})

test('a field of tuples has an attribute of lists for each element, with the type of that element', () => {
  const stored = [0, 1, 2].map((i) => ({
    ...{ name: `AS_RAW_MQRankSum_tuple_element_${i}`, type: 'CHAR' as const, cell_val_num: 'var' as const },
  }))
  const vcf = { name: 'AS_RAW_MQRankSum', types: ['float', 'int'], classes: ['INFO'], lengths: ['R', 'VAR'] }
  const fields = callFields(stored, [vcf])
  expect(fields.map(({ form, item }) => [form, item])).toEqual([
    ['nested', 'FLOAT32'],
    ['nested', 'INT32'],
    ['text', 'INT32'],
  ])
  // What GenomicsDB stores of `|2.1,1`: an allele without a tuple, then one.
  const cellOf = (none: number, value: Uint8Array) =>
    bytes(u64Bytes(8), u32Bytes(none), value, u64Bytes(2), u64Bytes(0), u64Bytes(4), u64Bytes(8))
  const cells = [cellOf(0x7f800001, new Uint8Array(Float32Array.of(2.5).buffer)), cellOf(0x80000000, u32Bytes(1))]
  const lists = cells.map((data, i) => {
    const field = fields[i]
    const column = { data, starts: Float64Array.of(0, data.length), validity: undefined }
    return field && listsOf(field)?.(column, 0)
  })
  expect(lists).toEqual([
    [[null], [2.5]],
    [[null], [1]],
  ])
})
