import { expect, test } from '@jest/globals'
import { bytes, u32 } from '../../src/damage/bytes.ts'
import { whole } from '../check/damage.ts'
import { check } from '../check/findings.ts'
import { EDITED } from '../helpers/edit-array.ts'

const cell = (first: number, second: number): Uint8Array => bytes(u32(first), u32(0), u32(second))

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
