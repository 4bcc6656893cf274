import type { LostAs } from '../check/across.ts'
import { memberItems } from '../check/group.ts'
import type { CheckFindingNum } from '../documents/check.ts'
import type { SweepMember } from '../documents/dataset.ts'
import type { GroupLine } from '../documents/group.ts'
import type { OverviewFinding } from '../documents/overview.ts'
import { type DatasetMember, type OpenTarget, walkDataset } from '../objects/dataset.ts'
import { type GroupTarget, openTarget } from '../objects/target.ts'
import type { CommandContext } from './command.ts'
import { errorResult } from './document-parts.ts'
import { bySeverity, findingResult, type MergedFindings } from './overview-parts.ts'

/*
 * The members of a group as its list has them: nothing in them is read. dataset-lines.ts adds what an overview of each knows.
 */

/**
 * Opens the members of a dataset, each with a context of its own. Other than {@link CommandContext.open} it keeps none of them: a dataset
 * may have any number.
 */
export function memberOpener({ storage, reading, fault }: CommandContext): OpenTarget {
  return (path) => openTarget(storage, path, { ...reading, keyProven: false, encrypted: false, onFault: fault })
}

/** A member with its members. */
export interface TreeLine extends GroupLine {
  members?: TreeLine[] | undefined
}

/**
 * A member as its group lists it, and what is wrong with that.
 * @param lostAs what the layer of the group says of a member that is missing
 */
export function memberLine(
  cx: CommandContext,
  found: DatasetMember,
  lostAs?: LostAs,
): { line: GroupLine & Pick<SweepMember, 'not_listed'>; listed: OverviewFinding[] } {
  const { state, target, path, place, again, error } = found
  const { name = null, type, uri, relative, implicit } = found.member
  const isFault = error !== undefined && (state === 'unreadable' || target !== undefined)
  if (isFault) cx.fault(error)
  const listed = [...memberItems(found, lostAs)].flatMap((item) => ('code' in item ? findingResult(cx, item) : []))
  const line = {
    ...{ name, type, uri, relative, implicit, state },
    resolved: place === 'nowhere' || path === undefined ? null : cx.shownPath(path),
    place,
    again: again?.join('/'),
    not_listed: found.isUnlisted || undefined,
    found: target && target.type !== type ? target.type : undefined,
    finding_num: addNums(undefined, listed),
    codes: worstCodes(listed),
    error: isFault ? errorResult(cx, error) : undefined,
  }
  return { line, listed }
}

/**
 * Members one by one, each with its members, as soon as those are known.
 * @param lines each group before its members
 * @param place called with each line, and the lines of the groups around it
 */
export async function* treesOf<L extends { names: readonly string[]; line: TreeLine }>(
  lines: AsyncIterable<L>,
  place: (line: TreeLine, above: readonly TreeLine[]) => void = () => {},
): AsyncGenerator<TreeLine> {
  /** The last line, after those of the groups around it. */
  let path: TreeLine[] = []
  for await (const { names, line } of lines) {
    if (names.length === 1 && path[0]) yield path[0]
    path = path.slice(0, names.length - 1)
    path.at(-1)?.members?.push(line)
    place(line, path)
    path.push(line)
  }
  if (path[0]) yield path[0]
}

/** The members of a group down to a depth, as the lists of groups have them. @param found gets what is wrong with the lists */
export async function* listedMembers(
  cx: CommandContext,
  target: GroupTarget,
  depth: number,
  found?: MergedFindings,
): AsyncGenerator<TreeLine> {
  async function* lines(): AsyncGenerator<{ names: readonly string[]; line: TreeLine }> {
    for await (const member of walkDataset(target, memberOpener(cx), depth)) {
      const { names } = member
      const { line, listed } = memberLine(cx, member)
      for (const one of listed) found?.add(one)
      const isOpen = member.target?.type === 'group' && names.length < depth && !line.error
      yield { names, line: { ...line, members: isOpen ? [] : undefined } }
    }
  }
  yield* treesOf(lines())
}

export function addNums(
  known: CheckFindingNum | undefined,
  more: readonly Pick<OverviewFinding, 'severity'>[],
): CheckFindingNum | undefined {
  if (!known && more.length === 0) return undefined
  const sum = { error: 0, warning: 0, note: 0, ...known }
  for (const { severity } of more) sum[severity]++
  return sum
}

export function worstCodes(
  findings: readonly Pick<OverviewFinding, 'severity' | 'code'>[],
): OverviewFinding['code'][] | undefined {
  if (findings.length === 0) return undefined
  return [...new Set(bySeverity(findings).map(({ code }) => code))]
}
