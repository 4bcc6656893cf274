import { unlessFault } from '../base/errors.ts'
import { hasChecksum } from '../filters/registry.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { tilingOf } from '../format/dense-tiles.ts'
import type { Target } from '../objects/target.ts'

/**
 * Changes that the sum of a tile does not show, because SCALE_FLOAT may have rounded each cell by half a step after TileDB computed the sum.
 * Checksums do show them.
 */
export async function roundedSums(target: Target): Promise<string[]> {
  const schema = (await openedSchema(target).catch(unlessFault))?.schema
  if (!schema) return []
  const { dimensions } = schema.domain
  const isDense = schema.array_type === 'dense'
  const cells = isDense
    ? dimensions.reduce((all, one) => all * Number(tilingOf(one).extent), 1)
    : Number(schema.capacity)
  const least = schema.attributes.flatMap(({ name, filters: { filters } }) => {
    const { scale } = filters.find((one) => one.name === 'SCALE_FLOAT') ?? {}
    if (scale === undefined || hasChecksum(filters)) return []
    return `${Number(((cells * Math.abs(scale)) / 2).toPrecision(3))} (${name || '""'})`
  })
  return least.length === 0
    ? []
    : [`changes of a tile's sum by less than ${least.join(', ')}, which SCALE_FLOAT may have made`]
}

async function openedSchema(target: Target): Promise<{ schema: ArraySchema } | undefined> {
  if (target.type === 'array') return target.array.newestSchema()
  return target.type === 'fragment' ? target.fragment.info() : undefined
}
