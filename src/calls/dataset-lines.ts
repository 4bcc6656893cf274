import { InspectError, orError } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { nameOf } from '../base/paths.ts'
import { sum } from '../base/sum.ts'
import { SEVERITIES } from '../check/codes.ts'
import { quickGroupItems } from '../check/quick.ts'
import type { CheckFindingNum } from '../documents/check.ts'
import type { LayerPart } from '../documents/common.ts'
import type { ArrayLineFacts, GroupLine, GroupTotals } from '../documents/group.ts'
import type { Exactness, OverviewFinding } from '../documents/overview.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { integerBounds } from '../format/integer-bounds.ts'
import { lostAs } from '../layers/check.ts'
import type { SeenCells } from '../layers/part.ts'
import { type DatasetMember, memberName, walkDataset } from '../objects/dataset.ts'
import { arrayFiles, groupFiles } from '../objects/object-files.ts'
import type { GroupTarget } from '../objects/target.ts'
import { isRead } from '../objects/visibility.ts'
import { arrayOverview, type OverviewFacts } from './array-overview.ts'
import type { CommandContext } from './command.ts'
import { errorResult } from './document-parts.ts'
import { type Described, type LayeredTarget, withLayer } from './layer-part.ts'
import { type ListOrder, sortedBy } from './list-order.ts'
import { addNums, memberLine, memberOpener, type TreeLine, treesOf, worstCodes } from './member-lines.ts'
import { type CallMaker, judgement, type MergedFindings, unlistedIn } from './overview-parts.ts'
import { tellingMembers } from './telling-members.ts'
import { exact } from './values.ts'

/*
 * The members of a dataset as lines, with what an overview of each knows. Lists, screens and sums of datasets are made of them.
 */

/** A member of a dataset, and its line. */
export interface DatasetLine {
  names: readonly string[]
  line: GroupLine
  member: DatasetMember
  /** What its overview knows of its cells. */
  seen: SeenCells
  /** The findings of its overview, the worst first. */
  findings: readonly OverviewFinding[]
}

/** What is known of an object besides its line in the list of its group. */
type ObjectFacts = ArrayLineFacts & Pick<GroupLine, 'fragment_num' | 'file_num' | 'size' | 'finding_num' | 'unlisted'>

/** A line of each member at any depth, each group before its members. Over a network several are looked at at once. */
export async function* datasetLines(cx: CommandContext, target: GroupTarget): AsyncGenerator<DatasetLine> {
  const look = async (member: DatasetMember): Promise<DatasetLine> => (await lineOf(cx, member)).line
  const lines = inOrder(walkDataset(target, memberOpener(cx)), atOnce(target.group.folder), look)
  yield* tellingMembers(cx, target, lines)
}

/** The line of a member, and what it was made of. */
export async function lineOf(
  cx: CommandContext,
  found: DatasetMember,
): Promise<{ line: DatasetLine; facts: OverviewFacts | undefined }> {
  const known = found.again || !found.target ? undefined : await orError(() => factsOf(cx, found))
  if (known instanceof InspectError) cx.fault(known)
  const { findings = [], facts = {}, seen = {}, overview } = known instanceof InspectError || !known ? {} : known
  const { line, listed } = memberLine(cx, found, await lostAs(found))
  const all = [...listed, ...findings]
  const whole = {
    ...line,
    ...facts,
    finding_num: addNums(facts.finding_num, listed),
    codes: worstCodes(all),
    error: known instanceof InspectError ? errorResult(cx, known) : line.error,
  }
  return { line: { names: found.names, member: found, seen, line: whole, findings: all }, facts: overview }
}

/** What is known of a member besides its line. */
interface MemberFacts {
  facts: ObjectFacts
  findings: readonly OverviewFinding[]
  seen?: SeenCells
  overview?: OverviewFacts
}

/** Commands are not made for single members. */
const NO_CALL: CallMaker = (shows) => ({ shows, command: '' })

