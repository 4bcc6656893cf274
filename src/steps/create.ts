import { unexpected, usage } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { DimensionLabel } from '../format/dimension-label.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import { lockFiles, schemaFileName, schemaFiles } from '../write/array-writer.ts'
import { checkSchema } from '../write/schema-check.ts'
import { pipeline, type SchemaParts, schemaOf } from '../write/schema-document.ts'
import { StepTarget } from './step-target.ts'

const LABELS_SINCE = 18

/** Makes an array without cells, and the arrays of its dimension labels. */
export async function createArray(place: StepTarget, parts: SchemaParts, time: bigint): Promise<void> {
  if (await place.isThere()) throw usage({ expected: 'a place where nothing is yet', found: 'something there' })
  const { schema } = parts
  checkSchema(parts, true)
  for (const file of lockFiles(schema.version)) await place.write(file)
  await writeSchema(place, parts, time)
  for (const [i, label] of schema.dimension_labels.entries()) {
    const inside = new StepTarget(place.cx, place.path === '' ? label.uri : `${place.path}/${label.uri}`)
    const ofLabel = labelSchema(schema, label, `dimension_labels.${i}`)
    await writeSchema(inside, { schema: ofLabel, enumerations: [] }, time)
  }
}

/** Writes a schema and its enumerations. @returns name of the schema's file */
export async function writeSchema(place: StepTarget, parts: SchemaParts, time: bigint): Promise<string> {
  const { uuid, writing } = place.cx
  const name = schemaFileName(parts.schema.version, time, uuid)
  for (const file of await schemaFiles(parts, name, writing)) await place.write(file)
  return name
}

/** The schema of the array with a label's values, whose dimension is the index. @see tiledb/sm/array_schema/dimension_label.cc */
function labelSchema({ version, domain }: ArraySchema, label: DimensionLabel, path: string): ArraySchema {
  const { dimension_index, order, type, cell_val_num, uri, relative, external } = label
  if (version < LABELS_SINCE)
    throw unexpected(`none (dimension labels exist since format version ${LABELS_SINCE})`, label.name, path)
  const dimension = domain.dimensions[dimension_index]
  if (!dimension)
    throw unexpected(
      `a dimension from 0 to ${domain.dimensions.length - 1}`,
      String(dimension_index),
      `${path}.dimension_index`,
    )
  const kind = datatypeKind(dimension.type)
  if (kind === 'float' || kind === 'text') throw unexpected('a dimension of integers or dates', dimension.type, path)
  if (order === 'unordered') throw unexpected('increasing or decreasing', order, `${path}.order`)
  if (external || !relative || !/^__labels\/[^/]+$/.test(uri))
    throw unexpected('__labels/NAME, relative', uri, `${path}.uri`)
  const attribute = {
    name: label.attribute,
    type,
    cell_val_num,
    filters: pipeline(),
    fill_value: defaultFillValue(type, cell_val_num),
    nullable: false,
    fill_value_validity: false,
    order,
    enumeration: '',
  }
  return schemaOf(
    { version, array_type: 'dense', attributes: [attribute] },
    [{ ...dimension, name: 'index', filters: pipeline() }],
    [],
  )
}
