import { InspectError, orError, unlessFault } from '../base/errors.ts'
import { nameOf } from '../base/paths.ts'
import { shellWord } from '../base/shell-word.ts'
import { walk } from '../base/walk.ts'
import { arrayOverview } from '../calls/array-overview.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type LayeredTarget, layeredTarget } from '../calls/layer-part.ts'
import { entryOf, examineFragment } from '../calls/listed-fragment.ts'
import type { Outcome } from '../calls/outcome.ts'
import { type CallMaker, dataText, judgement, MergedFindings, unlistedIn } from '../calls/overview-parts.ts'
import { type Takes, type TargetFor, targetFor, targetsHelp } from '../calls/targets.ts'
import { asOf, refuseTimes, type TimesOptions } from '../calls/times.ts'
import { releases } from '../calls/values.ts'
import { SEVERITIES } from '../check/codes.ts'
import { quickFragmentItems, quickGroupItems } from '../check/quick.ts'
import type { LayerPart } from '../documents/common.ts'
import type { GroupLine, GroupTotals } from '../documents/group.ts'
import type { NextCommand, OverviewDocument } from '../documents/overview.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { FRAGMENTS_FOLDER } from '../objects/commits.ts'
import { fragmentFileSizes } from '../objects/file-sizes.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import type { FileTarget, GroupTarget } from '../objects/target.ts'
import type { FindingRemedies } from '../render/views/overview.ts'

const TAKES = { array: '', fragment: '', group: '', file: 'in one of them' } as const satisfies Takes

interface OverviewOptions extends TimesOptions {
  names?: boolean
}

export const command: CommandModule<OverviewOptions> = {
  about:
    'It finds the damage that a listing and the footers show. It reads no data; check does. If a folder has the name of a command, put ./ in front, as in ./ls',
  examples: [
    ['an array', 'places'],
    ['a fragment, named by the beginning of its name', 'places/__1714'],
    ['the array as it was at that time', 'weather --as-of 2024-05-02'],
    ['for a script', 'overview --json places'],
  ],
  takesTimes: true,

  takes: TAKES,

  configure(command) {
    command
      .argument('<target...>', targetsHelp(TAKES))
      .option('--names', 'of a group or folder: its members by name, without a look into them')
  },

  async *run(cx, [path], options) {
    const target = await targetFor(cx, 'overview', TAKES, await cx.open(path))
    const { document, remedies } = await overviewOf(cx, path, target, callMaker(cx, options), options)
    yield outcome(cx, document, remedies)
  },
}

/** The overview of a target, and what to do about its findings of slow reads. */
async function overviewOf(
  cx: CommandContext,
  path: string,
  target: TargetFor<typeof TAKES>,
  call: CallMaker,
  { names = false }: OverviewOptions,
): Promise<{ document: OverviewDocument; remedies: FindingRemedies }> {
  switch (target.type) {
    case 'array': {
      const layered = await layeredTarget(target)
      const found = await arrayOverview(cx, path, target.array, call, await layered?.items())
      const described = await layered?.describe({ cell_num: found.document.cell_num })
      return { ...found, document: { ...found.document, layer: described?.layer } }
    }
    case 'fragment':
      return { document: await fragmentOverview(cx, path, target.fragment, call), remedies: new Map() }
    case 'group':
      return { document: await groupOverview(cx, path, target, call, names), remedies: new Map() }
    case 'file':
      return { document: await fileOverview(cx, path, target, call), remedies: new Map() }
  }
}

function outcome(cx: CommandContext, document: OverviewDocument, remedies: FindingRemedies): Outcome {
  if (!document.ok) cx.foundWrong()
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/overview.ts')).overviewTable(document, remedies, out),
  }
}

/** Makes commands that can be copied into a shell. Commands that take times get the times of this call. */
function callMaker(cx: CommandContext, { asOf: time, between }: TimesOptions): CallMaker {
  let times = ''
  if (between !== undefined) times = ` --between ${shellWord(between)}`
  if (time !== undefined) times = ` --as-of ${shellWord(time)}`
  return (shows, [name, ...options], path) => {
    const target = shellWord(cx.shownPath(path))
    // `./` keeps a target that begins with a dash from looking like an option.
    const call = ['tiledb-inspect', name, target.startsWith('-') ? `./${target}` : target, ...options]
    return { shows, command: call.filter((one) => one !== '').join(' ') + (TAKES_TIMES.has(name) ? times : '') }
  }
}

/** The commands with `--as-of` and `--between` that are suggested. The empty name is the overview. */
const TAKES_TIMES: ReadonlySet<string> = new Set(['', 'explain', 'ls', 'read', 'schema', 'stats'])