async function factsOf(cx: CommandContext, { target, path = '' }: DatasetMember): Promise<MemberFacts | undefined> {
  if (target?.type === 'array') {
    const { array } = target
    const { document, facts: overview } = await arrayOverview(cx, path, array, NO_CALL)
    const { array_type, format_version, cell_num, certainty, timestamp_range, finding_num, findings, states } = document
    const schema = await orError(() => array.newestSchema())
    const shape = schema instanceof InspectError ? null : shapeOf(schema.schema)
    const fragment_num = sum(states, ({ state, fragment_num }) => (isRead(state) ? fragment_num : 0))
    await array.folder.storage.listAhead?.(array.folder.path)
    const files = await arrayFiles(array.folder)
    return {
      facts: {
        ...{ array_type, format_version, shape, cell_num, certainty, fragment_num },
        ...files,
        timestamp_range,
        finding_num,
      },
      findings,
      seen: { cell_num, nonempty_domain: document.nonempty_domain },
      overview,
    }
  }
  if (target?.type !== 'group') return undefined
  const { group } = target
  const items = await quickGroupItems(group)
  const { finding_num, findings } = judgement(cx, items)
  const unlisted = unlistedIn(items).map(nameOf)
  return {
    facts: { ...(await groupFiles(group.folder)), finding_num, unlisted: unlisted.length > 0 ? unlisted : undefined },
    findings,
  }
}

/** Number of values of each dimension; null for those that have no number. */
function shapeOf({ domain, current_domain }: ArraySchema): (number | bigint | null)[] {
  return domain.dimensions.map((dimension, d) => {
    const bounds = integerBounds(dimension, current_domain?.range?.[d])
    return bounds ? exact(bounds.high - bounds.low + 1n) : null
  })
}

/** How exact a sum is. The sum of a number that is a lower bound and one that is an upper bound is neither. */
function ofSum(a: Exactness, b: Exactness): Exactness {
  if (a === b || b === 'exact') return a
  return a === 'exact' ? b : 'estimated'
}

/** Sums over the lines of a dataset. */
export class DatasetSums {
  private readonly sums = { group_num: 0, array_num: 0, unread_num: 0, elsewhere_num: 0, fragment_num: 0, file_num: 0 }
  private readonly finding_num: CheckFindingNum = { error: 0, warning: 0, note: 0 }
  private cells = 0n
  private certainty: Exactness = 'exact'
  private size = 0
  private readonly formats = new Set<number>()
  private times: GroupTotals['timestamp_range'] = null

  /** @param line a member; or the files of the dataset itself */
  add(line: Partial<GroupLine>): void {
    const { sums, finding_num } = this
    // An object that was met before counts once. That it is listed again is a finding of its own.
    for (const severity of SEVERITIES) finding_num[severity] += line.finding_num?.[severity] ?? 0
    if (line.again !== undefined) return
    const isOpened = line.state === 'present' || line.state === 'other-type'
    const type = line.found ?? line.type
    if (isOpened && type === 'group') sums.group_num++
    if (isOpened && type === 'array') sums.array_num++
    // Of an array without a readable schema, as without its key, nothing but its names and files is known.
    const isRead = isOpened && !line.error && line.array_type !== null
    if (line.state !== undefined && !isRead) sums.unread_num++
    if (line.place === 'elsewhere' || line.place === 'linked') sums.elsewhere_num++
    if (line.format_version) this.formats.add(line.format_version)
    this.addTimes(line.timestamp_range)
    sums.fragment_num += line.fragment_num ?? 0
    sums.file_num += line.file_num ?? 0
    this.size += line.size ?? 0
    this.cells += BigInt(line.cell_num ?? 0)
    if (line.cell_num !== undefined) this.certainty = ofSum(this.certainty, line.certainty ?? 'exact')
  }

  private addTimes(more: GroupLine['timestamp_range']): void {
    if (!more) return
    const { times } = this
    const [first, last] = more
    const isFirst = !times || first < times[0]
    const isLast = !times || last > times[1]
    this.times = [isFirst ? first : times[0], isLast ? last : times[1]]
  }

