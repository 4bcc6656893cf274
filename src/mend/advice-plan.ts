import type { AdvisedFinding } from '../advice/finding.ts'
import { arrayFindings } from '../advice/findings.ts'
import { type AdviceLine, type Deed, type LineLoss, lineText } from '../advice/line.ts'
import { notCopied } from '../advice/lines.ts'
import { groupBy } from '../base/group-by.ts'
import type { Prose } from '../base/prose.ts'
import { ADVICE_CODES } from '../check/codes.ts'
import type { InspectArray } from '../objects/array.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import type { MendPlan } from './drafts.ts'
import { type PlanStep, pythonLines, type Shell, word } from './shell.ts'

/** Steps against what makes reads slow or hungry. Each plan can be followed without the others. */
export interface AdvicePlan
  extends Pick<MendPlan, 'outcome' | 'loses' | 'keep' | 'steps' | 'instead' | 'back' | 'never'> {
  /** Findings with the same advice, the most severe first. */
  findings: readonly AdvisedFinding[]
}

/** What lines of advice lose, in the order in which a plan tells it. */
const LOSSES: Readonly<Record<LineLoss, Prose>> = {
  'earlier cells': 'the cells of the old fragments, for reads as of a time before the newest of them',
  'deleted cells': 'the deleted cells, for reads as of a time before the delete',
  fragments: 'the cells of these fragments, if they were written on purpose',
  'old readers': 'readers of releases before the one that does this: they cannot open it any more',
  attribute: 'the attribute; only reads as of a time before this still give it',
}

/** What must not be done beside what lines of advice do. */
const NEVERS: Readonly<Partial<Record<Deed, Prose>>> = {
  vacuum: 'run tiledb.vacuum before tiledb.consolidate has ended without an error',
  'delete fragments': 'delete folders of fragments by hand: commits name them',
}

/**
 * Plans against what makes reads of an array slow or hungry. The lines of the advice are the steps. A copy of the array is kept first.
 * @param fresh returns a name like the given one at which nothing exists
 */
export async function advicePlans(
  array: InspectArray,
  shell: Shell,
  fresh: (path: string) => Promise<string>,
): Promise<AdvicePlan[]> {
  const opened = await openAt(array)
  try {
    // Findings that check has, too, are in its own plans.
    const findings = (await arrayFindings(opened)).filter(({ code }) => code in ADVICE_CODES)
    const plans: AdvicePlan[] = []
    for (const same of groupBy(findings, ({ advice }) => advice.map(lineText).join('\n')).values())
      plans.push({ findings: same, ...(await planOf(same[0].advice, opened, shell, fresh)) })
    return plans
  } finally {
    for (const { fragment } of opened.fragments) await fragment.close()
  }
}

const NOTHING: Omit<AdvicePlan, 'findings'> = {
  outcome: 'leave',
  loses: [],
  keep: [],
  steps: [],
  instead: [],
  back: [],
  never: [],
}

async function planOf(
  lines: readonly AdviceLine[],
  opened: OpenedArray,
  shell: Shell,
  fresh: (path: string) => Promise<string>,
): Promise<Omit<AdvicePlan, 'findings'>> {
  if (opened.array.cx.encrypted) {
    const instead = [{ text: "with the array's key in TileDB's configuration:" }, ...lines.map(textOf)]
    return { ...NOTHING, instead }
  }
  if (lines.some(({ does }) => does === 'create')) return newArray(lines, opened, shell, fresh)
  const isRead = ({ does }: AdviceLine): boolean => does === 'read'
  const steps = lines.filter((line) => !isRead(line)).map(stepOf)
  const instead = lines.filter(isRead).map(textOf)
  const loses = textsOf(LOSSES, new Set(lines.map((line) => line.loses)))
  if (steps.length === 0) return { ...NOTHING, loses, instead }
  const [here, before, after] = [
    word(shell.root),
    word(await fresh(`${shell.root}.before`)),
    word(await fresh(`${shell.root}.after`)),
  ]
  return {
    outcome: loses.length > 0 ? 'loses' : 'mends',
    loses,
    keep: [{ command: `cp -a ${here} ${before}` }],
    steps,
    instead,
    back: [{ command: `test -d ${before} && mv ${here} ${after} && mv ${before} ${here}` }],
    never: textsOf(NEVERS, new Set(lines.map(({ does }) => does))),
  }
}

/** The texts of those keys of a table that are in a set. */
function textsOf<Key extends string>(
  table: Readonly<Partial<Record<Key, Prose>>>,
  keys: ReadonlySet<Key | undefined>,
): Prose[] {
  return Object.entries<Prose | undefined>(table).flatMap(([key, text]) => (keys.has(key as Key) && text ? [text] : []))
}

/** The plan for a new array, which is made beside the old one and takes its place. */
async function newArray(
  lines: readonly AdviceLine[],
  { schema }: OpenedArray,
  shell: Shell,
  fresh: (path: string) => Promise<string>,
): Promise<Omit<AdvicePlan, 'findings'>> {
  const { root } = shell
  const made = word(`${root}.new`)
  const { step, back } = shell.swap(word(root), made, word(await fresh(`${root}.old`)))
  return {
    ...NOTHING,
    outcome: 'loses',
    loses: ['earlier states: the new array has only what a reader sees now', ...notCopied(schema)],
    steps: [
      { command: pythonLines(lines.map(({ code }) => code)), text: lines.flatMap(({ note }) => note ?? []).join('; ') },
      { command: `${shell.call('check')} --level cells ${made}`, text: 'must find nothing' },
      { command: `${shell.call('diff')} --read ${word(root)} ${made}`, text: 'must find no cells that differ' },
      step,
    ],
    back: [back],
    never: ['delete the old array before the new one has been read'],
  }
}

function stepOf({ does, code, note }: AdviceLine): PlanStep {
  const command = does === 'inspect' ? code : pythonLines([code])
  return note === undefined ? { command } : { command, text: note }
}

function textOf({ code, note }: AdviceLine): PlanStep {
  return { text: note === undefined ? code : `${note}: ${code}` }
}
