import { element } from '../../base/element.ts'
import type { CellValNum } from '../cell-val-num.ts'
import { type Datatype, datatypeSize } from '../datatype.ts'
import { type AnyIo, type Describe, lengthAndBytes } from '../io.ts'
import { u32 } from '../u32.ts'
import {
  type Compression,
  compressionCoding,
  isVersionWord,
  levelCoding,
  oldCellValNumCoding,
  oldDatatypeCoding,
  oldLayoutCoding,
  schemaVersionCoding,
} from './codings.ts'

/** Name of the file with the schema, in the folder of the array. */
export const GENOMICSDB_SCHEMA_FILE = '__array_schema.tdb'

/** Name of the coordinates, as a field and as a file. */
export const COORDS = '__coords'

const typeEntry = (io: AnyIo) => ({ type: io.coded('type', 'uint8', oldDatatypeCoding, 'of the elements') })
const valNumEntry = (io: AnyIo) => ({
  cell_val_num: io.coded('cell_val_num', 'uint32', oldCellValNumCoding, 'values in a cell'),
})
const compressionEntry = (io: AnyIo) => ({
  compression: io.coded('compression', 'uint8', compressionCoding, 'of the tiles'),
})
const levelEntry = (io: AnyIo) => ({ level: io.coded('level', 'uint8', levelCoding, 'of the compressor') })

/**
 * The whole of `__array_schema.tdb`, as TileDB before 1.0 and GenomicsDB write it. It is not compressed.
 *
 * Version 1 added the levels, version 2 the compression of offsets. A schema without a version word also lacks the workspace.
 *
 * @param hasVersion whether the first word is a version: see {@link genomicsdbSchemaOf}
 * @see OmicsDataAutomation/TileDB, core/src/array/array_schema.cc, serialize
 */
export function genomicsdbSchema(hasVersion: boolean) {
  return (io: AnyIo) => {
    const version = hasVersion ? io.coded('version', 'uint32', schemaVersionCoding, 'version of the schema') : undefined
    const workspace = hasVersion ? io.string('workspace', 'uint32', 'path of the workspace, mostly empty') : undefined
    const name = io.string('name', 'uint32', 'path of the array when it was made; not changed by a move')
    const dense = io.flag('dense', 'whether every cell of the domain has a place')
    const tile_order = io.coded('tile_order', 'uint8', oldLayoutCoding, 'order of tiles in dense arrays')
    const cell_order = io.coded('cell_order', 'uint8', oldLayoutCoding, 'order of cells in a fragment')
    const capacity = io.size('capacity', 'cells: in a tile, except the last')
    io.require(capacity > 0, 'capacity', () => ({ expected: '1 or more cells', found: capacity }))
    const attributeNum = io.derive('attribute_num', 'uint32', (s) => s.attributes.length, 'attributes')
    const attributes = io.strings('attributes', attributeNum, 'uint32', 'names')
    const dimNum = io.derive('dim_num', 'uint32', (s) => s.dimensions.length, 'dimensions')
    io.require(dimNum > 0, 'dim_num', () => ({ expected: '1 or more dimensions', found: dimNum }))
    const dimensions = io.strings('dimensions', dimNum, 'uint32', 'names')
    const domain = lengthAndBytes(io, 'domain', 'uint32', 'lowest and highest value of each dimension')
    const tile_extents = lengthAndBytes(io, 'tile_extents', 'uint32', 'one a dimension; none in irregular tiles')
    const types = io.list('types', attributeNum + 1, typeEntry, 'one an attribute, then that of coordinates')
    const valueBytes = datatypeSize(element(types, attributeNum).type) * dimNum
    const domainBytes = 2 * valueBytes
    io.require(domain.length === domainBytes, 'domain', () => ({
      expected: `${domainBytes} bytes of domain, as coordinates have this type`,
      found: domain.length,
    }))
    io.require(tile_extents.length === 0 || tile_extents.length === valueBytes, 'tile_extents', () => ({
      expected: `0 or ${valueBytes} bytes of tile extents, as coordinates have this type`,
      found: tile_extents.length,
    }))
    const stored = version ?? 0
    const cell_val_nums = io.list('cell_val_nums', attributeNum, valNumEntry, 'one an attribute')
    const compressions = io.list('compressions', attributeNum + 1, compressionEntry, 'as the types')
    const levels = stored >= 1 ? io.list('levels', attributeNum + 1, levelEntry, 'as the types') : undefined
    const offsets =
      stored >= 2
        ? {
            offsets_compressions: io.list('offsets_compressions', attributeNum, compressionEntry, 'one an attribute'),
            offsets_levels: io.list('offsets_levels', attributeNum, levelEntry, 'one an attribute'),
          }
        : undefined
    return {
      ...(version !== undefined && { version, workspace }),
      name,
      dense,
      tile_order,
      cell_order,
      capacity,
      attributes,
      dimensions,
      domain,
      tile_extents,
      types,
      cell_val_nums,
      compressions,
      ...(levels && { levels }),
      ...offsets,
    }
  }
}

export type GenomicsdbSchema = ReturnType<ReturnType<typeof genomicsdbSchema>>

/** The description for a schema with these first bytes. */
export function genomicsdbSchemaOf(bytes: Uint8Array): Describe<GenomicsdbSchema> {
  return genomicsdbSchema(bytes.length >= 4 && isVersionWord(u32(bytes, 0)))
}

/** An attribute, or the coordinates. */
export interface GenomicsdbField {
  name: string
  type: Datatype
  /** Values in a cell. Coordinates have one for each dimension. */
  cell_val_num: CellValNum
  compression: Compression
  /** Undefined in version 0. */
  level: number | undefined
  /** Compression of the file with the offsets of var-sized cells; undefined for fixed-sized ones. */
  offsets: { compression: Compression; level: number | undefined } | undefined
}

/** The attributes in their order, then the coordinates. The lists of the schema and of the book-keeping have this order. */
export function genomicsdbFields(schema: GenomicsdbSchema): GenomicsdbField[] {
  const { attributes, dimensions, types, cell_val_nums, compressions, levels } = schema
  return [...attributes, COORDS].map((name, i) => {
    const cell_val_num = cell_val_nums[i]?.cell_val_num ?? dimensions.length
    const { compression } = element(compressions, i)
    const level = levels?.[i]?.level
    const ofOffsets = schema.offsets_compressions?.[i]
    // Before version 2 offsets are compressed like the values.
    const offsets = ofOffsets
      ? { compression: ofOffsets.compression, level: schema.offsets_levels?.[i]?.level }
      : { compression, level }
    return {
      name,
      type: element(types, i).type,
      cell_val_num,
      compression,
      level,
      offsets: cell_val_num === 'var' ? offsets : undefined,
    }
  })
}

/** A dimension of an array, in the shape that ranges and columns have. */
export interface GenomicsdbDimension {
  name: string
  type: Datatype
  cell_val_num: 1
}

export function genomicsdbDimensions({ dimensions, types }: GenomicsdbSchema): GenomicsdbDimension[] {
  const { type } = element(types, types.length - 1)
  return dimensions.map((name) => ({ name, type, cell_val_num: 1 }))
}
