import type { Output } from '../../base/result.ts'
import { shellWord } from '../../base/shell-word.ts'
import type { RelocateDocument, RelocatedMember } from '../../documents/relocate.ts'
import { listOf, type Shows, writeLine, writeSection, writeTableOrBelow, writeTitle } from './parts.ts'
import { counted, shortSizeText } from './wording.ts'

const COLUMNS: readonly Shows<RelocatedMember>[] = [
  { name: 'member', role: 'field', cell: ({ member }) => member },
  { name: 'uri', cell: ({ uri }) => uri },
  { name: 'state', cell: ({ state }) => state },
  { name: 'was', cell: ({ was }) => was },
]

/** Shows where the members of a relocated group are, and what is still to be copied. */
export async function relocateTable(document: RelocateDocument, out: Output): Promise<void> {
  const { path, written_to, members, group_num, size } = document
  await writeTitle(path, `written to ${written_to} with relative members`, out)
  if (members.length > 0) await writeTableOrBelow(listOf(COLUMNS, members), out)
  const missing = members.filter(({ state }) => state === 'to copy')
  const places = new Map(missing.map(({ source, uri }) => [uri, source]))
  if (places.size > 0) {
    await writeSection('still to be copied (--with-members does it)', out)
    for (const [uri, source] of places)
      if (source !== null) await writeLine(`cp -a ${shellWord(source)} ${shellWord(`${written_to}/${uri}`)}`, out)
  }
  const gone = members.filter(({ state }) => state === 'gone').length
  const copied = members.filter(({ state }) => state === 'copied').length
  await writeLine('', out)
  const what = `${counted(group_num, 'group')}, ${counted(copied, 'array')} copied, ${shortSizeText(size)}`
  if (gone > 0) await writeLine(`NOT WHOLE: ${counted(gone, 'member')} gone; ${what}`, out, 'bad')
  else await writeLine(`RELOCATED: ${what}`, out, 'good')
}
