import { get, items, type Json } from '../helpers/json.ts'
import { compareKeyValues } from './compare-metadata.ts'
import type { Differences } from './differences.ts'
import type { ExpectedGroup } from './expected.ts'
import { oneDocument } from './golden-array.ts'

/** `ls <group>` and `metadata <group>`. */
export async function compareGroup(
  path: string,
  key: string | null,
  want: ExpectedGroup,
  found: Differences,
): Promise<void> {
  const got = await oneDocument(key, ['ls'], path, 'group')
  // Groups have metadata since TileDB 2.8.
  if (want.metadata) {
    compareKeyValues(got, want.metadata, found)
    compareKeyValues(await oneDocument(key, ['metadata'], path, 'metadata'), want.metadata, found)
  }
  if (!want.members) return
  const printed = items(get(got, 'members')).map((m) => line(get(m, 'uri'), get(m, 'name'), get(m, 'type')))
  found.equal(printed.sort(), want.members.map((m) => line(m.uri, m.name, m.type)).sort(), 'members')
}

/** A member; the expected files have the last part of its URI. */
function line(uri: Json | undefined, name: Json | undefined, type: Json | undefined): string {
  return `${String(uri).replace(/\/+$/, '').split('/').at(-1)} ${String(name)} ${String(type)}`
}
