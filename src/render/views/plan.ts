import type { Output } from '../../base/result.ts'
import { sum } from '../../base/sum.ts'
import type { PlanDocument, PlanLine, PlanSteps } from '../../documents/plan.ts'
import type { PlanStep } from '../../mend/shell.ts'
import { SEVERITY_ROLES } from '../color.ts'
import { shellLines } from '../shell-lines.ts'
import { writeHeading } from '../table.ts'
import { wrapText } from '../text-width.ts'
import { escapeText } from '../units.ts'
import { writeFinding } from './check.ts'
import { writeIgnored, writeLine, writeNotExamined } from './parts.ts'
import { counted, verdictWord } from './wording.ts'

/** Most findings of a plan that are shown. */
const MAX_FINDINGS = 4
/** Width of the column of names, in terminal columns. */
const INDENT = 12
/** Most columns of a line, and the width of a pipe. */
const MAX_COLUMNS = 80
/** Width of the number of a step and the spaces after it. */
const NUMBER = 3

function columnsOf(out: Output): number {
  return Math.max(INDENT + 20, Math.min(out.columns ?? MAX_COLUMNS, MAX_COLUMNS))
}

/** Shows each plan with its findings, then the verdict. */
export async function planTable(document: PlanDocument, out: Output): Promise<void> {
  const { path, plans, advice, not_examined, not_checked } = document
  await writeHeading(path, out)
  for (const plan of plans) await writePlan(plan, path, out)
  for (const plan of advice) {
    for (const { severity, code, field, message } of plan.findings) {
      await writeLine(
        [severity, code, field && `field ${escapeText(field)}`].filter(Boolean).join(' '),
        out,
        SEVERITY_ROLES[severity],
      )
      for (const part of wrapText(escapeText(message), columnsOf(out) - 2)) await out.write(`  ${part}\n`)
    }
    await writeTexts('loses', plan.loses, out)
    await writeAllSteps(plan, out)
  }
  await writeNotExamined(not_examined, path, out)
  if (not_checked.length > 0) await writeLine(`not checked: ${not_checked.join('; ')}`, out, 'dim')
  const isGood = document.ok && not_examined.length === 0
  await writeLine(verdict(document), out, isGood ? 'good' : 'bad')
  await writeIgnored(document.ignored, out)
}

async function writePlan(plan: PlanLine, path: string, out: Output): Promise<void> {
  const { findings, finding_num, lost, not_lost, loses, brings_back, keep } = plan
  for (const finding of findings.slice(0, MAX_FINDINGS)) await writeFinding(finding, path, out)
  const more = finding_num - Math.min(findings.length, MAX_FINDINGS)
  if (more > 0) await writeLine(`and ${counted(more, 'finding')} that the same steps mend`, out, 'dim')
  await writeTexts('lost', lost, out)
  await writeTexts('not lost', not_lost, out)
  await writeTexts(
    'also lost',
    loses.length > 0 && keep.length > 0
      ? [...loses, '`keep` saves the values of these cells in a file: run it first']
      : loses,
    out,
  )
  await writeTexts('returns', brings_back, out)
  await writeAllSteps(plan, out)
}

async function writeAllSteps({ outcome, keep, steps, instead, back, never }: PlanSteps, out: Output): Promise<void> {
  await writeSteps('keep', keep, out)
  await writeSteps('mend', steps, out, instead.length === 0 ? OTHERWISE[outcome] : undefined)
  await writeSteps('or', instead, out)
  await writeSteps('back', back, out)
  await writeTexts('never', never, out)
}

/** Texts for outcomes that have no steps. */
const OTHERWISE: Partial<Record<PlanLine['outcome'], string>> = { leave: 'leave it: there is nothing to do' }

async function writeTexts(name: string, all: readonly string[], out: Output): Promise<void> {
  for (const [i, text] of all.entries()) await writeNamed(i === 0 ? name : '', text, out)
}

/** Writes a name and a text in two columns. The text is wrapped between words. */
async function writeNamed(name: string, text: string, out: Output): Promise<void> {
  for (const [i, part] of wrapText(escapeText(text), columnsOf(out) - INDENT).entries())
    await out.write(`${`  ${i === 0 ? name : ''}`.padEnd(INDENT)}${part}\n`)
}

/** Writes numbered steps. No word of a command is cut, so that it can be copied. @param otherwise text if there are no steps */
async function writeSteps(name: string, steps: readonly PlanStep[], out: Output, otherwise?: string): Promise<void> {
  if (steps.length === 0 && otherwise !== undefined) await writeNamed(name, otherwise, out)
  const room = columnsOf(out) - INDENT - NUMBER
  let number = name === 'keep' ? 0 : 1
  for (const [i, { command, text }] of steps.entries()) {
    const first = i === 0 ? name : ''
    if (command === undefined) {
      await writeNamed(first, `${number++}  ${text}`, out)
      continue
    }
    for (const [at, part] of shellLines(command, room).entries()) {
      const start = at === 0 ? `${`  ${first}`.padEnd(INDENT)}${number++}  ` : ' '.repeat(INDENT + NUMBER)
      await out.write(`${start}${escapeText(part)}\n`)
    }
    const note = text === undefined ? [] : wrapText(escapeText(`(${text})`), room)
    for (const part of note) await out.write(`${' '.repeat(INDENT + NUMBER)}${part}\n`)
  }
}

function verdict(document: PlanDocument): string {
  const { plans, advice } = document
  const findings = sum(plans, ({ finding_num }) => finding_num)
  const word = verdictWord(document)
  const advised = sum(advice, (one) => one.findings.length)
  const more = advised === 0 ? '' : `; ${counted(advised, 'cause')} of slow reads`
  if (findings === 0) return `${word}: no findings in what was checked${more}${more && '. Nothing was run.'}`
  const count = (outcome: PlanLine['outcome'], words: string): string[] => {
    const found = plans.filter((plan) => plan.outcome === outcome)
    const total = sum(found, ({ finding_num }) => finding_num)
    return total === 0 ? [] : [`${total} ${words}`]
  }
  const parts = [
    ...count('mends', 'mended without loss'),
    ...count('loses', 'mended with a loss or a doubt'),
    ...count('copy', 'only from a copy'),
    ...count('leave', 'left alone'),
  ]
  return `${word}: ${counted(findings, 'finding')}: ${parts.join(', ')}${more}. Nothing was run.`
}
