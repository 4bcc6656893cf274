import { get, parseJson } from '../helpers/json.ts'
import type { Differences } from './differences.ts'
import { type GoldenArray, Refused } from './golden-array.ts'

/** `verify-checksums --deep --all`: an intact array is found intact, a column that nobody can read is reported. */
export async function compareChecksums(array: GoldenArray, found: Differences): Promise<void> {
  const ran = await array.run(['verify-checksums', '--deep', '--all', '--json', '--quiet', array.path])
  const damaged = array.expected.fragments.some(({ unreadable }) => Object.keys(unreadable ?? {}).length > 0)
  if (ran.code !== 0 && ran.code !== 1) throw new Refused(`verify-checksums: exit ${ran.code}: ${ran.stderr.trim()}`)
  const got = parseJson(ran.text)
  found.equal(get(got, 'ok'), !damaged, 'verify-checksums: ok')
  found.equal(ran.code, damaged ? 1 : 0, 'verify-checksums: exit code')
  found.equal(get(got, 'schema_version'), 1, 'verify-checksums: schema_version')
  if (!damaged) found.equal(get(got, 'failures'), [], 'verify-checksums: failures')
}
