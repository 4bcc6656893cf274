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

/** A member, and its line. */
interface NamedLine {
  names: readonly string[]
  line: GroupLine
}

/**
 * Lines as a tree. Each line comes after that of its group.
 * @param opens whether the members of a line follow
 * @param place called with each line, and the lines of the groups around it
 */
export async function treeOf<T extends NamedLine>(
  lines: AsyncIterable<T>,
  opens: (one: T) => boolean,
  place: (one: T, line: TreeLine, above: readonly TreeLine[]) => void,
): Promise<TreeLine[]> {
  const top: TreeLine[] = []
  /** The groups around the line, from the top down. A group comes before its members, and these before the next group. */
  let path: TreeLine[] = []
  for await (const one of lines) {
    const { names } = one
    const line: TreeLine = { ...one.line, members: opens(one) ? [] : undefined }
    path = path.slice(0, names.length - 1)
    ;(path.at(-1)?.members ?? top).push(line)
    place(one, line, path)
    if (line.members) path = [...path, line]
  }
  return top
}

/** The members of a group down to a depth, each with its members, and what is wrong with the lists. */
export async function listedMembers(
  cx: CommandContext,
  target: GroupTarget,
  depth: number,
): Promise<{ members: TreeLine[]; findings: OverviewFinding[] }> {
  const findings: OverviewFinding[] = []
  async function* lines(): AsyncGenerator<NamedLine & { isGroup: boolean }> {
    for await (const found of walkDataset(target, cx.open, depth)) {
      const { line, listed } = memberLine(cx, found)
      findings.push(...listed)
      yield { names: found.names, line, isGroup: found.target?.type === 'group' }
    }
  }
  const opens = ({ isGroup, names, line }: NamedLine & { isGroup: boolean }): boolean =>
    isGroup && names.length < depth && !line.error
  return { members: await treeOf(lines(), opens, () => {}), findings }
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
