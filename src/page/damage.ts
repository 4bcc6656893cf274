import { exitCodeOf, InspectError } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { lastPathPart, relativePath } from '../base/paths.ts'
import { shownCondition } from '../calls/condition-text.ts'
import type { CheckFinding } from '../documents/check.ts'
import type { TimestampRange } from '../documents/common.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import {
  addLostTiles,
  type ConditionWords,
  failsOthers,
  fragmentLoss,
  type LostTiles,
  lostPlaces,
} from '../mend/tile-loss.ts'
import { wayOf } from '../mend/ways.ts'
import type { InspectArray } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { Inspected } from './inspected.ts'
import type { ReadFault } from './tasks.ts'

/** The fields that findings are about, and what readers lose by the damage. */
export interface DamagedFields {
  /** The attribute, dimension or internal field of a finding. A finding without a field, or of an unreadable fragment, is not in the map. */
  fields: ReadonlyMap<CheckFinding, string>
  /** The loss of each fragment, in the order of the findings. */
  losses: readonly Loss[]
  /** Number of fragments with findings whose losses were not examined. */
  unexamined: number
}

/** The cells and fields that readers cannot get from a fragment. */
interface Loss {
  /** Path of the fragment below the target; empty for the target itself. */
  path: string
  /** Path of the fragment's array below the target, if the target is a group. */
  array?: string
  name: string
  timestamp_range: TimestampRange | null
  /** Each damaged field: which of its cells are lost, or only which of them are null, in words, and the first finding about it. */
  fields: readonly { name: string; of: string; isOfNulls: boolean; finding: CheckFinding }[]
  /** What lost coordinates mean for the other fields, in words. */
  places?: string | undefined
  /** Numbers of cells of which nothing was lost, and of which something was. */
  whole?: bigint
  cells?: number
  /** Why nothing of the fragment can be read. */
  because?: string
}

/** Faults of a read as findings. A fault without a tile counts as a loss only if the fragment cannot be opened at all. */
export function asFindings(inspected: Inspected, faults: readonly ReadFault[]): CheckFinding[] {
  return faults.flatMap(({ code, message, at: { file, offset = null, field = null, tile } }) => {
    if (file === undefined) return []
    const isMissing = code === 'MISSING_FILE'
    const unreadable = tile === undefined ? 'FRAGMENT_NO_METADATA' : 'TILE_UNREADABLE'
    const lost = isMissing ? 'FILE_MISSING' : unreadable
    const place = { file: inspected.shownPath(file), offset, field, ...(!isMissing && { tile }) }
    return [{ severity: 'error', code: lost, ...place, expected: '', found: '', message, meaning: '' }]
  })
}

/** Upper limit on the fragments whose losses are examined. */
const MOST = 50

/** @param until time of the reads in milliseconds; undefined for now */
export async function damagedFields(
  inspected: Inspected,
  findings: readonly CheckFinding[],
  until?: bigint,
): Promise<DamagedFields> {
  const byFragment = groupBy(findings, ({ file }) => {
    const folder = parseFragmentName(lastPathPart(file)) ? file : file.slice(0, Math.max(0, file.lastIndexOf('/')))
    return parseFragmentName(lastPathPart(folder)) ? folder : ''
  })
  byFragment.delete('')
  const fields = new Map<CheckFinding, string>()
  const losses: Loss[] = []
  for (const [folder, about] of [...byFragment].slice(0, MOST)) {
    const path = relativePath(folder, inspected.shownPath(inspected.path))
    // The fragment may be elsewhere, such as in a group member with an absolute URI.
    if (path === folder) continue
    const name = lastPathPart(folder)
    const timestamp_range = parseFragmentName(name)?.timestamp_range ?? null
    const array = inspected.target.type === 'group' ? path.replace(/(\/__fragments)?\/[^/]*$/, '') : undefined
    const facts = { path, ...(array && { array }), name, timestamp_range }
    try {
      const target = await inspected.open(path === '' ? inspected.path : `${inspected.path}/${path}`)
      if (target.type !== 'fragment') continue
      const loss = await lossOf(target, about, { fields, until })
      if (loss) losses.push({ ...facts, ...loss })
      await target.fragment.close()
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      const because = about.find(({ severity }) => severity === 'error')?.message
      if (exitCodeOf(error) === 1 && because !== undefined) losses.push({ ...facts, fields: [], because })
    }
  }
  return { fields, losses, unexamined: Math.max(0, byFragment.size - MOST) }
}

const words: ConditionWords = (array, stays) => shownCondition({ style: { raw: false } }, array, stays)

/** The loss of a fragment; undefined if readers lost nothing. @param fields gets the field of each finding */
async function lossOf(
  { fragment, array }: { fragment: Fragment; array?: InspectArray | undefined },
  findings: readonly CheckFinding[],
  { fields, until }: { fields: Map<CheckFinding, string>; until: bigint | undefined },
): Promise<Required<Pick<Loss, 'fields' | 'places' | 'whole' | 'cells'>> | undefined> {
  const { slots } = await fragment.info()
  const files = new Map((await fragment.fieldFiles()).map(({ name, slot }) => [name, slots[slot].name]))
  const lost: LostTiles = new Map()
  const ofNulls: LostTiles = new Map()
  const first = new Map<string, CheckFinding>()
  for (const finding of findings) {
    const { severity, file, field } = finding
    // A finding about the metadata file names the field itself: `tile_offsets.price.chunks.0`.
    const inMetadata = field?.replace(/^\w+\./, '')
    const name =
      files.get(lastPathPart(file)) ??
      slots.find((slot) => slot.name !== '' && (inMetadata === slot.name || inMetadata?.startsWith(`${slot.name}.`)))
        ?.name
    if (name === undefined) continue
    fields.set(finding, name)
    if (severity !== 'error' || wayOf(finding) !== 'drop' || !files.has(lastPathPart(file))) continue
    await addLostTiles(lost, ofNulls, fragment, {
      ...finding,
      offset: finding.offset ?? undefined,
      field: field ?? undefined,
    })
    if (!first.has(name)) first.set(name, finding)
  }
  const loss = lost.size + ofNulls.size > 0 ? await fragmentLoss(fragment, lost, ofNulls) : undefined
  if (!loss) return undefined
  const lostFields: Loss['fields'][number][] = []
  for (const { field: name, of, nulls } of loss.lost) {
    const finding = first.get(name)
    const alsoFailing = array ? await failsOthers(array, name, words, until) : ''
    if (finding)
      lostFields.push({ name, of: of + (nulls ?? '') + alsoFailing, isOfNulls: nulls !== undefined, finding })
  }
  const whole = BigInt(loss.all) - BigInt(loss.cells)
  return { fields: lostFields, places: lostPlaces(loss), whole, cells: loss.cells }
}
