import type { Finding } from '../check/finding.ts'
import { lastPathPart } from '../format/commit-files.ts'
import type { Storage } from '../source/source.ts'
import { InspectArray } from '../store/array.ts'
import type { ReadContext } from '../store/generic-tile.ts'
import { rootAround } from '../why/place.ts'
import { type AdvicePlan, advicePlans } from './advice-plan.ts'
import { ArrayDrafts } from './array-drafts.ts'
import { arrayPlans } from './array-plan.ts'
import { Draft, type MendPlan } from './drafts.ts'
import { groupPlans } from './group-plan.ts'
import { Shell, word } from './shell.ts'
import type { ConditionWords } from './tile-loss.ts'

/** What plans need to know of the call. */
export interface PlanContext {
  storage: Storage
  /** A fresh one for each array. */
  reading(): ReadContext
  /** A path as the user would write it in the folder of the call. */
  shown(path: string): string
  condition: ConditionWords
}

/**
 * What mends the findings of a check, in the order in which the steps are to be run. Nothing is run, and nothing is written.
 */
export async function* mendPlans(cx: PlanContext, findings: readonly Finding[]): AsyncGenerator<MendPlan> {
  const byRoot = new Map<string, { root: Awaited<ReturnType<typeof rootAround>>; findings: Finding[] }>()
  const known = new Map<string, Awaited<ReturnType<typeof rootAround>>>()
  for (const finding of findings) {
    const { file } = finding
    const folder = file.slice(0, file.lastIndexOf('/'))
    const kind = await cx.storage.kind(file).catch(() => undefined)
    const from = kind === 'folder' ? file : folder
    if (!known.has(from)) known.set(from, await rootAround(cx.storage, from, cx.reading()))
    const root = known.get(from)
    const key = root?.folder.path ?? ''
    const own = byRoot.get(key) ?? { root, findings: [] }
    byRoot.set(key, own)
    own.findings.push(finding)
  }
  for (const { root, findings: own } of byRoot.values()) {
    if (!root) {
      yield outsidePlan(own)
      continue
    }
    const shell = await shellOf(cx, root.folder.path)
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
 * What mends that reads of an array are slow or hungry.
 * @throws InspectError if the array cannot be opened as its findings need it
 */
export async function plansOfAdvice(cx: PlanContext, array: InspectArray): Promise<AdvicePlan[]> {
  const { path, isRemote } = array.folder
  const shell = await shellOf(cx, path)
  const plans = await advicePlans(array, shell, (like) => freshName(cx.storage, path, shell.root, like))
  return isRemote ? plans.map((plan) => remotePlan(plan, shell)) : plans
}

/** A folder as target lies beside the others under its own name only if the path ends in one. */
async function shellOf({ storage, shown }: PlanContext, path: string): Promise<Shell> {
  const given = shown(path).replace(/(?<=.)\/+$/, '')
  const root = /^\.{0,2}$/.test(lastPathPart(given)) ? path : given.replace(/^file:\/\/(?:localhost)?/, '')
  return new Shell(root, await freshName(storage, path, root, `${root}.aside`))
}

/** The name, with a number if something is there. @param like begins with `root`, the shown form of `path` */
async function freshName(storage: Storage, path: string, root: string, like: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? like : `${like}${number}`
    if ((await storage.kind(path + name.slice(root.length)).catch(() => undefined)) === undefined) return name
  }
}

/** Files of an object store cannot be moved by a shell: a copy is mended, and put in the place of the array. */
function remotePlan<T extends MendPlan | AdvicePlan>(plan: T, { root }: Shell): T {
  if (plan.steps.length === 0) return plan
  const copy = word(lastPathPart(root))
  const fetched = root.startsWith('s3://')
    ? [{ command: `aws s3 sync ${word(root)} ${copy}` }]
    : [{ text: `download ${root} as the folder ${copy}: a server of HTTP takes no changes` }]
  const steps = [
    ...fetched,
    {
      command: `tiledb-inspect check --plan ${copy}`,
      text: 'these steps cannot be run on a URL: the copy has a plan that can',
    },
    {
      text: 'when check finds nothing in the copy, put it in the place of the array; keep the old one until it is read',
    },
  ]
  return { ...plan, keep: [], steps, instead: [], back: [] }
}

/** Of a fragment that lies in no array. */
function outsidePlan(findings: readonly Finding[]): MendPlan {
  const draft = new Draft()
  for (const finding of findings) draft.add(finding)
  draft.outcome = 'leave'
  draft.say({ text: 'put the fragment back into its array, and ask for a plan there' })
  return draft.plan()
}
