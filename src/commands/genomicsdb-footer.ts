import { element } from '../base/element.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, throughGenomicsdbFragments } from '../calls/genomicsdb.ts'
import type { HexOptions } from '../calls/hex-options.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { GenomicsdbFooterDocument, GenomicsdbFooterField } from '../documents/genomicsdb-footer.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { GenomicsdbField } from '../format/genomicsdb/array-schema.ts'
import { cellValue } from '../format/value.ts'
import { columnFileSize } from '../genomicsdb/column-file.ts'
import type { GenomicsdbFragment } from '../genomicsdb/fragment.ts'

export const handler: GenomicsdbHandler<HexOptions> = {
  async *run(cx, target, _args, options) {
    if (!options.hex || target.kind === 'workspace') {
      yield* throughGenomicsdbFragments(cx, 'footer', target, (fragment) => footerOutcome(cx, fragment))
      return
    }
    const { genomicsdbBookKeepings } = await import('../calls/genomicsdb-hex.ts')
    yield* genomicsdbBookKeepings(cx, 'footer', target, options)
  },
}

async function footerOutcome(cx: CommandContext, fragment: GenomicsdbFragment): Promise<Outcome> {
  const { array, book, isMarked, time, tile_num, cell_num } = fragment
  const { dimensions } = array
  const size = datatypeSize(element(dimensions, 0).type)
  const domain = dimensions.flatMap(({ type }, d) => {
    const at = (index: number) => cellValue(type, 1, book.domain.subarray(index * size, (index + 1) * size), cx.style)
    return book.domain.length < (2 * d + 2) * size ? [] : [[at(2 * d), at(2 * d + 1)] as const]
  })
  const fields: GenomicsdbFooterField[] = []
  for (const [index, field] of array.fields.entries()) fields.push(await fieldResult(fragment, field, index))
  const document: GenomicsdbFooterDocument = {
    ...documentHead('genomicsdb-footer', cx.shownPath(fragment.folder.path)),
    marked: isMarked,
    timestamp: time,
    size: fragment.book_size,
    content_size: fragment.book_content_size,
    extra_size: fragment.book_extra_size || undefined,
    domain,
    tile_num,
    cell_num,
    last_tile_cell_num: book.last_tile_cell_num,
    fields,
  }
  const names = dimensions.map(({ name }) => name)
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/genomicsdb.ts')).genomicsdbFooterTable(document, names, out),
  }
}

async function fieldResult(
  fragment: GenomicsdbFragment,
  { name, cell_val_num }: GenomicsdbField,
  index: number,
): Promise<GenomicsdbFooterField> {
  const { book } = fragment
  const first = { name, file_size: (await columnFileSize(fragment, `${name}.tdb`)) ?? null }
  const tile_offset_num = element(book.tile_offsets, index).values.length
  if (cell_val_num !== 'var') return { ...first, tile_offset_num }
  return {
    ...first,
    file_var_size: (await columnFileSize(fragment, `${name}_var.tdb`)) ?? null,
    tile_offset_num,
    tile_var_offset_num: element(book.tile_var_offsets, index).values.length,
    tile_var_size_num: element(book.tile_var_sizes, index).values.length,
  }
}
