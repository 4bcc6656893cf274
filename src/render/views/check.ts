import { relativePath } from '../../base/paths.ts'
import type { Output } from '../../base/result.ts'
import { walk } from '../../base/walk.ts'
import type { CheckDocument, CheckFinding } from '../../documents/check.ts'
import { SEVERITY_ROLES } from '../color.ts'
import type { FindingsTail } from '../reports/reporter.ts'
import { writeHeading } from '../table.ts'
import { limitOf, shortPlace, writeIgnored, writeLine, writeNotExamined } from './parts.ts'
import { counted, countText, shardPrefix, verdictWord } from './wording.ts'

/** Shows findings as they are found, then the verdict, then what was not examined. */
export async function checkTable(
  { path, level, shard }: Pick<CheckDocument, 'path' | 'level' | 'shard'>,
  findings: AsyncIterator<CheckFinding, FindingsTail, undefined>,
  out: Output,
): Promise<void> {
  // The heading waits for the first finding: as long as nothing is written, the check may begin anew.
  let begun = false
  const begin = async (): Promise<void> => {
    if (!begun) await writeHeading(path, out)
    begun = true
  }
  const alike = new Map<string, Alike>()
  const most = limitOf(MAX_ALIKE, out) ?? Number.POSITIVE_INFINITY
  const result = await walk(findings, async (finding) => {
    await begin()
    const { severity, code, variant = '', file } = finding
    const kind = `${severity} ${code} ${variant}`
    const found = alike.get(kind) ?? { finding, count: 0, places: new Set() }
    alike.set(kind, found)
    if (++found.count > most) {
      if (found.places.size < MAX_PLACES) found.places.add(relativePath(file, path))
      return
    }
    await writeFinding(finding, path, out)
    await writeLine(`  ${finding.meaning}`, out, 'dim')
  })
  await begin()
  for (const { finding, count, places } of alike.values())
    if (count > most) await writeMore(finding, count - most, places, out)
  const { finding_num, ignored, counts, not_examined, not_checked } = result
  const total = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = finding_num[severity]
    return count > 0 ? [counted(count, severity)] : []
  })
  const verdict = total.length === 0 ? 'no findings' : total.join(', ')
  const seen = [
    counted(counts.fragment_num, 'fragment'),
    counted(counts.file_num, 'file'),
    ...(level === 'structure' ? [] : [counted(counts.tile_num, 'tile')]),
    ...(level === 'cells' ? [counted(counts.cell_num, 'cell')] : []),
  ]
  const word = verdictWord(result)
  await writeLine(`${shardPrefix(shard)}${word}: ${verdict} in ${seen.join(', ')}`, out, word === 'OK' ? 'good' : 'bad')
  await writeNotExamined(not_examined, path, out)
  await writeLine(`not checked: ${not_checked.length === 0 ? 'nothing' : not_checked.join('; ')}`, out, 'dim')
  await writeIgnored(ignored, out)
}

/** Findings of one kind. */
interface Alike {
  /** The first of them. */
  finding: CheckFinding
  count: number
  /** Files of those that are not shown one by one. */
  places: Set<string>
}

/** Number of findings of one kind that a terminal shows one by one, and of files that it names of the others. */
const MAX_ALIKE = 3
const MAX_PLACES = 5
/** Most columns of a place in a file that has no line of its own. */
const MAX_INSIDE = 16

async function writeMore(
  { severity, code }: CheckFinding,
  count: number,
  places: Set<string>,
  out: Output,
): Promise<void> {
  await writeLine(`${severity} ${code}: ${countText(count)} more, --full shows them`, out, SEVERITY_ROLES[severity])
  const named = [...places].filter((one) => one !== '')
  if (named.length > 0)
    await writeLine(
      `  in ${named.map((one) => shortPlace(one, '  in , …'.length, out)).join(', ')}${count > named.length ? ', …' : ''}`,
      out,
    )
}

/** Shows where a finding is, with the path of the file inside the target. The next line says what was expected and found. */
export async function writeFinding(finding: CheckFinding, path: string, out: Output): Promise<void> {
  const { severity, code, file, message } = finding
  const head = `${severity} ${code}`
  const inside = placeText(finding)
  // A long place inside the file is on a line of its own.
  const before = head.length + (inside.length > MAX_INSIDE ? 2 : inside.length + 3)
  const place = [shortPlace(relativePath(file, path), before, out), inside].filter(Boolean).join(': ')
  await writeLine([head, place].filter(Boolean).join(' '), out, SEVERITY_ROLES[severity])
  await writeLine(`  ${message}`, out)
}

function placeText({ offset, space, field, tile, chunk, position }: CheckFinding): string {
  const parts: string[] = []
  const byte = offset === null ? undefined : `byte ${countText(offset)}${space === undefined ? '' : ` of the ${space}`}`
  // The offset of a finding about a cell is that of the tile: behind filters a cell has no offset of its own.
  const isOfTile = tile !== undefined && position !== undefined && byte !== undefined
  if (tile !== undefined) parts.push(`tile ${countText(tile)}${isOfTile ? ` at ${byte}` : ''}`)
  if (chunk !== undefined) parts.push(`chunk ${countText(chunk)}`)
  if (position !== undefined) parts.push(`cell ${countText(position)}`)
  if (byte !== undefined && !isOfTile) parts.push(byte)
  if (field !== null) parts.push(`field ${field}`)
  return parts.join(', ')
}
