import type { FragmentEntry, InspectArray } from '../array.ts'
import { InspectError } from '../errors.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import type { FileRole } from '../format/field-files.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import {
  type FieldFile,
  type Fragment,
  type FragmentInfo,
  filePipeline,
  slotCellSize,
  slotShape,
  storedCellNum,
} from '../fragment.ts'
import type { InspectGroup } from '../group.ts'
import type { Output, Result } from '../render/result.ts'
import type { Folder } from '../source/source.ts'
import {
  type CommandContext,
  type CommandModule,
  collect,
  documentHead,
  errorResult,
  type Outcome,
  wrongTarget,
} from './command.ts'
import { keyValueResult } from './metadata.ts'
import { parseRanges, rangeFilter } from './ranges.ts'
import { filterResult, rangesResult } from './values.ts'

interface LsOptions {
  names?: boolean
  range?: string[]
}

type Fields = { [key: string]: Result | undefined }

export const command: CommandModule<LsOptions> = {
  configure(command) {
    command
      .argument('<target...>', 'array (its fragments), fragment (its files) or group (its members)')
      .option('--names', 'names of the fragments only; opens none of them')
      .option('--range <NAME=LO..HI>', 'only fragments whose non-empty domain touches the range', collect)
  },

  async *run(cx, paths, options) {
    for (const path of paths) {
      const target = await cx.open(path)
      if (target.type === 'array') yield await arrayOutcome(cx, path, target.array, options)
      else if (target.type === 'fragment') yield await fragmentOutcome(cx, path, target.fragment)
      else if (target.type === 'group') yield await groupOutcome(cx, path, target.group)
      else throw wrongTarget('ls', target, 'an array, a fragment or a group')
    }
  },
}

async function arrayOutcome(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  options: LsOptions,
): Promise<Outcome> {
  const entries = await array.fragments()
  const head = documentHead('array', cx.shownPath(path))
  if (options.names) {
    const document = { ...head, fragments: entries.map(({ name }) => ({ name })) }
    return { document, rows: 'fragments', table: (out) => out.write(entries.map(({ name }) => `${name}\n`).join('')) }
  }
  const { schema } = await array.newestSchema()
  const dimensions = schema.domain.dimensions
  const touches = options.range ? rangeFilter(dimensions, parseRanges(dimensions, options.range)) : undefined
  const fragments: Fields[] = []
  let total_size = 0
  for (const entry of entries) {
    const fragment = array.fragment(entry.path)
    try {
      const found = await listedFragment(cx, fragment, entry)
      total_size += found.size
      if (!touches || (found.info?.nonempty_domain && touches(found.info.nonempty_domain))) fragments.push(found.result)
    } finally {
      await fragment.close()
    }
  }
  const files = await array.schemaFiles()
  const document = {
    ...head,
    array_type: schema.array_type,
    format_version: schema.version,
    encryption: await array.encryption(),
    fragments,
    schemas: files.map(({ name, timestamp_range }) => ({ name, timestamp_range: timestamp_range ?? null })),
    total_size,
  }
  return {
    document,
    rows: 'fragments',
    async table(out: Output) {
      const { arrayTable } = await import('../render/views/ls.ts')
      await arrayTable(
        document,
        dimensions.map(({ name }) => name),
        cx.full,
        out,
      )
    },
  }
}

/** F of the contract: a fragment in a listing. What cannot be read is left out, and the fault recorded. */
async function listedFragment(
  cx: CommandContext,
  fragment: Fragment,
  entry: FragmentEntry | undefined,
): Promise<{ result: Fields; size: number; info: FragmentInfo | undefined }> {
  const size = await folderSize(fragment.folder)
  let info: FragmentInfo | undefined
  let error: Fields | undefined
  try {
    if (entry?.state !== 'no-metadata') info = await fragment.info()
  } catch (caught) {
    if (!(caught instanceof InspectError)) throw caught
    const placed = new InspectError(
      caught.code,
      caught.message,
      { ...caught.at, file: caught.at.file ?? fragment.folder.path },
      { cause: caught },
    )
    // A write that never finished may lack its metadata: that is its state, not damage.
    if (!(entry && !entry.committed && caught.code === 'NOT_FOUND')) cx.fault(placed)
    error = errorResult(placed)
  }
  const result: Fields = {
    name: fragment.name,
    path: cx.shownPath(fragment.folder.path),
    format_version: info?.format_version ?? fragment.parsedName?.least_version ?? null,
    dense: info?.dense ?? null,
    timestamp_range: fragment.parsedName?.timestamp_range ?? null,
    cell_num: info ? storedCellNum(info) : null,
    cells_in_domain: info ? cellsInDomain(info) : null,
    tile_num: info?.tile_num ?? null,
    size,
    nonempty_domain: info?.nonempty_domain
      ? rangesResult(info.schema.domain.dimensions, info.nonempty_domain, cx.style)
      : null,
    array_schema_name: info?.schemaName ?? null,
    committed: entry?.committed,
    visible: entry?.visible,
    to_vacuum: entry?.to_vacuum,
    has_consolidated_metadata: entry?.has_consolidated_metadata,
    state: entry?.state,
    error,
  }
  return { result, size, info }
}