  result(): GroupTotals {
    const { certainty, size, finding_num, times: timestamp_range } = this
    const format_versions = [...this.formats].sort((a, b) => a - b)
    const { fragment_num, file_num, ...counts } = this.sums
    const times = { timestamp_range, format_versions }
    return { ...counts, fragment_num, cell_num: exact(this.cells), certainty, ...times, file_num, size, finding_num }
  }
}

/** What the members of a dataset are added to. */
export interface DatasetFolds {
  sums: DatasetSums
  /** What overviews of the members find. */
  found?: MergedFindings | undefined
  layered?: LayeredTarget | undefined
}

/**
 * The members of a dataset one by one, each with its own members. Sums of a group have those of its members.
 * @param layered what a layer says of the dataset: then all members are known before the first
 */
export async function* datasetTrees(
  cx: CommandContext,
  target: GroupTarget,
  { sums, found, layered }: DatasetFolds,
): AsyncGenerator<TreeLine, LayerPart | undefined> {
  sums.add(await groupFiles(target.group.folder))
  async function* lines(): AsyncGenerator<{ names: readonly string[]; line: TreeLine }> {
    for await (const { names, line, findings, member, seen } of datasetLines(cx, target)) {
      sums.add(line)
      await layered?.add(member, seen)
      for (const one of findings) found?.add(one)
      const isGroup = (line.found ?? line.type) === 'group' && line.state !== 'missing'
      const ofGroup = { array_num: 0, fragment_num: line.fragment_num ?? 0 }
      yield { names, line: isGroup ? { ...line, ...ofGroup, members: [] } : { ...line, members: undefined } }
    }
  }
  const trees = treesOf(lines(), (line, above) => {
    for (const group of above) addTo(group, line)
  })
  if (!layered) {
    yield* trees
    return undefined
  }
  const all: TreeLine[] = []
  for await (const tree of trees) {
    all.push(tree)
    if (!layered.mayDescribe) yield* all.splice(0)
  }
  const described = await layered.describe()
  if (!described) {
    yield* all
    return undefined
  }
  yield* layeredTree(all, described, '')
  return described.layer
}

/** A tree with what the layer says of each member. @param above path of names, ending in `/` */
function layeredTree(lines: readonly TreeLine[], described: Described, above: string): TreeLine[] {
  return lines.map((line) => {
    const path = above + memberName(line)
    const members = line.members && layeredTree(line.members, described, `${path}/`)
    return withLayer({ ...line, members }, described.members.get(path))
  })
}

function addTo(group: TreeLine, line: TreeLine): void {
  if (line.again !== undefined) return
  if ((line.found ?? line.type) === 'array' && line.state === 'present') group.array_num = (group.array_num ?? 0) + 1
  group.fragment_num = (group.fragment_num ?? 0) + (line.fragment_num ?? 0)
  group.file_num = (group.file_num ?? 0) + (line.file_num ?? 0)
  group.size = (group.size ?? 0) + (line.size ?? 0)
}

/** Sorts the members of each group. Equal ones stay in their order. */
export function sortTree(lines: readonly TreeLine[], order: ListOrder, isReverse = false): TreeLine[] {
  const below = lines.map((line) =>
    line.members ? { ...line, members: sortTree(line.members, order, isReverse) } : line,
  )
  return sortedBy(below, order, isReverse, {
    name: ({ name, uri }) => name ?? uri,
    size: ({ size }) => size,
    cells: ({ cell_num }) => cell_num,
    fragments: ({ fragment_num }) => fragment_num,
    written: ({ timestamp_range }) => timestamp_range?.[1],
  })
}

/** The tree down to a depth. A group that is not shown further keeps its sums. */
export function cutTree(lines: readonly TreeLine[], depth: number): TreeLine[] {
  return lines.map((line) => {
    if (!line.members) return line
    return { ...line, members: depth <= 1 ? undefined : cutTree(line.members, depth - 1) }
  })
}
