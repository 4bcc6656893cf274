import { finding, type Items } from '../../check/finding.ts'
import type { Layer, LayerDescription } from '../layer.ts'
import { MAX_NAMED, namesText } from '../names-text.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { checkJson, isObject, jsonOf } from '../text.ts'

/*
 * A data frame that TileDB-Py wrote from pandas: which dimensions were its index, and what pandas called the types of its columns.
 *
 * Source: TileDB-Py, tiledb/dataframe_.py.
 */

const FRAME = 'data frame'
/** Types of the index, by the name of the dimension. */
const INDEX = '__pandas_index_dims'
/** Types of columns, by the name of the attribute. */
const COLUMNS = '__pandas_attribute_repr'

/** pandas: a data frame. */
export const pandas: Layer = {
  async describe(part: DatasetPart): Promise<LayerDescription> {
    const index = await namesIn(part, INDEX)
    const members = new Map()
    return {
      layer: 'pandas',
      title: 'pandas',
      type: FRAME,
      version: null,
      is_version_known: true,
      facts: [{ name: 'index', value: index }],
      tables: [],
      members,
    }
  },
  check,
  async words(part) {
    const index = await namesIn(part, INDEX)
    const fields = Object.fromEntries(
      index.map((name) => [name, index.length > 1 ? 'a part of the index' : 'the index']),
    )
    return { type: FRAME, dataset_type: FRAME, cell: 'a row', fields }
  },
}

async function namesIn(part: DatasetPart, key: string): Promise<string[]> {
  const json = (await jsonOf(part, key))?.value
  return isObject(json) ? Object.keys(json) : []
}

async function* check(part: DatasetPart): Items {
  yield* checkJson(part, [INDEX, COLUMNS])
  const schema = await part.schema()
  if (!schema) return
  for (const [key, kind, fields] of [
    [INDEX, 'dimension', schema.domain.dimensions],
    [COLUMNS, 'attribute', schema.attributes],
  ] as const) {
    const names = new Set(fields.map(({ name }) => name))
    const strangers = (await namesIn(part, key)).filter((name) => !names.has(name))
    const found = namesText(fields.map(({ name }) => name || '(unnamed)')) || 'none'
    // A text of some megabytes may name any number of fields.
    for (const name of strangers.slice(0, MAX_NAMED))
      yield finding('LAYER_SCHEMA', findingPlace(part, name), `the ${kind} ${name}, as ${key} says`, found)
    const more = strangers.slice(MAX_NAMED)
    if (more.length > 0)
      yield finding('LAYER_SCHEMA', findingPlace(part, key), `more ${kind}s, as ${key} says: ${namesText(more)}`, found)
  }
}
