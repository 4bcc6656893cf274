import { wrongOption } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { KNOWN_FAULTS } from '../check/codes/known.ts'
import { CODE_ROWS, type FindingState } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { IgnoredNum } from '../documents/check.ts'

/** Between a code and its variant. */
const DOT = '.'

/** The option `--ignore`. */
export const IGNORE_OPTION = [
  '--ignore <code>',
  'leave out findings with this code, or CODE.variant, and do not let them fail: known findings, which the last line counts; CODE,CODE; may be repeated',
] as const

/** Every code that `--ignore` takes, without variants. */
export function ignorableCodes(): readonly string[] {
  return Object.keys(CODE_ROWS)
}

/** Parses `--ignore`. @throws InspectError USAGE for an unknown code or variant */
export function parseIgnore(given: readonly string[] = []): readonly string[] {
  const names = given.flatMap((text) => text.split(',').map((name) => name.trim()))
  for (const name of names) {
    const [code, variant] = splitName(name)
    const row = Object.hasOwn(CODE_ROWS, code) ? CODE_ROWS[code as keyof typeof CODE_ROWS] : undefined
    if (!row)
      throw wrongOption('--ignore', 'a code of check', JSON.stringify(name) + didYouMean(code, ignorableCodes()))
    const variants = [...Object.keys(row.variants ?? {}), ...Object.keys(KNOWN_FAULTS)]
    if (variant === undefined || variants.includes(variant)) continue
    const near = didYouMean(
      name,
      variants.map((one) => code + DOT + one),
    )
    throw wrongOption('--ignore', `a variant of ${code}`, JSON.stringify(name) + near)
  }
  return [...new Set(names)]
}

function splitName(name: string): [code: string, variant: string | undefined] {
  const at = name.indexOf(DOT)
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)]
}

/** What `--ignore` leaves out of the findings of a check, counted. */
export class Ignored {
  /** Whether an error was left out. */
  hasError = false
  private readonly counts: Map<string, number>

  constructor(names: readonly string[]) {
    this.counts = new Map(names.map((name) => [name, 0]))
  }

  /** Whether a finding is left out. Counts it. */
  takes(finding: Finding): boolean {
    const name = this.nameOf(finding)
    if (name === undefined) return false
    this.add({ [name]: 1 })
    this.hasError ||= finding.severity === 'error'
    return true
  }

  add(counts: IgnoredNum = {}): void {
    for (const [name, num] of Object.entries(counts)) this.counts.set(name, (this.counts.get(name) ?? 0) + num)
  }

  /** The counts as part of a document; undefined without the option. A name with 0 is no longer needed. */
  result(): IgnoredNum | undefined {
    return this.counts.size === 0 ? undefined : Object.fromEntries(this.counts)
  }

  /** The name that a finding is left out by. What several known faults explain is left out only if all of them are named. */
  private nameOf({ code, variant, knownFaults = [] }: FindingState): string | undefined {
    const variants = variant === undefined ? knownFaults : [variant]
    const named = variants.map((one) => code + DOT + one)
    if (named.length > 0 && named.every((name) => this.counts.has(name))) return named[0]
    return this.counts.has(code) ? code : undefined
  }
}