async function fragmentOverview(
  cx: CommandContext,
  path: string,
  fragment: Fragment,
  call: CallMaker,
): Promise<OverviewDocument> {
  const entry = await entryOf(fragment)
  const { array } = fragment
  if (array) array.cx.onFault = () => {}
  const { info, onDisk, listed } = await examineFragment(cx, fragment, entry)
  const { result } = listed
  const items = await quickFragmentItems(fragment, entry, onDisk)
  const fields = info ? await fieldSizes(fragment, info, onDisk) : []
  await fragment.close()
  const short = await shortPath(fragment, entry)
  return {
    ...documentHead('overview', cx.shownPath(path)),
    ...asOf(cx),
    target: 'fragment',
    array: array ? cx.shownPath(array.folder.path) : null,
    ...(result.format_version !== null && releases(result.format_version)),
    format_version: result.format_version,
    dense: result.dense,
    state: result.state,
    hidden_by: result.hidden_by,
    consolidated: result.consolidated,
    timestamp_range: result.timestamp_range,
    cells_in_domain: result.cells_in_domain,
    tile_num: result.tile_num,
    nonempty_domain: result.nonempty_domain,
    dimensions: info?.schema.domain.dimensions.map(({ name }) => name) ?? [],
    size: result.size,
    fields,
    ...judgement(cx, items),
    not_checked: [dataText(info?.tile_num), 'R-tree, tile offsets, statistics'],
    next: [
      ...(info ? [call('first cells', ['decode', '--limit', '10'], short)] : []),
      call('files, filters', ['ls'], short),
      call('every tile', ['check'], short),
      ...(entry ? [call('may it go?', ['why'], short)] : []),
    ],
  }
}

/** Least number of characters of an abbreviated fragment name: two underscores and a timestamp. */
const MIN_NAME = 15

/**
 * The path of a fragment with its name abbreviated, so that no other fragment of the array begins so. The path stays whole if
 * the server lists no names.
 */
async function shortPath(
  { array, folder: { name, path } }: Fragment,
  entry: FragmentEntry | undefined,
): Promise<string> {
  if (!array || !entry || path !== `${array.folder.path}/${FRAGMENTS_FOLDER}/${name}`) return path
  const others = (await array.fragmentNames()).filter((one) => one !== name)
  let length = MIN_NAME
  while (length < name.length && others.some((one) => one.startsWith(name.slice(0, length)))) length++
  return `${array.folder.path}/${name.slice(0, length)}`
}

/** Bytes of each field's files, the largest first. */
async function fieldSizes(fragment: Fragment, { slots }: FragmentInfo, sizes: ReadonlyMap<string, number>) {
  const fields = new Map<string, number>()
  for (const { name, slot } of await fragment.fieldFiles())
    fields.set(slots[slot].name, (fields.get(slots[slot].name) ?? 0) + (sizes.get(name) ?? 0))
  return Array.from(fields, ([name, size]) => ({ name, size })).sort((a, b) => b.size - a.size)
}

async function groupOverview(
  cx: CommandContext,
  path: string,
  target: GroupTarget,
  call: CallMaker,
  names: boolean,
): Promise<OverviewDocument> {
  const { group } = target
  const items = await quickGroupItems(group)
  const found = new MergedFindings()
  const layered = names ? undefined : await layeredTarget(target)
  const tree = await orError(() =>
    names ? namedMembers(cx, target, found) : examinedMembers(cx, target, found, layered),
  )
  const isLost = tree instanceof InspectError
  const seen = isLost ? NOTHING_SEEN : tree
  const { members, totals, layer } = seen
  // Without the list of members nothing follows from those that are missing.
  const own = judgement(cx, [...items, ...((!isLost && (await layered?.items())) || [])])
  const metadata = await orError(() => group.metadata())
  const finding_num = { ...own.finding_num }
  for (const severity of SEVERITIES) finding_num[severity] += (totals ?? found).finding_num[severity]
  const all = new MergedFindings()
  for (const one of [...own.findings, ...found.worst]) all.add(one)
  return {
    ...documentHead('overview', cx.shownPath(path)),
    ...asOf(cx),
    target: target.isPlain ? 'dataset' : 'group',
    members,
    totals,
    layer,
    unlisted: [...unlistedIn(items).map(cx.shownPath), ...unlistedBelow(members)],
    metadata_keys: metadata instanceof InspectError ? [] : [...metadata.keys()],
    ok: finding_num.error === 0,
    finding_num,
    findings: all.worst,
    not_examined: own.not_examined,
    not_checked: notChecked(seen),
    next: nextOfGroup(call, target, seen),
  }
}

