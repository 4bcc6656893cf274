import { unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import type { Finding } from '../check/finding.ts'
import { InspectArray } from '../objects/array.ts'
import type { ReadContext } from '../objects/read-context.ts'
import type { Storage } from '../storage/source.ts'
import { rootAround } from '../why/place.ts'
import { type AdvicePlan, advicePlans } from './advice-plan.ts'
import { ArrayDrafts } from './array-drafts.ts'
import { arrayPlans } from './array-plan.ts'
import { Draft, type MendPlan } from './drafts.ts'
import { groupPlans } from './group-plan.ts'
import { folderAround, Shell, word } from './shell.ts'
import type { ConditionWords } from './tile-loss.ts'

type Root = Awaited<ReturnType<typeof rootAround>>

/** What plans need to know about the call. */
export interface PlanContext {
  storage: Storage
  /** Returns a new context for each array. */
  reading(): ReadContext
  /** Returns a path as the user would write it in the current folder. */
  shown(path: string): string
  condition: ConditionWords
}

/** Yields plans for the findings of a check, in the order in which their steps are to be run. Runs and writes nothing. */
export async function* mendPlans(cx: PlanContext, findings: readonly Finding[]): AsyncGenerator<MendPlan> {
  const byRoot = new Map<string, { root: Root; findings: Finding[] }>()
  const known = new Map<string, Root>()
  for (const finding of findings) {
    const { file, code } = finding
    const kind = await cx.storage.kind(file).catch(() => undefined)
    // An entry that is an array, too, is still an entry of the array around it.
    const from = kind === 'folder' && code !== 'ARRAY_UNKNOWN_ENTRY' ? file : folderAround(file)
    const root = await rootAround(cx.storage, from, cx.reading(), known)
    const key = root?.folder.path ?? ''
    const found = byRoot.get(key) ?? { root, findings: [] }
    byRoot.set(key, found)
    found.findings.push(finding)
  }
  for (const { root, findings: own } of byRoot.values()) {
    if (!root) {
      yield outsidePlan(own)
      continue
    }
    const shell = await shellOf(cx, root.folder.path, root instanceof InspectArray && (await needsKey(root)))
    const fresh = (path: string): Promise<string> => freshName(cx.storage, root.folder.path, shell.root, path)
    const plans =
      root instanceof InspectArray
        ? await arrayPlans(new ArrayDrafts(root, shell, fresh, cx.condition), own)
        : await groupPlans(root, shell, own, async (name) => {
            const found = await rootAround(cx.storage, `${root.folder.path}/${name}`, cx.reading())
            return found?.folder.path === `${root.folder.path}/${name}`
          })
    for (const plan of plans) yield root.folder.isRemote ? remotePlan(plan, shell) : plan
  }
}

/**
 * {@link advicePlans} for all advice on an array.
 * @throws InspectError if the array cannot be opened as its findings need it
 */
export async function plansOfAdvice(cx: PlanContext, array: InspectArray): Promise<AdvicePlan[]> {
  const { path, isRemote } = array.folder
  const shell = await shellOf(cx, path, await needsKey(array))
  const plans = await advicePlans(array, shell, (like) => freshName(cx.storage, path, shell.root, like))
  return isRemote ? plans.map((plan) => remotePlan(plan, shell)) : plans
}

/** Whether calls on an array need its key. Of a schema that cannot be read nothing is known but what other files told. */
async function needsKey(array: InspectArray): Promise<boolean> {
  const found = await array.encryption().catch(unlessFault)
  return found === undefined ? array.cx.encrypted : found !== 'NO_ENCRYPTION'
}

/** The shell for an array or group. If the path that the user gave does not end in a name, like `.` or `..`, the full path is used. */
export async function shellOf(
  { storage, shown }: Pick<PlanContext, 'storage' | 'shown'>,
  path: string,
  isEncrypted = false,
): Promise<Shell> {
  const trimmed = shown(path).replace(/(?<=.)\/+$/, '')
  const root = /^\.{0,2}$/.test(lastPathPart(trimmed)) ? path : trimmed.replace(/^file:\/\/(?:localhost)?/, '')
  return new Shell(root, await freshName(storage, path, root, `${root}.aside`), isEncrypted)
}

/** A name at which nothing exists: `like`, with a number if that is taken. @param like begins with `root`, the shown form of `path` */
async function freshName(storage: Storage, path: string, root: string, like: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? like : `${like}${number}`
    if ((await storage.kind(path + name.slice(root.length)).catch(() => undefined)) === undefined) return name
  }
}

/** The command that copies an array of a bucket; undefined where there is none that makes a folder of that name. */
function fetchCommand(root: string, copy: string): string | undefined {
  if (root.startsWith('s3://')) return `aws s3 sync ${word(root)} ${copy}`
  if (/^gc?s:/.test(root)) return `gcloud storage cp --recursive ${word(root.replace(/^gcs:/, 'gs:'))} .`
  return undefined
}

/** A plan for an array on a server, whose files a shell cannot move: a copy is mended, and replaces the array. */
function remotePlan<T extends MendPlan | AdvicePlan>(plan: T, shell: Shell): T {
  if (plan.steps.length === 0) return plan
  const { root } = shell
  const copy = word(lastPathPart(root))
  const command = fetchCommand(root, copy)
  const fetched = command
    ? [{ command }]
    : [{ text: `download ${root} as the folder ${copy}: files behind a URL are not changed in place` }]
  const steps = [
    ...fetched,
    {
      command: `${shell.call('check')} --plan ${copy}`,
      text: 'steps cannot be run on a URL: this prints those for the copy',
    },
    {
      text: 'when check finds nothing in the copy, replace the array with it; keep the old array until the new one has been read',
    },
  ]
  return { ...plan, keep: [], steps, instead: [], back: [] }
}

/** The plan for a fragment that lies in no array. */
function outsidePlan(findings: readonly Finding[]): MendPlan {
  const draft = new Draft()
  for (const finding of findings) draft.add(finding)
  draft.outcome = 'leave'
  draft.say({ text: 'put the fragment back into its array, and ask for a plan there' })
  return draft.plan()
}
