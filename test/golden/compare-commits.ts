import { get, items } from '../helpers/json.ts'
import type { Differences } from './differences.ts'
import type { GoldenArray } from './golden-array.ts'

/** `commits`: since version 5 every fragment that TileDB lists is made visible by some commit, and no other is. */
export async function compareCommits(array: GoldenArray, found: Differences): Promise<void> {
  const got = await array.json(['commits'], array.path, 'commits')
  const rows = items(get(got, 'commits'))
  const visible = new Set(rows.filter((row) => get(row, 'effect') === 'visible').map((row) => get(row, 'refers_to')))
  for (const { name, format_version, listed } of array.expected.fragments) {
    if (format_version < 5) continue
    found.equal(visible.has(name), listed, `some commit makes ${name} visible`)
  }
  for (const row of rows) found.equal(get(row, 'error'), undefined, `error in ${String(get(row, 'file'))}`)
}
