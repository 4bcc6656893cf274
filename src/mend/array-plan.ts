import { groupBy } from '../base/group-by.ts'
import { lastPathPart } from '../base/paths.ts'
import { noLoss } from '../check/codes/row.ts'
import { ANEW, isRoot } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { FragmentEntry } from '../objects/array.ts'
import type { ArrayDrafts } from './array-drafts.ts'
import {
  commitAll,
  commitListed,
  condition,
  conditionFile,
  dangling,
  lineAgain,
  listLine,
  uncommitted,
  vacuumFile,
} from './commit-plan.ts'
import { crosswiseFiles } from './crosswise.ts'
import type { MendPlan } from './drafts.ts'
import { ExchangePlanner } from './exchange-plan.ts'
import { FragmentPlanner } from './fragment-plan.ts'
import { NamePlanner } from './name-plan.ts'
import { SchemaPlanner } from './schema-plan.ts'
import { twice } from './twice-plan.ts'
import { type Way, wayOf } from './ways.ts'

/** The planners that keep facts from one finding to the next. */
interface Planners {
  exchanges: ExchangePlanner
  names: NamePlanner
  schemas: SchemaPlanner
  fragments: FragmentPlanner
}

/** Plans one finding. @param path path of its file in the array, after the renames of earlier plans */
type PlanFinding = (drafts: ArrayDrafts, path: string, finding: Finding, planners: Planners) => unknown

/**
 * What plans the findings of each way, in the order in which plans are made and run. Files in the wrong place come first, because other
 * findings follow from them. `recover` comes late, because it reads what earlier plans have mended.
 */
const PLANNERS: Readonly<Record<Way, PlanFinding>> = {
  exchange: (_, path, finding, { exchanges, schemas }) =>
    finding.code === 'ENUMERATION_NAME' ? schemas.exchanged(path, finding) : exchanges.add(path, finding),
  'wrong-folder': (drafts, path, finding, { names }) => {
    if (finding.code === 'FRAGMENT_WRONG_FOLDER') return names.placeFragment(path, finding)
    return finding.offset === undefined ? names.placeCommit(path, finding) : listLine(drafts, path, finding)
  },
  rename: (_, path, finding, { names }) => names.rename(path, finding),
  'swap-times': (_, path, finding, { names }) => names.swapTimes(path, finding),
  'fragment-milliseconds': (_, path, finding, { names }) => names.inMilliseconds(path, finding),
  milliseconds: (_, path, finding, { names }) => names.fileInMilliseconds(path, finding),
  commit: (drafts, path, finding) =>
    finding.code === 'ARRAY_READS_EMPTY' ? commitAll(drafts, path, finding) : commitListed(drafts, path, finding),
  'vacuum-file': vacuumFile,
  twice,
  uncommitted,
  dangling,
  'schema-file': (_, path, finding, { schemas }) => schemas.schemaFile(path, finding),
  schema: (_, path, finding, { schemas }) => schemas.schema(path, finding),
  'condition-file': conditionFile,
  list: listLine,
  line: lineAgain,
  condition,
  aside,
  'empty-file': (drafts, path, finding) => drafts.replaceWithEmpty(path, finding),
  'cut-off': cutOff,
  zeros,
  recover: (_, _path, finding, { fragments }) => fragments.recover(finding, 'recover'),
  statistics: (_, _path, finding, { fragments }) => fragments.recover(finding, 'statistics'),
  drop: (_, _path, finding, { fragments }) => fragments.recover(finding, 'drop'),
  rewrite: (drafts, _, finding, { fragments }) => {
    const entry = drafts.entryOf(finding)
    return entry?.isRead ? fragments.rewrite(entry, finding) : drafts.leave(finding)
  },
  copy: async (_, path, finding, { schemas, fragments }) => {
    const isOfTimes = finding.code === 'FILE_MISSING' || finding.code === 'FILE_SHORT'
    if (isOfTimes && (await fragments.restoreTimes(finding))) return
    if (finding.code === 'ARRAY_NO_SCHEMA') return schemas.noSchema(path, finding)
    if (finding.code !== 'ENUMERATION_MISSING') return schemas.fromCopy(path, finding)
    return finding.variant === 'extended' ? schemas.extended(path, finding) : schemas.missing(path, finding)
  },
  leave: (drafts, _, finding) => drafts.leave(finding),
  // Only groups have members, and only GenomicsDB marks.
  members: (drafts, _, finding) => drafts.leave(finding),
  mark: (drafts, _, finding) => drafts.leave(finding),
}

