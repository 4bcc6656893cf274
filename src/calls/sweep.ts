import { byHurt, hurtsOf } from '../advice/measures.ts'
import { exitCodeOf, hasCode, InspectError, orError, usage } from '../base/errors.ts'
import { globMatcher } from '../base/glob.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { isJsonObject, type JsonObject } from '../base/json-text.ts'
import type { Output } from '../base/result.ts'
import { sum } from '../base/sum.ts'
import type {
  SweepCommand,
  SweepHead,
  SweepMember,
  SweepNotEntered,
  SweepTail,
  SweepWorst,
} from '../documents/dataset.ts'
import { type DatasetMember, type OpenTarget, walkDataset } from '../objects/dataset.ts'
import type { LeftOutCause, WalkBounds } from '../objects/group.ts'
import { groupFiles } from '../objects/object-files.ts'
import { parseShard, type Shard, shardText } from '../objects/shard.ts'
import { stateOf } from '../objects/state-id.ts'
import { type GroupTarget, openedOf, openTarget, type Target } from '../objects/target.ts'
import { freedBytes } from '../objects/vacuum.ts'
import { toJson } from '../rows/json.ts'
import { type Watch, watched } from '../storage/watched.ts'
import type { CommandContext } from './command.ts'
import { DatasetSums, lineOf } from './dataset-lines.ts'
import { documentHead, errorResult } from './document-parts.ts'
import { cutRows, type ListCut, parseDepth, sortedBy } from './list-order.ts'
import { parseJobs } from './option-values.ts'
import type { StreamOutcome } from './outcome.ts'
import type { SweepOptions } from './sweep-options.ts'
import { asOf } from './times.ts'

/*
 * A sweep: a command goes through all arrays and groups below a folder. Each member gives a line as soon as it is done. Of each, little more
 * than a name is kept, so that there may be any number.
 */

/** Levels of folders, and of groups in groups, that a sweep enters by default. */
const USUAL_DEPTH = 32

/** What a sweep goes through, and how. */
interface SweepPlan {
  exclude: readonly string[]
  depth: number
  /** Number of members at a time; undefined for as many as suit the storage. */
  jobs: number | undefined
  shard: Shard | undefined
  /** The file of `--resume`. */
  resume: string | undefined
}

/** @throws InspectError USAGE */
function parseSweep({ exclude = [], depth, jobs, shard, resume }: SweepOptions): SweepPlan {
  if (exclude.includes('')) throw usage('--exclude expects a name or a path, found an empty argument')
  return {
    exclude,
    depth: depth === undefined ? USUAL_DEPTH : parseDepth(depth),
    jobs: jobs === undefined ? undefined : parseJobs(jobs),
    shard: shard === undefined ? undefined : parseShard(shard),
    resume,
  }
}

/** What a command adds to a sweep. */
export interface SweepWork {
  command: SweepCommand
  /** The options that decide what lines say. A file of `--resume` with other ones is refused. */
  settings: Readonly<Record<string, string | boolean>>
  /** What the command finds in a member, beside what an overview knows. The member may be missing, or have been met before. */
  examine?(cx: CommandContext, member: DatasetMember, line: SweepMember): Promise<Partial<SweepMember>>
  /** Whether something in a member is not right. */
  isWrong(line: SweepMember): boolean
  /** Adds a line to the sums. */
  add?(line: SweepMember): void
  /** What is known after the last member. */
  tail?(): Partial<SweepTail>
  /** Which lines are shown, and in which order; all as they come without it. */
  cut?: ListCut
}

/** Number of arrays that are called the worst. */
const MAX_WORST = 10

/** How often a member is looked at that is changed meanwhile. */
const TRIES = 2

const COLUMNS: readonly (keyof SweepMember)[] = [
  ...([
    'name',
    'path',
    'type',
    'uri',
    'relative',
    'implicit',
    'state',
    'resolved',
    'place',
    'again',
    'not_listed',
    'unlisted',
    'found',
  ] as const),
  ...(['array_type', 'format_version', 'shape', 'cell_num', 'certainty', 'timestamp_range'] as const),
  ...([
    'fragment_num',
    'file_num',
    'size',
    'finding_num',
    'codes',
    'hurts',
    'error',
    'kind',
    'schema_version',
  ] as const),
  ...(['check', 'stats', 'state_id'] as const),
]

