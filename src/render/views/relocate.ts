import type { Output } from '../../base/result.ts'
import { shellWord } from '../../base/shell-word.ts'
import type { RelocateDocument, RelocatedMember } from '../../documents/relocate.ts'
import { shellLines } from '../shell-lines.ts'
import { escapeText } from '../units.ts'
import { type Shows, shownList, writeLine, writeSection, writeTableOrBelow, writeTitle } from './parts.ts'
import { counted, shortSizeText } from './wording.ts'

const COLUMNS: readonly Shows<RelocatedMember>[] = [
  { name: 'member', role: 'field', cell: ({ member }) => member },
  { name: 'to', cell: ({ to, state }) => (state === 'gone' ? '' : to) },
  { name: 'state', cell: ({ state }) => state },
  { name: 'taken from', cell: ({ source }) => source ?? '' },
]

/** Shows where the members of a relocated group are, and what is still to be copied. */
export async function relocateTable(document: RelocateDocument, out: Output): Promise<void> {
  const { path, written_to, members, group_num, array_num, size } = document
  await writeTitle(path, `written to ${written_to} with relative members`, out)
  if (members.length > 0) await writeTableOrBelow(shownList(COLUMNS, members), out)
  const missing = members.filter(({ state }) => state === 'to copy')
  const places = new Map(missing.map(({ source, to }) => [to, source]))
  if (places.size > 0) {
    await writeSection('still to be copied; or call again with --with-members and another --to', out)
    for (const [to, source] of places) {
      const command = `cp -a ${shellWord(source ?? '')} ${shellWord(`${written_to}/${to}`)}`
      // Lines that a shell joins: they can be copied.
      const lines = out.columns === undefined ? [command] : shellLines(command, out.columns)
      for (const line of lines) await out.write(`${escapeText(line)}\n`)
    }
  }
  const gone = members.filter(({ state }) => state === 'gone').length
  await writeLine('', out)
  const groups = counted(group_num, 'group')
  const what = `${groups}, ${counted(array_num, 'array')} copied, ${shortSizeText(size)}`
  if (gone > 0) await writeLine(`NOT WHOLE: ${counted(gone, 'member')} gone; ${what}`, out, 'bad')
  else if (places.size > 0)
    await writeLine(`WRITTEN: ${groups}; ${counted(places.size, 'array')} still to be copied`, out)
  else await writeLine(`RELOCATED: ${what}`, out, 'good')
}
