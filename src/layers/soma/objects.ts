import type { ArraySchema } from '../../format/array-schema.ts'
import type { DatasetPart } from '../part.ts'

/*
 * The objects of SOMA: how each is stored, and which members it has.
 *
 * Sources: encoding_specification.md of TileDB-SOMA, and for the model abstract_specification.md of SOMA.
 */

/** How TileDB stores an object. */
export type Storing = 'group' | 'sparse' | 'dense'

interface ObjectRow {
  storing: Storing
  /** Members that it must have, and the type of each. */
  needs?: Readonly<Record<string, SomaType>>
  /** Members that it may have, and the type of each. */
  may?: Readonly<Record<string, SomaType>>
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
/** Only the columns of SOMA itself may have names that begin with this. */
export const RESERVED = 'soma_'

/** For each encoding version: the first release of tiledbsoma that opens it, as the number after `1.`. */
export const ENCODINGS: Readonly<Record<string, number>> = { '1': 0, '1.1.0': 15 }

/** The encoding version of the releases before 1.0, which had other objects: `SOMA`, `AssayMatrix` and so on. */
const OLD_ENCODING = '0'

/** Whether a dataset was written by a release before 1.0. */
export async function isBeforeOne(top: DatasetPart): Promise<boolean> {
  return (await top.text(ENCODING_VERSION)) === OLD_ENCODING
}

/** For each format version: the first release of tiledbsoma whose TileDB reads it, as the number after `1.`. Measured. */
export const FORMAT_RELEASES: readonly { version: number; release: number }[] = [
  { version: 22, release: 13 },
  { version: 21, release: 7 },
  { version: 20, release: 5 },
  { version: 19, release: 3 },
  { version: 18, release: 1 },
]

/** The type that a part says it has; undefined if it says none, or an unknown one. */
export async function typeOf(part: DatasetPart): Promise<SomaType | undefined> {
  const type = await part.text(OBJECT_TYPE)
  return isSomaType(type) ? type : undefined
}

/** How TileDB stores a part; undefined if nothing can be opened there. */
export async function storingOf(part: DatasetPart): Promise<Storing | undefined> {
  if (part.group) return 'group'
  return (await part.schema())?.array_type
}

/** Whether a name is that of dimension `d` of an NDArray: `soma_dim_0`, `soma_dim_1`… */
export function isDimension(name: string, d: number): boolean {
  return name === `soma_dim_${d}`
}

/** Whether an array has the fields that an NDArray has. */
export function isNDArray({ domain, attributes }: ArraySchema): boolean {
  return (
    domain.dimensions.every(({ name, type }, d) => isDimension(name, d) && type === 'INT64') &&
    attributes.length === 1 &&
    attributes[0]?.name === DATA
  )
}

/**
 * For each collection of a measurement: what the dimensions of its arrays count, the rows of `obs` or of `var`. Null for something
 * that only the array itself has.
 */
export const AXES: Readonly<Record<string, readonly ('obs' | 'var' | null)[]>> = {
  X: ['obs', 'var'],
  obsm: ['obs', null],
  obsp: ['obs', 'obs'],
  varm: ['var', null],
  varp: ['var', 'var'],
}
