import { InspectError, orError, withPlaceAsync } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import type { ArrayFragment, ArrayListing } from '../documents/array.ts'
import type { DamagedFile, ErrorInfo, ListedFragment } from '../documents/common.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { NDRange } from '../format/range.ts'
import { isConsolidatedName, parseTimestampedName } from '../format/timestamped-name.ts'
import type { FooterCopy, FragmentEntry, InspectArray } from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import { fileSizesSync, fragmentFileSizes, ratioOf, unfilteredSizeByFooter } from '../objects/file-sizes.ts'
import { type FieldFile, type Fragment, type FragmentInfo, fieldFilesOf, storedCellNum } from '../objects/fragment.ts'
import { isInWork } from '../objects/visibility.ts'
import { SHORT_HEADINGS } from '../render/views/headings.ts'
import type { FragmentColumn } from '../render/views/ls.ts'
import {
  countText,
  domainText,
  fullSizeText,
  NOTHING,
  ratioText,
  shortSizeText,
  stateRole,
  stateText,
  timeRangeText,
} from '../render/views/wording.ts'
import type { CommandContext } from './command.ts'
import { damagedFault, damagedFiles } from './damaged-files.ts'
import { errorResult } from './document-parts.ts'
import { withRefusedOpening } from './refused.ts'
import { exact, rangesResult } from './values.ts'
import { inPart } from './walkers.ts'

/*
 * A fragment in a listing: how each fact about it is found, and how the table of an array's fragments shows it.
 */

/**
 * The facts in the order of JSON and CSV. The value is the heading of the column that shows the fact, from headings.ts unless it is the key
 * itself; null if none does.
 */
export const FACTS = {
  name: 'fragment',
  path: null,
  format_version: null,
  dense: null,
  timestamp_range: SHORT_HEADINGS.timestamp_range,
  cell_num: null,
  cells_in_domain: SHORT_HEADINGS.cells_in_domain,
  tile_num: SHORT_HEADINGS.tile_num,
  size: 'size',
  data_size: null,
  unfiltered_size: null,
  ratio: 'ratio',
  damaged_files: 'state',
  nonempty_domain: SHORT_HEADINGS.nonempty_domain,
  array_schema_name: SHORT_HEADINGS.array_schema_name,
  committed: null,
  visible: null,
  to_vacuum: null,
  has_consolidated_metadata: null,
  state: 'state',
  consolidated: 'state',
  hidden_by: null,
  error: SHORT_HEADINGS.nonempty_domain,
  overlap_num: SHORT_HEADINGS.overlap_num,
  overwritten: 'state',
} as const satisfies Readonly<Record<keyof ArrayFragment, string | null>>

type ColumnName = Exclude<(typeof FACTS)[keyof typeof FACTS], null>

/** A fragment in a listing. A listing keeps it in memory until the end. */
export interface Listed {
  result: ArrayFragment
  /** Whether TileDB reads it now. */
  isRead: boolean
  domain: NDRange | undefined
  /** Why it could not be read. */
  fault: InspectError | undefined
}

/** Bytes of a fragment's files on disk, by name. */
type FileSizes = ReadonlyMap<string, number>

/**
 * A function that gives the sizes of a fragment's files. For a remote array it also takes the footers from the consolidated
 * fragment metadata, if there is any: this is one file for all fragments.
 */
export function sizesWithFooters(array: InspectArray) {
  let footers: Promise<ReadonlyMap<string, FooterCopy>> | undefined
  return async (fragment: Fragment): Promise<FileSizes> => {
    const sizes = await fragmentFileSizes(fragment)
    if (array.folder.isRemote) footers ??= array.consolidatedFooters()
    const footer = (await footers)?.get(fragment.name)
    const size = sizes.get(FRAGMENT_METADATA_FILE)
    if (footer && size !== undefined) fragment.assumeFooter(footer, size)
    return sizes
  }
}

/** A fragment's entry among the commits; undefined outside an array, or if the server lists no names. */
export async function entryOf({ array, folder }: Fragment): Promise<FragmentEntry | undefined> {
  return array?.entryOf(folder)
}

/** What {@link examineFragment} has read. */
export interface Examined {
  listed: Listed
  info: FragmentInfo | undefined
  onDisk: FileSizes
}

