import type { ArraySchema } from '../../format/array-schema.ts'
import type { Part } from '../part.ts'

/*
 * The objects of SOMA: how each is stored, and which members it has.
 *
 * Source: TileDB-SOMA, encoding_specification.md; the model in SOMA, abstract_specification.md.
 */

/** How TileDB stores an object. */
export type Storing = 'group' | 'sparse' | 'dense'

interface ObjectRow {
  storing: Storing
  /** Members that it must have, and what each of them is. */
  needs?: Readonly<Record<string, SomaType>>
  /** Members that it may have, and what each of them is. */
  may?: Readonly<Record<string, SomaType>>
  /** What all of its members are. */
  members?: SomaType
}

export const SOMA_OBJECTS = {
  SOMAExperiment: {
    storing: 'group',
    needs: { obs: 'SOMADataFrame', ms: 'SOMACollection' },
    may: { spatial: 'SOMACollection', obs_spatial_presence: 'SOMADataFrame', uns: 'SOMACollection' },
  },
  SOMAMeasurement: {
    storing: 'group',
    needs: { var: 'SOMADataFrame' },
    may: {
      X: 'SOMACollection',
      obsm: 'SOMACollection',
      obsp: 'SOMACollection',
      varm: 'SOMACollection',
      varp: 'SOMACollection',
      uns: 'SOMACollection',
      var_spatial_presence: 'SOMADataFrame',
    },
  },
  SOMACollection: { storing: 'group' },
  SOMADataFrame: { storing: 'sparse' },
  SOMASparseNDArray: { storing: 'sparse' },
  SOMADenseNDArray: { storing: 'dense' },
  SOMAScene: { storing: 'group' },
  SOMAMultiscaleImage: { storing: 'group' },
  SOMAPointCloudDataFrame: { storing: 'sparse' },
  SOMAGeometryDataFrame: { storing: 'sparse' },
} as const satisfies Readonly<Record<string, ObjectRow>>

export type SomaType =
  | 'SOMAExperiment'
  | 'SOMAMeasurement'
  | 'SOMACollection'
  | 'SOMADataFrame'
  | 'SOMASparseNDArray'
  | 'SOMADenseNDArray'
  | 'SOMAScene'
  | 'SOMAMultiscaleImage'
  | 'SOMAPointCloudDataFrame'
  | 'SOMAGeometryDataFrame'

export function rowOf(type: SomaType): ObjectRow {
  return SOMA_OBJECTS[type]
}

export function isSomaType(type: string | undefined): type is SomaType {
  return type !== undefined && Object.hasOwn(SOMA_OBJECTS, type)
}

export const OBJECT_TYPE = 'soma_object_type'
export const ENCODING_VERSION = 'soma_encoding_version'
export const SPATIAL_VERSION = 'soma_spatial_encoding_version'
export const JOINID = 'soma_joinid'
export const DATA = 'soma_data'
/** Columns may not begin so, but for those of SOMA itself. */
export const RESERVED = 'soma_'

/** The encoding versions, and the first release of tiledbsoma that opens each: the number after `1.`. */
export const ENCODINGS: Readonly<Record<string, number>> = { '1': 0, '1.1.0': 15 }

/** The encoding version of the releases before 1.0, which had other objects: `SOMA`, `AssayMatrix` and so on. */
const OLD_ENCODING = '0'

/** Whether a dataset was written by a release before 1.0. */
export async function isBeforeOne(top: Part): Promise<boolean> {
  return (await top.text(ENCODING_VERSION)) === OLD_ENCODING
}

/** The first releases of tiledbsoma with a TileDB that reads a format version. Measured: the TileDB in each release. */
export const FORMATS: readonly { version: number; release: number }[] = [
  { version: 22, release: 13 },
  { version: 21, release: 7 },
  { version: 20, release: 5 },
  { version: 19, release: 3 },
  { version: 18, release: 1 },
]

/** What a part says that it is; undefined if it says nothing that is known. */
export async function typeOf(part: Part): Promise<SomaType | undefined> {
  const type = await part.text(OBJECT_TYPE)
  return isSomaType(type) ? type : undefined
}

/** How TileDB stores a part; undefined if nothing can be opened there. */
export async function storingOf(part: Part): Promise<Storing | undefined> {
  if (part.group) return 'group'
  return (await part.schema())?.array_type
}

/** Names of the dimensions of an array: `soma_dim_0`, `soma_dim_1`… */
export function isDimension(name: string, d: number): boolean {
  return name === `soma_dim_${d}`
}

/** Whether an array has the fields of an NDArray. */
export function isNDArray({ domain, attributes }: ArraySchema): boolean {
  return (
    domain.dimensions.every(({ name, type }, d) => isDimension(name, d) && type === 'INT64') &&
    attributes.length === 1 &&
    attributes[0]?.name === DATA
  )
}

/** The axes of the arrays in each collection of a measurement, dimension by dimension. Null for an axis of its own. */
export const AXES: Readonly<Record<string, readonly ('obs' | 'var' | null)[]>> = {
  X: ['obs', 'var'],
  obsm: ['obs', null],
  obsp: ['obs', 'obs'],
  varm: ['var', null],
  varp: ['var', 'var'],
}
