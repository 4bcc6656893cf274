import { exitCodeOf, InspectError } from '../base/errors.ts'
import { isMendedBy } from '../check/codes.ts'
import { shownCondition } from '../commands/condition-text.ts'
import type { CheckFinding } from '../documents/check.ts'
import type { TimestampRange } from '../documents/common.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import { addLostTiles, type ConditionWords, failsOthers, fragmentLoss, type LostTiles } from '../plan/tile-loss.ts'
import { inside } from '../render/views/wording.ts'
import type { InspectArray } from '../store/array.ts'
import type { Fragment } from '../store/fragment.ts'
import type { Inspected } from './inspected.ts'
import type { Fault } from './tasks.ts'

/** Which fields findings are about, and what was lost with them. */
export interface Damage {
  /** By finding: the attribute, dimension or internal field; undefined where it is none, or the fragment cannot be read. */
  fields: ReadonlyMap<CheckFinding, string>
  /** By fragment, in the order of the findings. */
  losses: readonly Loss[]
  /** Fragments with findings that were not looked into. */
  others: number
}

/** What a fragment lost. */
export interface Loss {
  /** Below the target; empty for the target itself. */
  path: string
  /** The array below the target, where the target is a group. */
  array?: string
  /** Its name. */
  name: string
  timestamp_range: TimestampRange | null
  /** By field: which of its cells, in words, and the first finding about it. */
  fields: readonly { name: string; of: string; finding: CheckFinding }[]
  /** Cells of the fragment of which nothing was lost, and of which something was. */
  whole?: bigint
  cells?: number
  /** Why nothing of it can be read. */
  because?: string
}

/** Faults of a read as findings. Without a tile, only what cannot be opened at all is said to be lost. */
export function asFindings(inspected: Inspected, faults: readonly Fault[]): CheckFinding[] {
  return faults.flatMap(({ code, message, at: { file, offset = null, field = null, tile } }) => {
    if (file === undefined) return []
    const isGone = code === 'MISSING_FILE'
    const lost = isGone ? 'FILE_MISSING' : tile === undefined ? 'FRAGMENT_NO_METADATA' : 'TILE_UNREADABLE'
    const of = { file: inspected.shownPath(file), offset, field, ...(!isGone && { tile }) }
    return [{ severity: 'error', code: lost, ...of, expected: '', found: '', message, meaning: '' }]
  })
}

/** Fragments that are opened for what they lost. */
const MOST = 50

export async function damageOf(inspected: Inspected, findings: readonly CheckFinding[]): Promise<Damage> {
  const byFragment = new Map<string, CheckFinding[]>()
  for (const finding of findings) {
    const { file } = finding
    const folder = parseFragmentName(nameOf(file)) ? file : file.slice(0, Math.max(0, file.lastIndexOf('/')))
    if (parseFragmentName(nameOf(folder))) byFragment.set(folder, [...(byFragment.get(folder) ?? []), finding])
  }
  const fields = new Map<CheckFinding, string>()
  const losses: Loss[] = []
  for (const [folder, own] of [...byFragment].slice(0, MOST)) {
    const path = inside(folder, inspected.shownPath(inspected.path))
    // A fragment elsewhere, such as a member's behind a URI, is not in the storage.
    if (path === folder) continue
    const name = nameOf(folder)
    const timestamp_range = parseFragmentName(name)?.timestamp_range ?? null
    const array = inspected.target.type === 'group' ? path.replace(/(\/__fragments)?\/[^/]*$/, '') : undefined
    const facts = { path, ...(array && { array }), name, timestamp_range }
    try {
      const target = await inspected.open(path === '' ? inspected.path : `${inspected.path}/${path}`)
      if (target.type !== 'fragment') continue
      const loss = await lossOf(target.fragment, target.array, own, fields)
      if (loss) losses.push({ ...facts, ...loss })
      await target.fragment.close()
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      const because = own.find(({ severity }) => severity === 'error')?.message
      if (exitCodeOf(error) === 1 && because !== undefined) losses.push({ ...facts, fields: [], because })
    }
  }
  return { fields, losses, others: Math.max(0, byFragment.size - MOST) }
}

const words: ConditionWords = (array, stays) => shownCondition({ style: { raw: false } }, array, stays)

/** Also adds the fields of the findings. Undefined if readers lost nothing. */
async function lossOf(
  fragment: Fragment,
  array: InspectArray | undefined,
  findings: readonly CheckFinding[],
  fields: Map<CheckFinding, string>,
): Promise<Required<Pick<Loss, 'fields' | 'whole' | 'cells'>> | undefined> {
  const { slots } = await fragment.info()
  const files = new Map((await fragment.fieldFiles()).map(({ name, slot }) => [name, slots[slot].name]))
  const lost: LostTiles = new Map()
  const first = new Map<string, CheckFinding>()
  for (const finding of findings) {
    const { severity, code, file, field } = finding
    // Metadata names the field itself: `tile_offsets.price.chunks.0`.
    const inMetadata = field?.replace(/^\w+\./, '')
    const name =
      files.get(nameOf(file)) ??
      slots.find((slot) => slot.name !== '' && (inMetadata === slot.name || inMetadata?.startsWith(`${slot.name}.`)))
        ?.name
    if (name === undefined) continue
    fields.set(finding, name)
    if (severity !== 'error' || !isMendedBy(code, 'drop') || !files.has(nameOf(file))) continue
    await addLostTiles(lost, fragment, { ...finding, offset: finding.offset ?? undefined, field: field ?? undefined })
    if (!first.has(name)) first.set(name, finding)
  }
  const loss = first.size > 0 ? await fragmentLoss(fragment, lost) : undefined
  if (!loss) return undefined
  const lostFields: Loss['fields'][number][] = []
  for (const [i, [name, finding]] of [...first].entries()) {
    const others = array ? await failsOthers(array, name, words) : ''
    lostFields.push({ name, of: loss.lost[i].of + others, finding })
  }
  return { fields: lostFields, whole: BigInt(loss.all) - BigInt(loss.cells), cells: loss.cells }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