/**
 * Reads what a listing says about a fragment. Facts that cannot be read are left out, and `listed.fault` says why. Of nearly all local
 * fragments it reads everything at once, without a promise.
 */
export function examineFragment(
  cx: CommandContext,
  fragment: Fragment,
  entry: FragmentEntry | undefined,
  sizesOf: (fragment: Fragment) => Promise<FileSizes> = fragmentFileSizes,
): Examined | Promise<Examined> {
  // A local footer is read before the sizes: it tells the size of its file. A remote footer may come with the sizes.
  const info = entry?.state === 'no-metadata' || fragment.folder.isRemote ? undefined : fragment.infoSync()
  const onDisk = info && fileSizesSync(fragment)
  return onDisk
    ? { listed: listedFragment(cx, fragment, entry, onDisk, { info, error: undefined }), info, onDisk }
    : examineLater(cx, fragment, entry, sizesOf)
}

async function examineLater(
  cx: CommandContext,
  fragment: Fragment,
  entry: FragmentEntry | undefined,
  sizesOf: (fragment: Fragment) => Promise<FileSizes>,
): Promise<Examined> {
  const onDisk = await sizesOf(fragment)
  const found =
    entry?.state === 'no-metadata'
      ? undefined
      : await orError(() => withPlaceAsync({ file: fragment.folder.path }, () => fragment.info()))
  const error = found instanceof InspectError ? asState(found, entry) : undefined
  const info = found instanceof InspectError ? undefined : found
  const listed = listedFragment(cx, fragment, entry, onDisk, { info, error })
  if (listed.fault && listed.fault === error) listed.fault = await withRefusedOpening(fragment, error)
  return { listed, info, onDisk }
}

/** What keeps a fragment from being read. Metadata that is half written or half removed is not there yet, or no more: no damage. */
function asState(error: InspectError, entry: FragmentEntry | undefined): InspectError {
  return entry && isInWork(entry.state) ? inPart(error) : error
}

function listedFragment(
  cx: CommandContext,
  fragment: Fragment,
  entry: FragmentEntry | undefined,
  onDisk: FileSizes,
  { info, error }: { info: FragmentInfo | undefined; error: InspectError | undefined },
): Listed {
  let size = 0
  for (const one of onDisk.values()) size += one
  const inWork = entry !== undefined && isInWork(entry.state)
  // Any fragment that readers ignore may lack its metadata, because a vacuum is removing it. That is no damage.
  let fault = inWork || (error?.code === 'NOT_FOUND' && entry && !entry.isRead) ? undefined : error
  const files = info ? fieldFilesOf(info) : []
  const damaged = inWork ? [] : damagedFiles(files, onDisk)
  if (!fault && damaged.length > 0 && (entry?.isRead ?? true)) fault = damagedFault(fragment, damaged)
  const { data_size, unfiltered_size, ratio } = dataSizes(info, files, onDisk, damaged)
  const box = info?.nonempty_domain
  // The type asks for every key, so that none is forgotten.
  const result: { [Key in keyof Required<ListedFragment>]: ListedFragment[Key] } = {
    name: fragment.name,
    path: cx.shownPath(fragment.folder.path),
    format_version: info?.format_version ?? parseTimestampedName(fragment.name)?.format_version ?? null,
    dense: info?.dense ?? null,
    timestamp_range: fragment.timestamp_range ?? null,
    cell_num: info ? exact(storedCellNum(info)) : null,
    cells_in_domain: info ? exact(cellsInDomain(info, box)) : null,
    tile_num: info?.tile_num ?? null,
    size,
    data_size,
    unfiltered_size,
    ratio,
    damaged_files: damaged.length > 0 ? damaged : undefined,
    nonempty_domain: info && box ? rangesResult(info.schema.domain.dimensions, box, cx.style) : null,
    array_schema_name: info?.schemaName ?? null,
    committed: entry?.committed,
    visible: entry?.visible,
    to_vacuum: entry?.to_vacuum,
    has_consolidated_metadata: entry?.has_consolidated_metadata,
    state: entry?.state,
    consolidated: isConsolidatedName(fragment.name),
    hidden_by: entry && (entry.hidden_by ?? null),
    error: error && errorResult(cx, error),
  }
  // Copies, so that the other bytes of the file do not stay in memory.
  const domain = box?.map(({ min, max }) => ({ min: new Uint8Array(min), max: new Uint8Array(max) }))
  return { result, isRead: entry?.isRead ?? false, domain, fault }
}

