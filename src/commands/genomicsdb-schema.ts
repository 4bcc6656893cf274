import { documentHead } from '../calls/document-parts.ts'
import { arrayOf, type GenomicsdbHandler } from '../calls/genomicsdb.ts'
import type { HexOptions } from '../calls/hex-options.ts'
import type { DocumentHead } from '../documents/common.ts'
import type { GenomicsdbFieldDescription, GenomicsdbSchemaDocument } from '../documents/genomicsdb-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import { GENOMICSDB_SCHEMA_FILE, type GenomicsdbField } from '../format/genomicsdb/array-schema.ts'
import { cellValue, type ValueStyle } from '../format/value.ts'
import type { GenomicsdbArray } from '../genomicsdb/array.ts'

export const handler: GenomicsdbHandler<HexOptions> = {
  async *run(cx, target, _args, options) {
    const array = await arrayOf(cx, 'schema', target)
    if (options.hex) {
      const { genomicsdbFileOutcome } = await import('../calls/genomicsdb-hex.ts')
      yield* genomicsdbFileOutcome(cx, array.folder, GENOMICSDB_SCHEMA_FILE, options)
      return
    }
    const head = documentHead('genomicsdb-schema', cx.shownPath(array.folder.path))
    const document: GenomicsdbSchemaDocument = { ...head, ...schemaResult(array, cx.style) }
    yield {
      kind: 'document',
      document,
      table: async (out) => (await import('../render/views/genomicsdb.ts')).genomicsdbSchemaTable(document, out),
    }
  },
}

function schemaResult(
  { schema, dimensions, fields }: GenomicsdbArray,
  style: ValueStyle,
): Omit<GenomicsdbSchemaDocument, keyof DocumentHead> {
  const { version, workspace, name, dense, tile_order, cell_order, capacity, domain, tile_extents } = schema
  return {
    format_version: version ?? 0,
    workspace,
    name,
    array_type: dense ? 'dense' : 'sparse',
    tile_order,
    cell_order,
    capacity,
    dimensions: dimensions.map((dimension, d) => {
      const { type } = dimension
      const size = datatypeSize(type)
      const valueIn = (bytes: Uint8Array, index: number) =>
        cellValue(type, 1, bytes.subarray(index * size, (index + 1) * size), style)
      return {
        name: dimension.name,
        type,
        domain: [valueIn(domain, 2 * d), valueIn(domain, 2 * d + 1)],
        tile_extent: tile_extents.length === 0 ? null : valueIn(tile_extents, d),
      }
    }),
    fields: fields.map(fieldResult),
  }
}

function fieldResult({ offsets, ...field }: GenomicsdbField): GenomicsdbFieldDescription {
  return { ...field, offsets_compression: offsets?.compression, offsets_level: offsets?.level }
}
