import type { Output } from '../../base/result.ts'
import { shortSize } from '../../base/sizes.ts'
import type { SweepDiffDocument, SweepDiffLine } from '../../documents/sweep-diff.ts'
import { limitOf, ROWS, type Shows, shownList, writeLine, writeTableOrBelow, writeTitle } from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, countText } from './wording.ts'

/** Shows what is not the same in two saved sweeps, what grew most first. */
export async function sweepDiffTable(document: SweepDiffDocument, out: Output): Promise<void> {
  const { path, other, changes, member_num, other_member_num, total_size, other_total_size, new_num, gone_num } =
    document
  await writeTitle(`${path} -> ${other}`, `${countText(member_num)} -> ${counted(other_member_num, 'member')}`, out)
  if (changes.length === 0) {
    await writeLine('the same members, with the same sizes and findings', out)
    return
  }
  const limit = limitOf(ROWS, out)
  await writeTableOrBelow({ ...shownList(COLUMNS, changes), limit }, out)
  const facts = [
    `${sizeChange(other_total_size - total_size) || '+0 B'} in all`,
    new_num > 0 && `${countText(new_num)} new`,
    gone_num > 0 && `${countText(gone_num)} gone`,
    `${counted(changes.length - new_num - gone_num, 'other')} not the same`,
  ]
  await writeLine(facts.filter((one) => one !== false).join(', '), out)
}

const COLUMNS: readonly Shows<SweepDiffLine>[] = [
  { name: 'member', role: 'field', cell: ({ name }) => name },
  { name: 'change', whole: true, cell: ({ change }) => change },
  { name: terminalHeading('grown_size'), align: 'right', cell: ({ grown_size }) => sizeChange(grown_size) },
  {
    name: terminalHeading('grown_fragment_num'),
    align: 'right',
    cell: ({ grown_fragment_num }) => numChange(grown_fragment_num),
  },
  { name: terminalHeading('grown_cell_num'), align: 'right', cell: ({ grown_cell_num }) => numChange(grown_cell_num) },
  { name: 'findings', cell: findingsText },
]

function findingsText({ codes_new, codes_gone }: SweepDiffLine): string {
  return [...codes_new.map((code) => `+ ${code}`), ...codes_gone.map((code) => `- ${code}`)].join(', ')
}

function numChange(num: number | bigint | string): string {
  const value = BigInt(num)
  if (value > 0n) return `+${countText(value)}`
  return value < 0n ? `-${countText(-value)}` : ''
}

function sizeChange(bytes: number): string {
  return bytes === 0 ? '' : `${bytes > 0 ? '+' : '-'}${shortSize(Math.abs(bytes))}`
}
