import { faultText, type InspectError, isNew } from '../base/errors.ts'
import { SEVERITIES } from '../check/codes.ts'
import type { Finding, Item } from '../check/finding.ts'
import type { NextCommand, OverviewFinding, OverviewHead } from '../documents/overview.ts'
import { counted } from '../render/views/wording.ts'
import type { CommandContext } from './command.ts'
import { notExaminedResult } from './document-parts.ts'

/**
 * Makes a command that the user may call next.
 * @param shows what the command shows, in words
 * @param words the command and its options
 * @param path the path of its target in the storage
 */
export type CallMaker = (
  shows: string,
  words: readonly [command: string, ...options: string[]],
  path: string,
) => NextCommand

/** Largest number of findings on the screen. */
export const MAX_FINDINGS = 3

/**
 * The worst findings, and what could not be examined. Both decide the exit code.
 * @param slow findings about what makes reads slow, the worst first
 */
export function judgement(
  cx: CommandContext,
  items: readonly Item[],
  slow: readonly OverviewFinding[] = [],
): Pick<OverviewHead, 'ok' | 'finding_num' | 'findings' | 'not_examined'> {
  const told = new Set<string>()
  const notExamined: InspectError[] = []
  const damage = new MergedFindings()
  for (const item of items) {
    if (!('notExamined' in item)) damage.add(findingResult(cx, item))
    else if (isNew(told, item.notExamined)) notExamined.push(item.notExamined)
  }
  for (const error of notExamined) cx.fault(error, true)
  const finding_num = { ...damage.finding_num }
  for (const { severity } of slow) finding_num[severity]++
  const findings = [...damage.worst, ...slow].slice(0, MAX_FINDINGS)
  const not_examined = notExamined.map((error) => notExaminedResult(cx, error))
  return { ok: finding_num.error === 0, finding_num, findings, not_examined }
}

/** Paths of arrays and groups that lie in the folder of a group, but are no members. */
export function unlistedIn(items: readonly Item[]): string[] {
  return items.flatMap((item) => ('code' in item && item.code === 'GROUP_OBJECT_UNLISTED' ? item.file : []))
}

/** Errors first, then warnings. */
export function bySeverity<F extends Pick<OverviewFinding, 'severity'>>(findings: readonly F[]): F[] {
  return [...findings].sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
}

/** Findings of several members as findings of a whole: one of each code and variant, with the number of all. */
export class MergedFindings {
  readonly finding_num = { error: 0, warning: 0, note: 0 }
  private readonly merged = new Map<string, OverviewFinding>()

  /** Notes are counted, not listed: what is healthy has no findings. */
  add(one: OverviewFinding): void {
    this.finding_num[one.severity] += one.finding_num
    if (one.severity === 'note') return
    const key = JSON.stringify([one.severity, one.code, one.variant])
    const same = this.merged.get(key)
    if (same) same.finding_num += one.finding_num
    else this.merged.set(key, { ...one })
  }

  /** Those on the screen, the worst first. */
  get worst(): OverviewFinding[] {
    return bySeverity([...this.merged.values()]).slice(0, MAX_FINDINGS)
  }
}

export function findingResult(
  cx: CommandContext,
  { severity, code, knownFaults, variant = knownFaults?.join(' '), file, expected, found, meaning }: Finding,
): OverviewFinding {
  const message = faultText({ expected, found })
  return { severity, code, variant, finding_num: 1, file: cx.shownPath(file), message, meaning, advice: [] }
}

/** The data that an overview does not read, in words. */
export function dataText(tile_num: number | undefined): string {
  return tile_num === undefined ? 'data' : `data (${counted(tile_num, 'tile')})`
}
