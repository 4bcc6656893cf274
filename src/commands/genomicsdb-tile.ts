import { element } from '../base/element.ts'
import { InspectError, orError, usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { documentHead, messageOf } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, singleGenomicsdbFragment } from '../calls/genomicsdb.ts'
import type { HexOptions } from '../calls/hex-options.ts'
import { parseChoice, parseTileIndex } from '../calls/option-values.ts'
import type { GenomicsdbTileDocument } from '../documents/genomicsdb-tile.ts'
import {
  type ColumnFile,
  type ColumnRole,
  columnFiles,
  type OpenColumnFile,
  openColumnFile,
} from '../genomicsdb/column-file.ts'
import { type GenomicsdbFragment, tileCells } from '../genomicsdb/fragment.ts'
import { extraBytes } from '../genomicsdb/tile-codec.ts'

interface TileOptions extends HexOptions {
  role?: string
  bytes?: boolean
}

const ROLES: readonly ColumnRole[] = ['data', 'offsets', 'var']

export const handler: GenomicsdbHandler<TileOptions> = {
  async *run(cx, target, [field = '', indexText = '0'], { role, bytes: asBytes, ...options }) {
    if (options.hex && asBytes) throw usage('tile expects --hex or --bytes, found both')
    const fragment = await singleGenomicsdbFragment(cx, 'tile', target)
    const column = fileNamed(fragment, field, parseChoice('--role', ROLES, role))
    const { tile_num } = fragment
    const tile = parseTileIndex(indexText, tile_num)
    const files = [await openColumnFile(fragment, column)]
    try {
      if (options.hex) {
        const { genomicsdbTileHex } = await import('../calls/genomicsdb-hex.ts')
        files.push(...(await offsetsBeside(fragment, column)))
        yield await genomicsdbTileHex(cx, files, tile, options)
        return
      }
      const [file] = files as [OpenColumnFile]
      const read = await orError(() => file.read(tile))
      if (read instanceof InspectError) cx.fault(read)
      if (asBytes) {
        yield {
          kind: 'bytes',
          bytes: read instanceof InspectError ? [] : [read],
          incomplete: read instanceof InspectError,
        }
        return
      }
      const offset = element(file.starts, tile)
      const unfiltered_size = element(file.unfiltered_sizes, tile)
      const isWhole = !(read instanceof InspectError)
      const extra = isWhole ? extraBytes(column.layout, await file.stored(tile), unfiltered_size) : 0
      const document: GenomicsdbTileDocument = {
        ...documentHead('genomicsdb-tile', cx.shownPath(fragment.folder.path)),
        field: column.field.name,
        file: column.name,
        role: column.role,
        tile,
        tile_num,
        cell_num: tileCells(fragment, tile),
        compression: column.layout.compression,
        offset,
        size: element(file.starts, tile + 1) - offset,
        unfiltered_size,
        extra_size: extra || undefined,
        error: read instanceof InspectError ? { code: read.code, message: messageOf(cx, read) } : undefined,
      }
      yield {
        kind: 'document',
        document,
        table: async (out) => (await import('../render/views/genomicsdb.ts')).genomicsdbTileTable(document, out),
      }
    } finally {
      for (const file of files) await file.close()
    }
  },
}

/** The file of a field, or the file with this name. Of a var-sized field it is by default that of the values. */
function fileNamed(fragment: GenomicsdbFragment, field: string, role: ColumnRole | undefined): ColumnFile {
  const files = columnFiles(fragment)
  const byName = files.find(({ name }) => name === field)
  const ofField = files.filter((file) => file.field.name === field)
  if (!byName && ofField.length === 0) {
    const names = fragment.array.fields.map(({ name }) => name)
    const near = didYouMean(field, [...names, ...files.map(({ name }) => name)])
    const all = names.map((name) => JSON.stringify(name)).join(', ')
    throw usage({ expected: `a field (${all}) or one of its files`, found: `${JSON.stringify(field)}${near}` })
  }
  const wanted = byName ?? (role ? ofField.find((file) => file.role === role) : ofField.at(-1))
  if (wanted) return wanted
  throw usage({ expected: `a role of ${field} (${ofField.map((one) => one.role).join(', ')})`, found: String(role) })
}

/** For var-sized values the file of their offsets, if it can be opened. */
async function offsetsBeside(fragment: GenomicsdbFragment, { index, role }: ColumnFile): Promise<OpenColumnFile[]> {
  const offsets = role === 'var' && columnFiles(fragment).find((one) => one.index === index && one.role === 'offsets')
  const open = offsets ? await orError(() => openColumnFile(fragment, offsets)) : undefined
  return open && !(open instanceof InspectError) ? [open] : []
}