/** What the overview of a group leaves to `check`. */
function notChecked({ members, totals }: Seen): string[] {
  if (members.length === 0) return []
  return [totals ? 'data; R-trees, tile offsets, statistics, key-value metadata of members' : 'what is in its members']
}

/** The next commands. There are always three: they have to fit on the screen. */
function nextOfGroup(call: CallMaker, { group }: GroupTarget, { members, layer }: Seen): NextCommand[] {
  const { path } = group.folder
  const all = call('all members', ['ls', '--depth', 'all', ...(group.isRecursive ? ['--recursive'] : [])], path)
  const disk = call('what fills the disk', ['stats'], path)
  if (readsElsewhere(members)) {
    const mend = call('how to mend it', ['check', '--plan'], path)
    return [all, mend, canRelocate(members) ? relocation(call, path) : disk]
  }
  const check = layer
    ? call('whether all agrees', ['check', '--level', 'cells'], path)
    : call('every tile', ['check'], path)
  return [all, disk, check]
}

/** Whether readers look for a member outside of the dataset, be it there or not. */
function readsElsewhere(lines: readonly GroupLine[]): boolean {
  return lines.some(
    ({ place, state, relative, members = [] }) =>
      place === 'elsewhere' || place === 'linked' || (state === 'missing' && !relative) || readsElsewhere(members),
  )
}

/** Whether all members can be written anew: relocation refuses a group that contains itself, and what it cannot open. */
function canRelocate(lines: readonly GroupLine[]): boolean {
  return lines.every(
    ({ state, members = [] }) =>
      (state === 'present' || state === 'missing' || state === 'other-type') && canRelocate(members),
  )
}

/** The command that writes a group anew, with all its members inside. */
function relocation(call: CallMaker, path: string): NextCommand {
  return call(
    'members inside',
    ['recover', '--relocate', '--with-members', '--to', shellWord(`${nameOf(path)}.new`)],
    path,
  )
}

/** The paths of what lies in the folders of groups, but is no member of them. What was met before has no such names. */
function unlistedBelow(members: readonly GroupLine[]): string[] {
  return members.flatMap(({ resolved, unlisted = [], members = [] }) => [
    ...unlisted.map((name) => `${resolved}/${name}`),
    ...unlistedBelow(members),
  ])
}

interface Seen {
  members: readonly GroupLine[]
  totals: GroupTotals | undefined
  layer?: LayerPart | undefined
}

const NOTHING_SEEN: Seen = { members: [], totals: undefined }

/** The members at all depths, and what an overview of each finds. */
async function examinedMembers(
  cx: CommandContext,
  target: GroupTarget,
  found: MergedFindings,
  layered: LayeredTarget | undefined,
): Promise<Seen> {
  const { DatasetSums, datasetTrees } = await import('../calls/dataset-lines.ts')
  const sums = new DatasetSums()
  const members: GroupLine[] = []
  const layer = await walk(datasetTrees(cx, target, { sums, found, layered }), (tree) => void members.push(tree))
  return { members, totals: sums.result(), layer }
}

/** The members as the group lists them. */
async function namedMembers(cx: CommandContext, target: GroupTarget, found: MergedFindings): Promise<Seen> {
  const { listedMembers } = await import('../calls/member-lines.ts')
  return { members: await collected(listedMembers(cx, target, 1, found)), totals: undefined }
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function fileOverview(
  cx: CommandContext,
  path: string,
  target: FileTarget,
  call: CallMaker,
): Promise<OverviewDocument> {
  refuseTimes(cx, 'a file')
  const { name, array, fragment } = target
  const { openAnatomy } = await import('../anatomy/files.ts')
  const { root, close } = await openAnatomy(target, cx)
  await close()
  const info = await fragment?.info().catch(unlessFault)
  const file = info && (await fragment?.fieldFiles())?.find((one) => one.name === name)
  const entry = fragment && (await entryOf(fragment))
  const items = fragment ? await quickFragmentItems(fragment, entry, await fragmentFileSizes(fragment)) : []
  const short = fragment ? `${await shortPath(fragment, entry)}/${name}` : target.path
  await fragment?.close()
  return {
    ...documentHead('overview', cx.shownPath(path)),
    target: 'file',
    file_kind: root.type,
    size: root.length,
    field: file && info ? info.slots[file.slot].name : null,
    fragment: fragment?.name ?? null,
    array: array ? cx.shownPath(array.folder.path) : null,
    ...judgement(
      cx,
      items.filter((item) => 'file' in item && item.file === target.path),
    ),
    not_checked: ['what is in the file'],
    next: [
      call('every byte', ['dump'], short),
      call('its fields', ['dump', '--tree'], short),
      ...(array && (entry || !fragment) ? [call('may it go?', ['why'], short)] : []),
    ],
  }
}