/** Plans for all findings of one array, in the order in which their steps are to be run. */
export async function arrayPlans(drafts: ArrayDrafts, findings: readonly Finding[]): Promise<MendPlan[]> {
  await drafts.load(findings)
  const fragments = new FragmentPlanner(drafts)
  const schemas = new SchemaPlanner(drafts)
  const crosswise = await crosswiseFiles(drafts)
  const exchanges = new ExchangePlanner(drafts, crosswise)
  const planners: Planners = { exchanges, names: new NamePlanner(drafts, fragments), schemas, fragments }
  const byWay = await findingsByWay(drafts, fragments, crosswise)
  const isSchemaWrong = findings.some(({ code, severity }) => severity === 'error' && isRoot(code))
  for (const [way, plan] of Object.entries(PLANNERS) as [Way, PlanFinding][]) {
    for (const finding of byWay.get(way) ?? []) {
      const path = drafts.path(finding.file)
      if (way !== 'commit' && drafts.isCovered(path, finding)) continue
      if (way !== 'exchange' && (await exchanges.covers(finding))) continue
      if (schemas.covers(finding)) continue
      if (isSchemaWrong && ANEW.has(way) && drafts.entryOf(finding)) planAfterSchema(drafts, finding)
      else await plan(drafts, path, finding, planners)
    }
  }
  drafts.finishUnplanned()
  await exchanges.finish()
  await schemas.finish()
  await fragments.finish()
  await drafts.finishLists()
  const last = fragments.lastDrafts()
  const others = drafts.all.filter((draft) => !last.has(draft))
  const ordered = [
    ...others.filter(({ outcome }) => outcome === undefined),
    ...drafts.all.filter((draft) => last.has(draft)),
    ...others.filter(({ outcome }) => outcome !== undefined),
  ]
  return ordered.map((draft) => draft.plan())
}

/**
 * The findings by the way to mend them. Files that no field has, and bytes after the end of a file, need no plan of their own in a
 * fragment that is written anew: the new one has neither. If its metadata is damaged, such a file may be one of its own. A missing file that
 * lies there under another name is renamed. Bytes after the chunks of a tile go with it, if `recover` drops it.
 * @param crosswise findings that two files were exchanged
 */
async function findingsByWay(
  drafts: ArrayDrafts,
  fragments: FragmentPlanner,
  crosswise: ReadonlyMap<Finding, unknown>,
): Promise<Map<Way, Finding[]>> {
  const { findings } = drafts
  const anew = new Set<FragmentEntry>()
  const misnamed = new Set(findings.flatMap(({ code, missing }) => (code === 'FILE_UNLISTED' && missing) || []))
  const dropped = new Set(findings.filter((one) => wayOf(one) === 'drop').map(tileKey))
  const isMisnamed = ({ code, missing = '', file }: Finding): boolean =>
    misnamed.has(code === 'FILE_MISSING' ? file : missing)
  for (const finding of findings) {
    if (isMisnamed(finding) || crosswise.has(finding)) continue
    const entry = ANEW.has(wayOf(finding)) ? drafts.entryOf(finding) : undefined
    if (entry && !(await fragments.lastingOf(entry)).has(finding)) anew.add(entry)
  }
  return groupBy(findings, (finding) => {
    if (isMisnamed(finding)) return 'rename'
    if (crosswise.has(finding)) return 'exchange'
    const isOfDropped = finding.code === 'TILE_TRAILING_BYTES' && dropped.has(tileKey(finding))
    const isLeftOver = finding.code === 'FILE_UNLISTED' || wayOf(finding) === 'cut-off' || isOfDropped
    const entry = isLeftOver ? drafts.entryOf(finding) : undefined
    return entry && anew.has(entry) ? 'recover' : wayOf(finding)
  })
}

function tileKey({ file, tile }: Finding): string {
  return `${tile} ${file}`
}

/** Adds a fault of a fragment to a draft without steps, because it may follow from a wrong schema. */
function planAfterSchema(drafts: ArrayDrafts, finding: Finding): void {
  const draft = drafts.draft('consequence', finding)
  draft.outcome = 'copy'
  draft.say({ text: 'mend the schema first, then ask for a plan again: this may follow from the wrong schema' })
}

/** Moves away what does not belong in the array. */
function aside(drafts: ArrayDrafts, path: string, finding: Finding): void {
  const { code, variant, severity } = finding
  // A folder with the name of a commit file commits the fragment as the file does.
  if (code === 'COMMIT_NAME_INVALID' && variant === 'folder') {
    drafts.replaceWithEmpty(path, finding)
    return
  }
  const draft = drafts.takeAway(path, finding)
  const fragment = code === 'FRAGMENT_NAME_INVALID' && drafts.entryOf(finding)
  if (fragment) drafts.uncommit(draft, fragment)
  if (code !== 'METADATA_NAME_INVALID') return
  const readable = 'nothing, if it is a copy: keys that only it sets go with it'
  draft.addLost(noLoss(severity === 'error' ? 'nothing: TileDB cannot read it' : readable))
}

/** Cuts a file off where it should end. */
function cutOff(drafts: ArrayDrafts, path: string, finding: Finding): void {
  const draft = drafts.draft(`aside ${path}`, finding)
  drafts.take(draft, path, drafts.shell.cutTo(path, [[0, finding.offset ?? 0]]))
}

/** Fills a file of offsets with zeros. The values hold the offsets. */
async function zeros(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  const entry = drafts.entryOf(finding)
  const files = entry && (await drafts.tryRead(entry, (fragment) => fragment.fieldFiles()))
  const size = files?.find(({ name }) => name === lastPathPart(path))?.size ?? 0
  const draft = drafts.draft(`zeros ${path}`, finding)
  const isThere = (await drafts.array.folder.kind(path)) !== undefined
  drafts.take(draft, path, drafts.shell.zeros(path, size, isThere))
}