/** Goes through a dataset. @throws InspectError USAGE */
export function sweepOutcome(
  cx: CommandContext,
  path: string,
  target: GroupTarget,
  options: SweepOptions,
  work: SweepWork,
): StreamOutcome {
  const { cut = { order: undefined, isReverse: false, limit: undefined } } = work
  const plan = parseSweep(options)
  const head: SweepHead = {
    ...documentHead('dataset', cx.shownPath(path)),
    ...asOf(cx),
    sweep: work.command,
    shard: shardText(plan.shard),
  }
  const walk = (): AsyncGenerator<SweepMember, SweepTail> => cutLines(new Sweep(cx, target, plan, work).lines(), cut)
  return {
    kind: 'stream',
    head,
    list: 'members',
    walk,
    columns: () => COLUMNS,
    flushRows: true,
    endsWithSummary: true,
    async table(out: Output) {
      const { sweepTable } = await import('../render/views/sweep.ts')
      await sweepTable(head, walk(), out)
    },
  }
}

/** Lines in the order that was asked for. */
async function* cutLines(
  lines: AsyncGenerator<SweepMember, SweepTail>,
  cut: ListCut,
): AsyncGenerator<SweepMember, SweepTail> {
  const { end } = yield* cutRows(lines, cut, (all, order) => sortedBy(all, order, cut.isReverse, SORT_KEYS))
  return end
}

const SORT_KEYS = {
  name: ({ name }: SweepMember) => name,
  size: ({ size }: SweepMember) => size,
  cells: ({ cell_num }: SweepMember) => cell_num,
  fragments: ({ fragment_num }: SweepMember) => fragment_num,
  written: ({ timestamp_range }: SweepMember) => timestamp_range?.[1],
}

/** A member that was looked at. */
interface Looked {
  line: SweepMember
  faults: readonly InspectError[]
  /** Whether the line comes from the file of `--resume`. */
  isResumed: boolean
}

class Sweep {
  private readonly cx: CommandContext
  private readonly target: GroupTarget
  private readonly plan: SweepPlan
  private readonly work: SweepWork
  private readonly sums = new DatasetSums()
  private readonly worst = new Worst()
  private readonly not_entered: SweepNotEntered = { excluded_num: 0, again_num: 0, deep_num: 0 }
  private readonly watches = new WeakMap<Target, Watch>()
  private member_num = 0
  private resumed_num = 0
  /** The noted members, and those of this run. */
  private resume: import('../node/resume-file.ts').ResumeFile | undefined

  constructor(cx: CommandContext, target: GroupTarget, plan: SweepPlan, work: SweepWork) {
    this.cx = cx
    this.target = target
    this.plan = plan
    this.work = work
  }

  async *lines(): AsyncGenerator<SweepMember, SweepTail> {
    const { cx, target, plan, work, sums } = this
    const { group } = target
    group.isRecursive = true
    group.bounds = this.bounds()
    if (plan.resume !== undefined) await this.openResume(plan.resume)
    sums.add(await groupFiles(group.folder))
    const progress = cx.progress({ what: 'going through members', unit: 'members' })
    try {
      const members = ofShard(
        walkDataset(target, (path) => this.open(path), plan.depth),
        plan.shard,
      )
      const looked = inOrder(members, plan.jobs ?? atOnce(group.folder), (member) => this.lookOrResume(member))
      for await (const { line, faults, isResumed } of looked) {
        this.member_num++
        if (isResumed) this.resumed_num++
        sums.add(line)
        this.worst.add(line)
        work.add?.(line)
        this.judge(line, faults)
        yield line
        progress.update(this.member_num)
        await cx.reading.pause?.()
      }
    } finally {
      progress.stop()
      this.resume?.close()
    }
    this.noteLeftOut()
    return {
      member_num: this.member_num,
      totals: sums.result(),
      not_entered: this.not_entered,
      resumed_num: this.resume && this.resumed_num,
      worst: this.worst.list,
      worst_num: this.worst.num,
      ...work.tail?.(),
    }
  }

