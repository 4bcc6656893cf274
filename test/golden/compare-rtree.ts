import { get, items, type Json, shown } from '../helpers/json.ts'
import type { Differences } from './differences.ts'
import { type ExpectedFragment, type ExpectedSchema, schemaOf } from './expected.ts'
import type { GoldenArray } from './golden-array.ts'
import { compareValues } from './values.ts'

/** Since this version boxes of strings are right. Before, the maximum of a box may differ from that of the boxes below it. */
const RIGHT_STRING_BOXES = 10

/** `rtree`: the leaves are TileDB's MBRs, and every box above is the hull of those below it. */
export async function compareRtree(array: GoldenArray, found: Differences): Promise<void> {
  for (const want of array.expected.fragments) await compareFragment(array, want, found)
}

async function compareFragment(array: GoldenArray, want: ExpectedFragment, found: Differences): Promise<void> {
  const got = await array.json(['rtree'], array.fragmentPath(want), 'rtree')
  const schema = schemaOf(array.expected, want)
  const levels = items(get(got, 'levels'))
  const leaves = items(levels.at(-1))
  found.equal(get(got, 'level_num'), levels.length, 'level_num')
  found.equal(get(got, 'mbr_num'), leaves.length, 'mbr_num')
  if (want.dense) {
    found.equal(levels.length, 0, `levels of the dense fragment ${want.name}`)
    return
  }
  if (want.mbrs) {
    found.equal(leaves.length, want.mbrs.length, `number of MBRs of ${want.name}`)
    want.mbrs.forEach((mbr, tile) => {
      schema.dims.forEach(({ name, type }, d) => {
        found.value(type, items(leaves[tile])[d], items(mbr)[d], `MBR of tile ${tile} of ${want.name} in ${name}`)
      })
    })
  }
  levels.slice(1).forEach((below, i) => {
    compareLevels(items(levels[i]), items(below), Number(get(got, 'fanout')), schema, want, found)
  })
}

/** Compares the boxes of a level with the hulls of `fanout` boxes below each. */
function compareLevels(
  above: readonly Json[],
  below: readonly Json[],
  fanout: number,
  schema: ExpectedSchema,
  want: ExpectedFragment,
  found: Differences,
): void {
  found.equal(above.length, Math.ceil(below.length / fanout), `boxes over ${below.length} boxes of ${want.name}`)
  above.forEach((box, i) => {
    const inside = below.slice(i * fanout, (i + 1) * fanout)
    schema.dims.forEach((dimension, d) => {
      if (dimension.var && want.format_version < RIGHT_STRING_BOXES) return
      const lows = inside.map((one) => items(items(one)[d])[0]).sort(compareValues)
      const highs = inside.map((one) => items(items(one)[d])[1]).sort(compareValues)
      const hull = [lows[0], highs[highs.length - 1]]
      const same = shown(items(box)[d]) === shown(hull)
      found.need(
        same,
        () => `box ${i} over ${below.length} of ${want.name}: ${shown(items(box)[d])}, hull ${shown(hull)}`,
      )
    })
  })
}
