import { sizeText } from '../base/sizes.ts'
import { FRAGMENT_METADATA_FILE, footerPlace } from '../format/fragment-footer.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type Fragment, type FragmentInfo, slotHasFiles } from '../objects/fragment.ts'
import { mostTiles } from '../objects/may-be-refused.ts'
import type { OpenedFragment } from '../read/query.ts'
import type { FindingCode } from './codes.ts'
import { type Finding, type FindingPlace, finding } from './finding.ts'
import { checkRanges } from './schemas.ts'

/** The errors of footers that contradict themselves or their schemas. */
export function footerErrors(fragments: readonly Pick<OpenedFragment, 'fragment' | 'info'>[]): Finding[] {
  return fragments.flatMap(({ fragment, info }) => {
    const found = [...footerFindings(info, fragment, `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`)]
    return found.filter(({ severity }) => severity === 'error')
  })
}

/** A box that is too small for its cells. */
export function crowdedBox(place: FindingPlace, cells: number, room: number | bigint): Finding {
  return finding('MBR_INVALID', place, `a box with room for ${sizeText(cells)} cells`, `room for ${room}`, 'cells')
}

/** Compares a footer with the name of the fragment and with its schema. */
export function* footerFindings(info: FragmentInfo, fragment: Fragment, file: string): Generator<Finding> {
  const { schema, footer_slack } = info
  const offset = info.footer_span?.offset
  const wrong = (
    code: FindingCode,
    field: string,
    expected: string | number | bigint,
    found: string | number | bigint,
  ): Finding => finding(code, { file, offset, field }, expected, found)
  yield* versionFindings(info, fragment, { file, offset, field: 'version' })
  // TileDB wrote sparse fragments into dense arrays until 2.4 (HISTORY.md, "TileDB v2.5.0").
  const mayBeSparse = info.format_version <= 10
  if (info.dense !== (schema.array_type === 'dense') && !(mayBeSparse && !info.dense)) {
    yield wrong('FOOTER_DENSE', 'dense', `a ${schema.array_type} fragment, as its schema says`, String(info.dense))
  }
  if (!info.dense && info.nonempty_domain) {
    const place = { file, offset, field: 'nonempty_domain' }
    yield* checkRanges(schema.domain.dimensions, info.nonempty_domain, 'NONEMPTY_DOMAIN', place, 'nanDomain')
  }
  if (!info.dense && info.tile_num > 0) {
    const cells = info.last_tile_cell_num
    if (cells < 1 || cells > info.cells_per_tile)
      yield wrong('FOOTER_LAST_TILE', 'last_tile_cell_num', `1 to ${info.cells_per_tile}`, cells)
  }
  const most = mostTiles(info)
  if (info.tile_num > most)
    yield wrong(
      'TILE_OFFSETS_COUNT',
      'tile_num',
      `at most ${most}, as the largest file has ${most} bytes`,
      info.tile_num,
    )
  if (!info.footer_span) return
  if (info.null_nonempty_domain) yield wrong('FOOTER_NULL_DOMAIN', 'null_nonempty_domain', 0, 1)
  // Releases since 2.8 leave 8 bytes after the fields when they append to arrays of version 11.
  if (footer_slack > 0 && !(info.format_version === 11 && footer_slack === 8))
    yield wrong('FOOTER_SLACK', 'slack', 'no more bytes', footer_slack)
  // Decoding a footer takes longer than all the rest.
  const footer = info.dense ? info.footer : undefined
  if (footer) {
    if (footer.sparse_tile_num !== 0) yield wrong('FOOTER_IGNORED_FIELD', 'sparse_tile_num', 0, footer.sparse_tile_num)
    if (footer.last_tile_cell_num !== BigInt(info.cells_per_tile)) {
      yield wrong('FOOTER_IGNORED_FIELD', 'last_tile_cell_num', info.cells_per_tile, footer.last_tile_cell_num)
    }
  }
  for (const { list, name, size } of sizesWithoutFile(info)) yield wrong('FOOTER_FILE_SIZE', `${list}.${name}`, 0, size)
}

/** The version in a footer that its name, or what TileDB makes of the name, contradicts. */
function* versionFindings(info: FragmentInfo, fragment: Fragment, place: FindingPlace): Generator<Finding> {
  const named = fragment.parsedName?.least_version
  if (named !== undefined) {
    const versions = named >= 5 ? [named] : [named, named + 1]
    if (!versions.includes(info.format_version))
      yield finding('FOOTER_VERSION', place, `${versions.join(' or ')}, as the name says`, info.format_version)
  } else if (fragment.array) {
    const taken = nameFacts(fragment.name)?.format_version ?? info.format_version
    if (footerPlace(taken, info.schema) !== footerPlace(info.format_version, info.schema)) {
      const expected = `${taken}, as TileDB reads the name`
      yield finding('FOOTER_VERSION', place, expected, info.format_version, 'elsewhere')
    }
  }
}

/** Sizes that a footer has for files that its fields do not have. */
function* sizesWithoutFile(info: FragmentInfo): Generator<{ list: string; name: string; size: number }> {
  const { file_sizes, file_var_sizes, file_validity_sizes } = info
  for (const [i, slot] of info.slots.entries()) {
    const has = slotHasFiles(info, slot)
    const { varSized, nullable } = slot
    for (const [list, sizes, there] of [
      ['file_sizes', file_sizes, has],
      ['file_var_sizes', file_var_sizes, has && varSized],
      ['file_validity_sizes', file_validity_sizes, has && nullable],
    ] as const) {
      const size = sizes?.[i]
      if (!there && size !== undefined && size !== 0) yield { list, name: slot.name, size }
    }
  }
}
