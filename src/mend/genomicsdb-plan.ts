import { mendOf } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { FRAGMENT_LIST_FILE, FRAGMENT_MARK, GENOMICSDB_META_FOLDER } from '../format/genomicsdb/names.ts'
import { intervalFacts } from '../genomicsdb/facts.ts'
import type { Callset } from '../genomicsdb/maps.ts'
import { type Interval, Workspace } from '../genomicsdb/workspace.ts'
import type { Storage } from '../storage/source.ts'
import { type Draft, draftIn, type MendPlan } from './drafts.ts'
import { shellOf } from './plan.ts'
import { type Move, type Shell, word } from './shell.ts'

/** {@link PlanContext}, as far as plans for a workspace need it. */
interface PlanCall {
  storage: Storage
  shownPath(path: string): string
}

/**
 * Yields plans for the findings of a check of GenomicsDB. Runs and writes nothing. All steps move files out of the workspace, so that
 * others can move them back.
 */
export async function* genomicsdbPlans(
  { storage, shownPath }: PlanCall,
  root: Workspace | Interval,
  findings: readonly Finding[],
): AsyncGenerator<MendPlan> {
  const shell = await shellOf({ storage, shown: shownPath }, root.folder.path)
  const drafts = new Map<string, Draft>()
  const pathOf = ({ file }: Finding): string => file.slice(root.folder.path.length + 1)
  const ofImport = findings.filter(({ code }) => code === 'GENOMICSDB_IMPORT')
  if (ofImport.length > 0) {
    let draft: Draft | undefined
    for (const finding of ofImport) draft = draftIn(drafts, 'import', finding)
    if (draft) await planImport(draft, root, shell, ofImport.map(pathOf))
  }
  for (const finding of findings) {
    if (finding.code === 'GENOMICSDB_IMPORT') continue
    const path = pathOf(finding)
    switch (mendOf(finding)) {
      case 'mark':
        planFolder(draftIn(drafts, path, finding), shell.createEmpty(`${path}/${FRAGMENT_MARK}`))
        break
      case 'aside':
        planFolder(draftIn(drafts, path, finding), shell.moveAside(path))
        break
      case 'copy':
        planCopy(draftIn(drafts, 'copy', finding), shell)
        break
      default:
        planLeft(drafts, finding)
    }
  }
  for (const draft of drafts.values()) yield draft.plan()
}

/**
 * Goes back to the workspace before the import that did not end: moves its fragments out, what it did not finish, the files of its
 * batches, and last the list that says that it runs.
 */
async function planImport(
  draft: Draft,
  root: Workspace | Interval,
  shell: Shell,
  paths: readonly string[],
): Promise<void> {
  const list = `${FRAGMENT_LIST_FILE}`
  if (root instanceof Workspace && (await isListOdd(root))) {
    draft.outcome = 'leave'
    draft.instead.push({
      text: `${list} names fragments with cells of no sample: it does not tell the state before the import; import all samples into a new workspace`,
    })
    return
  }
  for (const path of paths) if (path !== list) draft.move(shell.moveAside(path))
  if (root instanceof Workspace) {
    for (const path of await batchesOfImport(root)) draft.move(shell.moveAside(path))
    if (await root.hasFile(list)) draft.move(shell.moveAside(list))
  }
  draft.notLost.add('the samples that were there before the import')
  draft.never.add('run these steps while the import still runs')
}

/** Whether the list of the fragments before the import has fragments with rows of the import. */
async function isListOdd(workspace: Workspace): Promise<boolean> {
  const listed = new Set(await workspace.fragmentList())
  const callset = await workspace.callset().catch(() => undefined)
  if (!callset || listed.size === 0) return false
  const last = lastRowOf(callset)
  for (const interval of await workspace.intervals()) {
    const { folders } = await intervalFacts(interval)
    if (folders.some(({ name, state, rows }) => state === 'read' && listed.has(name) && (rows?.[1] ?? -1) > last))
      return true
  }
  return false
}

function lastRowOf({ samples }: Callset): number {
  return samples.reduce((most, { row }) => Math.max(most, row), -1)
}

/** Paths of the files that batches of the import left in each interval: their rows are those of no sample. */
export async function batchesOfImport(workspace: Workspace): Promise<string[]> {
  if (!(await workspace.hasFile(FRAGMENT_LIST_FILE))) return []
  const callset = await workspace.callset().catch(() => undefined)
  if (!callset) return []
  const last = lastRowOf(callset)
  const found: string[] = []
  for (const interval of await workspace.intervals())
    for (const { name, lastRow = -1 } of (await interval.meta()).batches)
      if (lastRow > last) found.push(`${interval.name}/${GENOMICSDB_META_FOLDER}/${name}`)
  return found
}

/** A folder without a mark gets one, or is moved out. */
function planFolder(draft: Draft, move: Move): void {
  draft.move(move)
  draft.never.add('run these steps while an import or a consolidation runs')
}

/** Plans for a finding that no command mends. For an error, the plan says what else can be done. */
function planLeft(drafts: Map<string, Draft>, finding: Finding): void {
  const isError = finding.severity === 'error'
  const isFile = isError && finding.code === 'GENOMICSDB_FILE_MISSING'
  const kind = isFile ? 'left file' : 'left error'
  const draft = draftIn(drafts, isError ? kind : 'leave', finding)
  draft.outcome = 'leave'
  if (!isError || draft.instead.length > 0) return
  const anew = 'import the samples again into a new workspace; no command mends the old one'
  const copied = 'put such a file in its place: nothing else mends it'
  draft.instead.push({ text: isFile ? copied : anew })
}

/** What is damaged can only be taken from a copy. Without one, its samples are to be imported again. */
function planCopy(draft: Draft, shell: Shell): void {
  if (draft.outcome !== undefined) return
  draft.outcome = 'copy'
  const whole = word(`${shell.root}.whole`)
  draft.instead.push(
    {
      command: `tiledb-inspect recover ${word(shell.root)} --to ${whole}`,
      text: 'a new workspace with the whole fragments',
    },
    {
      text: `import the samples again that ls --samples ${whole} shows with fewer calls; keep the old workspace until then`,
    },
  )
}