  private bounds(): WalkBounds {
    const { exclude, depth } = this.plan
    const matchers = exclude.map(globMatcher)
    const { not_entered } = this
    const count = { excluded: 'excluded_num', again: 'again_num', deep: 'deep_num' } as const
    return {
      depth,
      excludes: (path) => matchers.some((matches) => matches(path)),
      leaveOut(path: string, cause: LeftOutCause) {
        not_entered[count[cause]]++
        if (cause === 'deep') not_entered.too_deep ??= path
      },
    }
  }

  private noteLeftOut(): void {
    const { again_num, deep_num, too_deep } = this.not_entered
    const { depth } = this.plan
    if (deep_num > 0)
      this.cx.note(
        `what lies deeper than ${depth === 1 ? '1 level' : `${depth} levels`} is left out, in ${deep_num === 1 ? too_deep : `${deep_num} folders, such as ${too_deep}`}: --depth goes deeper`,
        'target',
      )
    if (again_num > 0)
      this.cx.note(
        `${again_num === 1 ? '1 folder is' : `${again_num} folders are`} entered once, though links lead there by several paths`,
        'target',
      )
  }

  private async openResume(path: string): Promise<void> {
    const { cx, plan, work, target } = this
    await cx.refuseReadPlace(path, '--resume')
    const { ResumeFile } = await import('../node/resume-file.ts')
    const { from, now } = cx.times ?? {}
    this.resume = new ResumeFile(path, {
      ...documentHead('dataset', target.path),
      sweep: work.command,
      exclude: [...plan.exclude].sort(),
      depth: String(plan.depth),
      shard: shardText(plan.shard) ?? null,
      times: from === undefined && now === undefined ? null : `${from ?? ''}..${now ?? ''}`,
      settings: { ...work.settings },
    })
  }

  /** Each member is watched by itself: a change of one array does not concern the others. */
  private readonly open: OpenTarget = async (path) => {
    const { storage, reading } = this.cx
    const watch = watched(storage.anew ?? storage)
    const own = { ...reading, keyProven: false, encrypted: false, onFault: undefined }
    const target = await openTarget(watch.storage, path, own)
    this.watches.set(target, watch)
    return target
  }

  private async lookOrResume(member: DatasetMember): Promise<Looked> {
    const { resume } = this
    const array = member.target?.type === 'array' && !member.again ? member.target.array : undefined
    if (!resume || !array) return this.look(member)
    const state = await orError(() => stateOf(array))
    if (state instanceof InspectError) return this.look(member)
    const { digestOf } = await import('../node/resume-file.ts')
    const state_id = digestOf(state)
    const known = resume.known(member.names.join('/'), state_id)
    if (known && isMemberLine(known)) return { line: known as unknown as SweepMember, faults: [], isResumed: true }
    const looked = await this.look(member)
    const line = { ...looked.line, state_id }
    // What was changed meanwhile, or could not be examined, is done again.
    if (!looked.faults.some((fault) => exitCodeOf(fault) !== 1))
      resume.add(toJson(line, { int64: 'number', indent: false }))
    return { ...looked, line }
  }

  private async look(member: DatasetMember): Promise<Looked> {
    let found = member
    for (let tried = 1; ; tried++) {
      const faults: InspectError[] = []
      const line = await this.lineOf(found, faults)
      const watch = found.target && this.watches.get(found.target)
      const files = faults.flatMap(({ at: { file } }) => (file === undefined ? [] : [file]))
      const looksWrong = faults.length > 0 || this.work.isWrong(line)
      const changed = looksWrong ? await watch?.confirm(files) : watch?.changed()
      if (!changed) return { line, faults, isResumed: false }
      const again =
        tried < TRIES && found.path !== undefined ? await orError(() => this.open(String(found.path))) : changed
      if (again instanceof InspectError) {
        const error = errorResult(this.cx, hasCode(again, 'CHANGED_WHILE_READ') ? again : changed)
        return { line: { ...listed(line), error }, faults: [changed], isResumed: false }
      }
      found = { ...found, target: again }
    }
  }