/** Cells inside the non-empty domain: all of a sparse fragment's. */
function cellsInDomain(info: FragmentInfo): number | bigint {
  if (!info.dense) return storedCellNum(info)
  if (!info.nonempty_domain) return 0
  let cells = 1n
  for (const { low, high } of denseTileGrid(info.schema, info.nonempty_domain).axes) cells *= high - low + 1n
  return cells <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(cells) : cells
}

async function folderSize(folder: Folder): Promise<number> {
  let size = 0
  for (const entry of await folder.list())
    if (entry.kind === 'file') size += await fileSize(folder, entry.name, entry.size)
  return size
}

async function fileSize(folder: Folder, name: string, known: number | undefined): Promise<number> {
  if (known !== undefined) return known
  const source = folder.file(name)
  try {
    return await source.size()
  } finally {
    await source.close()
  }
}

async function fragmentOutcome(cx: CommandContext, path: string, fragment: Fragment): Promise<Outcome> {
  const entry = await fragment.array?.fragments().then((all) => all.find(({ name }) => name === fragment.name))
  const { result, info } = await listedFragment(cx, fragment, entry)
  const files = await fragmentFiles(fragment, info)
  await fragment.close()
  for (const file of files) {
    if (file.state === 'missing' && file.role !== 'metadata') {
      const message = `expected the file ${file.name}, which the metadata lists with ${file.listed_size} bytes; found no such file`
      cx.fault(new InspectError('MISSING_FILE', message, { file: fragment.folder.path }))
    }
  }
  const document = { ...documentHead('fragment', cx.shownPath(path)), ...result, path: cx.shownPath(path), files }
  return {
    document,
    rows: 'files',
    async table(out: Output) {
      const { fragmentTable } = await import('../render/views/ls.ts')
      await fragmentTable(document, info?.schema.domain.dimensions.map(({ name }) => name) ?? [], out)
    },
  }
}

/** Files of a fragment: those that the metadata lists, then those that are only there. */
async function fragmentFiles(fragment: Fragment, info: FragmentInfo | undefined): Promise<Fields[]> {
  const there = new Map((await fragment.folder.list()).filter((e) => e.kind === 'file').map((e) => [e.name, e.size]))
  const files: Fields[] = []
  for (const listed of info ? await fragment.fieldFiles() : []) {
    const present = there.has(listed.name)
    const known = there.get(listed.name)
    there.delete(listed.name)
    if (info) {
      files.push({
        ...(await listedFile(fragment, info, listed)),
        size: present ? await fileSize(fragment.folder, listed.name, known) : null,
        listed_size: listed.size,
        state: present ? 'present' : 'missing',
      })
    }
  }
  for (const [name, known] of there) {
    const role: FileRole = name === FRAGMENT_METADATA_FILE ? 'metadata' : 'unknown'
    const size = await fileSize(fragment.folder, name, known)
    files.push({ name, field: null, role, size, state: role === 'metadata' ? 'present' : 'not-listed' })
  }
  return files
}

async function listedFile(fragment: Fragment, info: FragmentInfo, file: FieldFile): Promise<Fields> {
  const slot = info.slots[file.slot]
  return {
    name: file.name,
    field: slot.name,
    role: file.role,
    tile_num: info.tile_num,
    unfiltered_size: await unfilteredSize(fragment, info, file),
    filters: filePipeline(info, file, fragment.encrypted).map(filterResult),
  }
}

/** Bytes of a file's tiles before filtering. */
async function unfilteredSize(fragment: Fragment, info: FragmentInfo, file: FieldFile): Promise<number> {
  const slot = info.slots[file.slot]
  if (file.role === 'var') {
    const sizes = await fragment.offsets('tile_var_sizes', file.slot)
    return sizes?.reduce((sum, size) => sum + size, 0) ?? 0
  }
  const cells = storedCellNum(info)
  if (file.role === 'validity') return cells
  return cells * (slotShape(info, slot).varSized ? 8 : slotCellSize(info, slot))
}

async function groupOutcome(cx: CommandContext, path: string, group: InspectGroup): Promise<Outcome> {
  const members = await group.members()
  const document = {
    ...documentHead('group', cx.shownPath(path)),
    members: members.map(({ name, type, uri, relative }) => ({ name: name ?? null, type, uri, relative })),
    metadata: keyValueResult(await group.metadata(), cx.style),
  }
  return {
    document,
    rows: 'members',
    async table(out: Output) {
      const { groupTable } = await import('../render/views/ls.ts')
      await groupTable(document, out)
    },
  }
}
