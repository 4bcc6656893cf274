import { finding, type Items } from '../../check/finding.ts'
import type { Layer, LayerDescription } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { factOf, factsOfKeys } from '../text.ts'
import { rowCount } from '../written.ts'

/*
 * A file that TileDB keeps as an array: one byte a cell.
 *
 * Source: TileDB, tiledb/api/c_api/filestore and tiledb/sm/misc/constants.cc.
 */

const FILE = 'file'
const SIZE = 'file_size'
const POSITION = 'position'
const CONTENTS = 'contents'
const KEYS = {
  original_file_name: 'file name',
  file_extension: 'extension',
  mime_type: 'MIME type',
  mime_encoding: 'encoding',
  [SIZE]: 'size in bytes',
}

/** Filestore: a file in an array. */
export const filestore: Layer = {
  async describe(part: DatasetPart): Promise<LayerDescription> {
    const facts = await factsOfKeys(part, KEYS)
    const members = new Map()
    return {
      layer: 'filestore',
      title: 'Filestore',
      type: FILE,
      version: null,
      is_version_known: true,
      facts,
      tables: [],
      members,
    }
  },
  check,
  async words(part) {
    const name = await factOf(part, 'original_file_name')
    return { type: FILE, dataset_type: FILE, cell: name ? `a byte of the file ${name}` : 'a byte of the file' }
  },
}

async function* check(part: DatasetPart): Items {
  const schema = await part.schema()
  if (!schema) return
  const [, ...others] = schema.domain.dimensions
  const names = [...schema.domain.dimensions, ...schema.attributes].map(({ name }) => name)
  if (others.length > 0 || schema.array_type !== 'dense' || !names.includes(CONTENTS)) {
    const found = `a ${schema.array_type} array of ${names.join(', ')}`
    yield finding('LAYER_SCHEMA', findingPlace(part), `a dense array of ${POSITION} and ${CONTENTS}`, found)
    return
  }
  const size = await factOf(part, SIZE)
  if (typeof size !== 'bigint' && !(typeof size === 'number' && Number.isInteger(size))) {
    yield finding('LAYER_METADATA', findingPlace(part, SIZE), 'a number of bytes', String(size))
    return
  }
  const written = await rowCount(part)
  if (written !== undefined && BigInt(size) > written)
    yield finding('LAYER_INCOMPLETE', findingPlace(part, SIZE), `${size} bytes, as ${SIZE} says`, written)
}
