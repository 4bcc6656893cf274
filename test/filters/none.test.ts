import { describe, expect, test } from '@jest/globals'
import { none } from '../../src/filters/none.ts'
import { bytesOf, expectRoundTrip, filterContext, loaded, shown, stored } from '../helpers/filter-context.ts'

const filter = await loaded(none)

describe('NONE', () => {
  test('stores data as it is and adds no metadata', () => {
    const parts = { metadata: [bytesOf('0a0b')], data: [bytesOf('010203'), bytesOf('04')] }
    expect(shown(stored(filter.forward(parts, { name: 'NONE' }, filterContext('INT32'))))).toEqual({
      metadata: '0a0b',
      data: '01020304',
    })
    expectRoundTrip(filter, parts, { name: 'NONE' }, filterContext('INT32'))
  })
})
