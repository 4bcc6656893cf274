import { InspectError } from '../../src/base/errors.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import { deleteCondition, updateCondition } from '../../src/format/delete-condition.ts'
import { denseTileGrid } from '../../src/format/dense-tiles.ts'
import { filterPipeline } from '../../src/format/filter-pipeline.ts'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { fragmentFooter } from '../../src/format/fragment-footer.ts'
import { fragmentMetadataV1 } from '../../src/format/fragment-metadata-v1.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { type Describe, encode } from '../../src/format/io.ts'
import { rtree } from '../../src/format/rtree.ts'
import { collectSpecimens } from '../helpers/collect-specimens.ts'
import {
  anyCondition,
  anyDimensions,
  anyFooter,
  anyMetadataV1,
  anyPipeline,
  anyRange,
  anyRTree,
  anySchema,
  anyText,
  many,
} from '../helpers/generate.ts'
import type { Random } from '../helpers/random.ts'
import { type Specimen, specimen } from '../helpers/specimen.ts'
import { type Broken, broken } from './fuzzer.ts'
import { EXTREMES, mutateBytes } from './mutations.ts'

const byKind = new Map<string, Specimen[]>()
for (const one of await collectSpecimens()) {
  const kind = `${one.structure} ${one.version}`
  const list = byKind.get(kind)
  if (list) list.push(one)
  else byKind.set(kind, [one])
}
/** Specimens by structure and version, so that each structure and version is chosen with the same probability. */
const SPECIMENS = [...byKind.values()]

const found = (random: Random): Specimen => random.pick(random.pick(SPECIMENS))

function made<T>(structure: string, version: number, value: T, describe: Describe<T>): Specimen {
  return specimen({ structure, version, where: 'made up' }, encode(value, describe), describe)
}

/** A structure with random values. */
function generated(random: Random): Specimen {
  const version = 1 + random.below(NEWEST_FORMAT_VERSION)
  switch (random.below(7)) {
    case 0:
      return made('array schema', version, anySchema(version, random), arraySchema)
    case 1:
      return made('filter pipeline', version, anyPipeline(version)(random), filterPipeline(version))
    case 2:
      return made('delete condition', version, anyCondition(random), deleteCondition)
    case 3: {
      const values = many(random, 4, (r) => ({ field: anyText(r), value: r.bytes(r.below(9)) }))
      return made('update condition', version, { condition: anyCondition(random), values }, updateCondition)
    }
    case 4: {
      const members = many(random, 5, (r) => ({
        version: 1,
        type: r.pick(['group', 'array'] as const),
        relative: r.below(2) === 1,
        uri: anyText(r),
        name: r.below(3) === 0 ? undefined : anyText(r),
        deleted: false,
      }))
      return made('group details', 1, { version: 1, members }, groupDetails)
    }
    case 5: {
      const dimensions = anyDimensions(version, random)
      return made('rtree', version, anyRTree(version, dimensions, random), rtree(version, dimensions))
    }
    default: {
      const schema = anySchema(version, random)
      if (version < 3)
        return made('fragment metadata', version, anyMetadataV1(version, schema, random), fragmentMetadataV1(schema))
      return made('footer', version, anyFooter(version, schema, random), fragmentFooter(schema))
    }
  }
}

/** Reads the mutated bytes of a structure, writes a changed value of it, or computes the tiles of a random dense schema. */
export function fuzzStructure(random: Random): Broken | undefined {
  const one = random.below(4) === 0 ? generated(random) : found(random)
  try {
    const kind = random.below(10)
    if (kind === 0) write(random, one)
    else if (kind === 1) grid(random)
    else read(random, one)
    return undefined
  } catch (error) {
    return error instanceof InspectError ? undefined : broken(error, `${one.structure} ${one.version}, ${one.where}`)
  }
}

function read(random: Random, one: Specimen): void {
  let bytes = one.bytes
  for (let left = random.below(3); left >= 0; left--) bytes = mutateBytes(random, bytes, found(random).bytes)
  one.read(bytes)
}

function write(random: Random, one: Specimen): void {
  try {
    one.write((value) => changeSomething(random, value))
  } catch (error) {
    // The value has a shape that its description does not allow.
    if (!(error instanceof TypeError)) throw error
  }
}

/** Changes one key or element somewhere in a value. */
function changeSomething(random: Random, value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  const places = value as Record<string, unknown>
  const key = random.pick(Object.keys(places))
  if (key === undefined) return
  const here = places[key]
  if (typeof here === 'object' && here !== null && !ArrayBuffer.isView(here) && random.below(4) > 0)
    changeSomething(random, here)
  else places[key] = another(random, here)
}

function another(random: Random, value: unknown): unknown {
  if (random.below(6) === 0) return undefined
  if (typeof value === 'number') return random.pick([value + 1, -1, 0.5, Number(random.pick(EXTREMES))])
  if (typeof value === 'bigint') return random.pick([value + 1n, -1n, ...EXTREMES])
  if (typeof value === 'string') return random.pick(['', `${value}x`, 'ANY', 'é'])
  if (typeof value === 'boolean') return !value
  if (value instanceof Uint8Array) return random.bytes(random.below(value.length + 9))
  if (value instanceof Float64Array) return random.below(2) === 0 ? value.slice(1) : value.map(() => random.bits())
  if (Array.isArray(value)) return random.below(2) === 0 ? value.slice(1) : [...value, ...value.slice(0, 1)]
  return value
}

function grid(random: Random): void {
  const schema = anySchema(1 + random.below(NEWEST_FORMAT_VERSION), random)
  const { cells_per_tile, tile_num } = denseTileGrid(schema, anyRange(schema.domain.dimensions, random))
  if (!(cells_per_tile >= 1 && tile_num >= 1)) throw new Error(`${tile_num} tiles of ${cells_per_tile} cells`)
}
