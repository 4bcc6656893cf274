import { readdirSync, statSync } from 'node:fs'
import { get, items, type Json } from '../helpers/json.ts'
import type { Differences } from './differences.ts'
import { type ExpectedFragment, schemaOf } from './expected.ts'
import type { GoldenArray } from './golden-array.ts'

/** `ls <array>`: every fragment on disk, and what TileDB's FragmentInfo says of it; `ls <fragment>`: its files. */
export async function compareLs(array: GoldenArray, found: Differences): Promise<void> {
  const got = await array.json(['ls'], array.path, 'array')
  const listed = items(get(got, 'fragments'))
  found.equal(get(got, 'array_type'), array.expected.schema.array_type, 'array_type')
  found.equal(get(got, 'format_version'), array.expected.schema.version, 'format_version')
  const names = listed.map((one) => String(get(one, 'name')))
  found.equal([...names].sort(), array.expected.fragments.map(({ name }) => name).sort(), 'fragments')
  let size = 0
  for (const want of array.expected.fragments) {
    const one = listed[names.indexOf(want.name)]
    compareFragment(array, one, want, found)
    const bytes = folderSize(array.fragmentPath(want))
    found.equal(get(one, 'size'), bytes, `size of ${want.name}`)
    size += bytes
  }
  found.equal(get(got, 'total_size'), size, 'total_size')
  compareOrder(listed, found)
  compareOverlaps(got, array, found)
  for (const want of array.expected.fragments) await compareFiles(array, want, found)
}

function compareFragment(array: GoldenArray, got: Json | undefined, want: ExpectedFragment, found: Differences): void {
  for (const key of ['format_version', 'dense', 'timestamp_range', 'cell_num'] as const) {
    found.equal(get(got, key), want[key], `${key} of ${want.name}`)
  }
  found.equal(get(got, 'path'), array.fragmentPath(want), `path of ${want.name}`)
  found.equal(get(got, 'array_schema_name'), want.schema_name, `schema of ${want.name}`)
  found.equal(get(got, 'visible'), want.listed, `visible (TileDB lists it) of ${want.name}`)
  found.need(!want.listed || get(got, 'state') === 'live', () => `state of ${want.name}, which TileDB lists`)
  if (want.has_consolidated_metadata !== null) {
    const has = get(got, 'has_consolidated_metadata')
    found.equal(has, want.has_consolidated_metadata, `has_consolidated_metadata of ${want.name}`)
  }
  if (want.format_version >= 3) {
    const [first, last] = want.timestamp_range
    found.equal(get(got, 'consolidated'), first !== last, `consolidated of ${want.name}`)
  }
  compareDomain(get(got, 'nonempty_domain'), array, want, found)
  const schema = schemaOf(array.expected, want)
  if (!want.dense) {
    found.equal(get(got, 'tile_num'), Math.ceil(want.cell_num / Number(schema.capacity)), `tile_num of ${want.name}`)
    found.equal(get(got, 'cells_in_domain'), want.cell_num, `cells_in_domain of ${want.name}`)
  }
}

/** One pair a dimension, each of the dimension's type. */
export function compareDomain(
  got: Json | undefined,
  array: GoldenArray,
  want: ExpectedFragment,
  found: Differences,
): void {
  const pairs = want.nonempty_domain
  if (pairs === null) return
  found.equal(items(got).length, pairs.length, `non-empty domain of ${want.name}`)
  schemaOf(array.expected, want).dims.forEach(({ name, type }, d) => {
    found.value(type, items(got)[d], pairs[d], `non-empty domain of ${want.name} in ${name}`)
  })
}

/** Domains of numbers that share a value in every dimension, of the fragments that TileDB lists. */
function compareOverlaps(got: Json, array: GoldenArray, found: Differences): void {
  const boxes: [string, bigint[][]][] = []
  for (const { name, nonempty_domain, listed } of array.expected.fragments) {
    if (!listed || nonempty_domain === null) continue
    const ends = nonempty_domain.map((pair) => items(pair))
    if (!ends.flat().every((end) => typeof end === 'bigint' || Number.isInteger(end))) return
    boxes.push([name, ends.map((pair) => pair.map((end) => (typeof end === 'bigint' ? end : BigInt(Number(end)))))])
  }
  const pairs = boxes.flatMap(([a, one], i) =>
    boxes
      .slice(i + 1)
      .filter(([, other]) => one.every(([low, high], d) => low <= other[d][1] && other[d][0] <= high))
      .map(([b]) => [a, b].sort().join(' ')),
  )
  const named = items(get(got, 'overlap_pairs')).map((pair) => items(pair).map(String).sort().join(' '))
  found.equal([...named].sort(), [...pairs].sort(), 'overlaps')
  found.equal(get(got, 'overlap_pair_num'), pairs.length, 'overlap_pair_num')
}

function compareOrder(listed: readonly Json[], found: Differences): void {
  const stamps = listed.map((one) => items(get(one, 'timestamp_range')).map(Number))
  stamps.slice(1).forEach(([first, last], i) => {
    const [firstBefore, lastBefore] = stamps[i]
    const falls = firstBefore > first || (firstBefore === first && lastBefore > last)
    found.need(!falls, () => `fragments are not in the order of their timestamps: ${stamps.join(' ')}`)
  })
}

async function compareFiles(array: GoldenArray, want: ExpectedFragment, found: Differences): Promise<void> {
  const path = array.fragmentPath(want)
  const got = await array.json(['ls'], path, 'fragment')
  const files = items(get(got, 'files'))
  const names = files.map((file) => String(get(file, 'name')))
  found.equal([...names].sort(), [...want.files].sort(), `files of ${want.name}`)
  for (const file of files) {
    const name = String(get(file, 'name'))
    found.equal(get(file, 'size'), statSync(`${path}/${name}`).size, `size of ${name} of ${want.name}`)
    found.need(get(file, 'role') !== 'unknown', () => `${name} of ${want.name}: role unknown`)
  }
}

function folderSize(path: string): number {
  return readdirSync(path).reduce((bytes, name) => bytes + statSync(`${path}/${name}`).size, 0)
}
