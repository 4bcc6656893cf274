import { datatypeKind } from '../../src/format/datatype.ts'
import { get, items, type Json } from '../helpers/json.ts'
import type { Differences } from './differences.ts'
import type { ExpectedMetadata } from './expected.ts'

/** Key-value metadata of an array or group, as `metadata` prints it. */
export function compareKeyValues(
  got: Json | undefined,
  want: Record<string, ExpectedMetadata>,
  found: Differences,
): void {
  const printed = get(got, 'metadata')
  found.equal(Object.keys(printed ?? {}).sort(), Object.keys(want).sort(), 'metadata keys')
  for (const [key, { type, num, value }] of Object.entries(want)) {
    const one = get(printed, key)
    found.equal(get(one, 'type'), type, `metadata ${key}: type`)
    // An empty value is stored with 0 values; TileDB's reader then says 1.
    found.equal(get(one, 'value_num'), num, `metadata ${key}: value_num`)
    const kind = datatypeKind(type)
    // Text and bytes are one value; other types a list unless there is exactly one.
    const single = kind !== 'text' && kind !== 'bytes' && items(value).length === 1
    found.value(type, get(one, 'value'), single ? items(value)[0] : value, `metadata ${key}`)
  }
}
