import { readFileSync } from 'node:fs'
import type { Datatype } from '../../src/format/datatype.ts'
import { type Json, parseJson } from '../helpers/json.ts'

/** The shape of `<case>.expected.json`, as far as it is compared: see test/fixtures/README.md. */
export interface ExpectedArray {
  schema: ExpectedSchema
  /** By schema file, where there are several. */
  schemas?: Record<string, { schema: ExpectedSchema }>
  format_version: number
  fragments: ExpectedFragment[]
  metadata: Record<string, ExpectedMetadata>
  enumerations: Record<string, { type: Datatype; ordered: boolean; values: Json[] }>
  dimension_labels?: ExpectedLabel[]
  tags?: string[]
}

export interface ExpectedGroup {
  object: 'group'
  metadata?: Record<string, ExpectedMetadata>
  members?: { uri: string; name: string | null; type: 'array' | 'group' }[]
  /** By path inside the group. */
  arrays: Record<string, ExpectedArray>
}

export type ExpectedCase = { key: string | null; tags?: string[] } & (ExpectedArray | ExpectedGroup)

export interface ExpectedSchema {
  array_type: 'dense' | 'sparse'
  cell_order: string
  tile_order: string
  capacity: number
  allows_duplicates: boolean
  version: number
  dims: ExpectedDimension[]
  attrs: ExpectedAttribute[]
  coords_filters: ExpectedFilter[]
  coords_max_chunk_size: number
  offsets_filters: ExpectedFilter[]
  offsets_max_chunk_size: number
  validity_filters: ExpectedFilter[]
  validity_max_chunk_size: number
  current_domain: Record<string, Json> | null
}

export interface ExpectedFilter {
  name: string
  [option: string]: Json
}

export interface ExpectedDimension {
  name: string
  type: Datatype
  var: boolean
  domain: Json[] | null
  tile: Json
  filters: ExpectedFilter[]
  max_chunk_size: number
}

export interface ExpectedAttribute {
  name: string
  type: Datatype
  cell_val_num: number | 'var'
  nullable: boolean
  fill: Json
  fill_valid?: boolean
  enumeration: string | null
  filters: ExpectedFilter[]
  max_chunk_size: number
}

export interface ExpectedLabel {
  name: string
  dim: number
  order: string
  type: string
  attr: string
  uri: string
  array?: ExpectedArray
}

export interface ExpectedMetadata {
  type: Datatype
  num: number
  value: Json
}

export interface ExpectedFragment {
  name: string
  schema_name: string
  format_version: number
  dense: boolean
  timestamp_range: [number, number]
  cell_num: number
  nonempty_domain: Json[] | null
  mbrs: Json[] | null
  has_consolidated_metadata: boolean | null
  listed: boolean
  files: string[]
  order: string
  cells: ExpectedCells | null
  cell_timestamps?: Json[]
  cells_note?: string
  cells_as_of?: Record<string, ExpectedCells & { why?: string }>
  unreadable?: Record<string, string>
}

export interface ExpectedCells {
  coords: Record<string, Json>
  attrs: Record<string, Json>
}

/** A column that is too long to be written out. */
export interface ExpectedDigest {
  count: number
  sha256: string
  lengths_sha256?: string
  validity_sha256?: string
  head: Json[]
  tail: Json[]
}

/** The expected file is ours to trust: test/fixtures/make.py wrote it, and its shape is the one above. */
export function readExpected(path: string): ExpectedCase {
  const parsed: unknown = parseJson(readFileSync(path, 'utf8'))
  return parsed as ExpectedCase
}

/** The schema that a fragment was written with. */
export function schemaOf(array: ExpectedArray, fragment: ExpectedFragment): ExpectedSchema {
  return array.schemas?.[fragment.schema_name]?.schema ?? array.schema
}

/** Type and shape of a field's cells. */
export interface FieldType {
  type: Datatype
  cell_val_num: number | 'var'
}

export function fieldTypes(schema: ExpectedSchema): Map<string, FieldType> {
  const types = new Map<string, FieldType>()
  for (const { name, type, var: varSized } of schema.dims) types.set(name, { type, cell_val_num: varSized ? 'var' : 1 })
  for (const { name, type, cell_val_num } of schema.attrs) types.set(name, { type, cell_val_num })
  return types
}
