import type { Output } from '../../base/result.ts'
import type { StepLine, StepsDocument } from '../../documents/steps.ts'
import { writeHeading } from '../table.ts'
import { formatSize } from '../units.ts'
import { type Shows, shownList, writeLine, writeTableOrBelow } from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted } from './wording.ts'

/** Shows what each step did. */
export async function stepsTable(document: StepsDocument, out: Output): Promise<void> {
  const { path, steps, cell_num, files, total_size, notes } = document
  await writeHeading(`${path}: ${counted(steps.length, 'step')}`, out)
  const inside = steps.some((step) => step.path !== '')
  const columns: Shows<StepLine>[] = [
    { name: 'step', role: 'field', cell: ({ step }) => step },
    ...(inside ? [{ name: 'path', cell: ({ path: at }: StepLine) => at || '.' }] : []),
    {
      name: terminalHeading('cell_num'),
      align: 'right',
      cell: (step) => (step.step === 'write' ? String(step.cell_num) : ''),
    },
    { name: 'made', cell: ({ made }) => made.map(shortened).join(', ') },
    {
      name: 'removed',
      cell: ({ removed }) => (removed.length === 0 ? '' : `${removed.length} of its files and folders`),
    },
  ]
  await writeTableOrBelow(shownList(columns, steps), out)
  for (const note of notes) await writeLine(`note: ${note}`, out)
  await writeLine(
    `WRITTEN: ${counted(cell_num, 'cell')}, ${counted(files.length, 'file')}, ${formatSize(total_size)}`,
    out,
  )
}

/** Shortens the 32 hex digits of a name. A few of them are enough to tell names apart. */
function shortened(path: string): string {
  return path.replace(/([0-9a-f]{6})[0-9a-f]{26}/, '$1…')
}
