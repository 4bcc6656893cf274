import type { Output } from '../../base/result.ts'
import type { CheckDocument, CheckFinding, CheckSummary } from '../../documents/check.ts'
import type { Severity } from '../../documents/common.ts'
import type { Role } from '../color.ts'
import { heading } from '../table.ts'
import { line } from './parts.ts'
import { counted, countText, inside, shardWords } from './wording.ts'

export const SEVERITY_ROLES: Readonly<Record<Severity, Role>> = { error: 'bad', warning: 'number', note: 'dim' }

/** Shows findings as they are found, then their summary, then what was not examined. */
export async function checkTable(
  { path, findings }: Pick<CheckDocument, 'path' | 'findings'>,
  summary: () => CheckSummary,
  out: Output,
): Promise<void> {
  await heading(path, out)
  for await (const finding of findings) {
    const { severity, code, message, meaning } = finding
    const place = findingPlace(finding, path)
    await line([severity, code, place].filter(Boolean).join(' '), out, SEVERITY_ROLES[severity])
    await line(`  ${message}`, out)
    await line(`  ${meaning}`, out, 'dim')
  }
  const { level, shard, ok, finding_num, counts, not_examined, not_checked } = summary()
  const total = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = finding_num[severity]
    return count > 0 ? [counted(count, severity)] : []
  })
  const verdict = total.length === 0 ? 'no findings' : total.join(', ')
  const seen = [
    counted(counts.fragment_num, 'fragment'),
    counted(counts.file_num, 'file'),
    ...(level === 'structure' ? [] : [counted(counts.tile_num, 'tile')]),
    ...(level === 'cells' ? [`${countText(counts.cell_num)} cells`] : []),
  ]
  const word = !ok ? 'NOT OK' : not_examined.length > 0 ? 'NOT FULLY EXAMINED' : 'OK'
  await line(`${shardWords(shard)}${word}: ${verdict} in ${seen.join(', ')}`, out, word === 'OK' ? 'good' : 'bad')
  for (const { file = path, message } of not_examined)
    await line(`not examined: ${[inside(file, path), message].filter(Boolean).join(': ')}`, out, 'bad')
  await line(`not checked: ${not_checked.length === 0 ? 'nothing' : not_checked.join('; ')}`, out, 'dim')
}

/** Where a finding is: the file as it lies in the target, then the place in it. */
export function findingPlace(finding: CheckFinding, path: string): string {
  return [inside(finding.file, path), placeText(finding)].filter(Boolean).join(': ')
}

function placeText({ offset, space, field, tile, chunk, cell }: CheckFinding): string {
  const parts: string[] = []
  const byte = offset === null ? undefined : `byte ${countText(offset)}${space === undefined ? '' : ` of the ${space}`}`
  // Of a cell, the byte is that of its tile: filters leave a cell no byte of its own.
  const isOfTile = tile !== undefined && cell !== undefined && byte !== undefined
  if (tile !== undefined) parts.push(`tile ${countText(tile)}${isOfTile ? ` at ${byte}` : ''}`)
  if (chunk !== undefined) parts.push(`chunk ${countText(chunk)}`)
  if (cell !== undefined) parts.push(`cell ${countText(cell)}`)
  if (byte !== undefined && !isOfTile) parts.push(byte)
  if (field !== null) parts.push(`field ${field}`)
  return parts.join(', ')
}