/**
 * Bytes of the data files on disk, and unfiltered according to the footer. The unfiltered size is null if a field is var-sized, or
 * if bytes are missing.
 */
function dataSizes(
  info: FragmentInfo | undefined,
  files: readonly FieldFile[],
  onDisk: FileSizes,
  damaged: readonly DamagedFile[],
): Pick<ListedFragment, 'data_size' | 'unfiltered_size' | 'ratio'> {
  if (!info) return { data_size: null, unfiltered_size: null, ratio: null }
  let data_size = 0
  let unfiltered_size: number | null = damaged.length > 0 ? null : 0
  for (const file of files) {
    const unfiltered = unfilteredSizeByFooter(info, file)
    data_size += onDisk.get(file.name) ?? 0
    unfiltered_size = unfiltered_size === null || unfiltered === undefined ? null : unfiltered_size + unfiltered
  }
  const ratio = unfiltered_size === null || data_size === 0 ? null : ratioOf(unfiltered_size, data_size)
  return { data_size, unfiltered_size, ratio }
}

/**
 * The columns of the table of an array's fragments.
 * @param names the names of the dimensions
 * @param exact whether sizes and times are shown with all digits
 */
export function fragmentColumns(
  document: ArrayListing & { readonly fragments: readonly ArrayFragment[] },
  names: readonly string[],
  exact: boolean,
): FragmentColumn[] {
  const { fragments, error } = document
  const schemas = schemaNumbers(document)
  const overlapping = fragments.some(({ overlap_num }) => (overlap_num ?? 0) > 0)
  const size = exact ? fullSizeText : shortSizeText
  const right = { align: 'right' } as const
  const columns: Readonly<Record<ColumnName, Omit<FragmentColumn, 'name'>>> = {
    fragment: { role: 'field', cell: ({ name }) => name },
    state: { role: stateRole, whole: true, cell: stateText },
    cells: { ...right, cell: ({ cells_in_domain }) => countText(cells_in_domain) },
    tiles: { ...right, spare: 4, cell: ({ tile_num }) => countText(tile_num) },
    size: { ...right, cell: (fragment) => size(fragment.size) },
    ratio: {
      ...right,
      spare: 3,
      shown: fragments.some(({ ratio }) => ratio !== null),
      cell: ({ unfiltered_size, data_size }) => ratioText(unfiltered_size, data_size),
    },
    schema: {
      ...right,
      shown: schemas !== undefined,
      cell: ({ array_schema_name }) => schemas?.get(array_schema_name) ?? NOTHING,
    },
    overlaps: { ...right, shown: overlapping, cell: ({ overlap_num }) => countText(overlap_num) },
    // Aligned right, so that a narrow terminal cuts names first.
    time: { ...right, spare: 2, below: true, cell: ({ timestamp_range }) => timeRangeText(timestamp_range, exact) },
    'non-empty domain': {
      role: (cell) => (cell.startsWith('error: ') ? 'bad' : undefined),
      spare: 1,
      below: true,
      cell: (fragment) => domainOrError(fragment, error, names),
    },
  }
  return Object.entries(columns).map(([name, column]) => ({ name, ...column }))
}

/** @param shown the error of the whole array, which is shown above the table */
function domainOrError(fragment: ListedFragment, shown: ErrorInfo | undefined, names: readonly string[]): string {
  const { error } = fragment
  if (error === undefined) return domainText(names, fragment.nonempty_domain)
  const { file = '', message } = error
  if (file !== '' && file === shown?.file) return NOTHING
  const name = lastPathPart(file)
  return `error: ${name === '' || name === fragment.name ? '' : `${name}: `}${message}`
}

/** The number of each schema, such as `2/3`, by its name. Undefined if the array has only one schema. */
function schemaNumbers({ schemas }: ArrayListing): ReadonlyMap<string | null, string> | undefined {
  return schemas.length < 2 ? undefined : new Map(schemas.map(({ name }, i) => [name, `${i + 1}/${schemas.length}`]))
}