  private async lineOf(member: DatasetMember, faults: InspectError[]): Promise<SweepMember> {
    const { work } = this
    const own: CommandContext = {
      ...this.cx,
      ...(member.target && contextOf(member.target)),
      fault: (error) => void faults.push(error),
      foundWrong() {},
      note() {},
    }
    const { line: known, facts } = await lineOf(own, member)
    const { names, line } = known
    const path = member.path ?? line.uri
    const head = documentHead('member', own.shownPath(path))
    const whole: SweepMember = { ...head, ...line, ...head, name: names.join('/') }
    if (!member.target && member.state !== 'missing' && member.state !== 'cycle') return whole
    const found = whole.error ? {} : await orError(async () => work.examine?.(own, member, whole) ?? {})
    if (found instanceof InspectError) faults.push(found)
    const all = { ...whole, ...(found instanceof InspectError ? { error: errorResult(own, found) } : found) }
    if (member.again || member.target?.type !== 'array') return all
    const { array } = member.target
    const { entries = [], opened = [], schema, fragments = [] } = facts ?? {}
    const replaced = opened.filter(({ result }) => result.state === 'to-vacuum')
    const hurts = await orError(async () =>
      hurtsOf({
        error_num: Math.max(all.finding_num?.error ?? 0, faults.some((fault) => exitCodeOf(fault) === 1) ? 1 : 0),
        entries,
        opened: schema && { array, schema, fragments },
        vacuum_size: await freedBytes(
          array,
          sum(replaced, ({ result }) => result.size),
        ),
      }),
    )
    return hurts instanceof InspectError || hurts.length === 0 ? all : { ...all, hurts }
  }

  /** Tells what decides the exit code. The line shows it. */
  private judge(line: SweepMember, faults: readonly InspectError[]): void {
    if (this.work.isWrong(line)) this.cx.foundWrong()
    for (const fault of faults) {
      if (exitCodeOf(fault) === 1) this.cx.foundWrong()
      else this.cx.fault(fault, true)
    }
  }
}

/** Whether a noted line has the parts that are summed. One that somebody changed may not have them: its member is done again. */
function isMemberLine({ kind, hurts, check }: JsonObject): boolean {
  const hasHurts = hurts === undefined || (Array.isArray(hurts) && hurts.every(isJsonObject))
  return kind === 'member' && hasHurts && (check === undefined || (isJsonObject(check) && isJsonObject(check.counts)))
}

/** What reads the parts of a member. */
function contextOf(target: Target): Pick<CommandContext, 'storage' | 'reading'> | undefined {
  const opened = openedOf(target)
  return opened && { storage: opened.folder.storage, reading: opened.cx }
}

/** A line with what the list of its group says alone. */
function listed(line: SweepMember): SweepMember {
  const { kind, path, schema_version, name, type, uri, relative, implicit, state, resolved, place, not_listed } = line
  return { kind, path, schema_version, name, type, uri, relative, implicit, state, resolved, place, not_listed }
}

/** Every n-th member. */
async function* ofShard(
  members: AsyncGenerator<DatasetMember>,
  shard: Shard | undefined,
): AsyncGenerator<DatasetMember> {
  let at = 0
  for await (const member of members) if (!shard || at++ % shard.count === shard.index) yield member
}

/** The arrays that are hurt most. */
class Worst {
  readonly list: SweepWorst[] = []
  num = 0

  add({ name, hurts }: SweepMember): void {
    const [first] = hurts ?? []
    if (!first) return
    this.num++
    const { list } = this
    const at = list.findIndex((other) => byHurt(first, other) < 0)
    list.splice(at < 0 ? list.length : at, 0, { name, ...first })
    if (list.length > MAX_WORST) list.pop()
  }
}
