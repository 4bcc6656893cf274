import { memberItems } from '../check/group.ts'
import type { CheckFindingNum } from '../documents/check.ts'
import type { GroupLine } from '../documents/group.ts'
import type { OverviewFinding } from '../documents/overview.ts'
import { type DatasetMember, walkDataset } from '../objects/dataset.ts'
import type { GroupTarget } from '../objects/target.ts'
import type { CommandContext } from './command.ts'
import { errorResult } from './document-parts.ts'
import { findingResult, worstFirst } from './overview-parts.ts'

/*
 * The members of a group as its list has them: nothing in them is read. dataset-lines.ts adds what an overview of each knows.
 */

/** A member with its members. */
export interface TreeLine extends GroupLine {
  members?: TreeLine[] | undefined
}

/** A member as its group lists it, and what is wrong with that. */
export function memberLine(cx: CommandContext, found: DatasetMember): { line: GroupLine; listed: OverviewFinding[] } {
  const { state, target, path, place, again, error } = found
  const { name = null, type, uri, relative, implicit } = found.member
  const isFault = error !== undefined && (state === 'unreadable' || target !== undefined)
  if (isFault) cx.fault(error)
  const listed = [...memberItems(found)].flatMap((item) => ('code' in item ? findingResult(cx, item) : []))
  const line: GroupLine = {
    ...{ name, type, uri, relative, implicit, state },
    resolved: place === 'nowhere' || path === undefined ? null : cx.shownPath(path),
    place,
    again: again?.join('/'),
    found: target && target.type !== type ? target.type : undefined,
    finding_num: addNums(undefined, listed),
    codes: worstCodes(listed),
    error: isFault ? errorResult(cx, error) : undefined,
  }
  return { line, listed }
}

/** The members of a group down to a depth, each with its members, and what is wrong with the lists. */
export async function listedMembers(
  cx: CommandContext,
  target: GroupTarget,
  depth: number,
): Promise<{ members: TreeLine[]; findings: OverviewFinding[] }> {
  const members: TreeLine[] = []
  const findings: OverviewFinding[] = []
  const lists = new Map<string, TreeLine[]>([[keyOf([]), members]])
  for await (const found of walkDataset(target, cx.open, depth)) {
    const { names } = found
    const { line, listed } = memberLine(cx, found)
    findings.push(...listed)
    const isOpen = found.target?.type === 'group' && names.length < depth && !line.error
    const own: TreeLine = { ...line, members: isOpen ? [] : undefined }
    lists.get(keyOf(names.slice(0, -1)))?.push(own)
    if (own.members) lists.set(keyOf(names), own.members)
  }
  return { members, findings }
}

/** A key of a member in a dataset. */
export function keyOf(names: readonly string[]): string {
  return JSON.stringify(names)
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

export function worstCodes(findings: readonly OverviewFinding[]): OverviewFinding['code'][] | undefined {
  if (findings.length === 0) return undefined
  return [...new Set(worstFirst(findings).map(({ code }) => code))]
}
