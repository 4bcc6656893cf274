import { InspectError, orError, usage } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import type { Result } from '../base/result.ts'
import { collectedDocument } from '../calls/collected.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { differences, MOST_LISTED, step } from '../calls/compare-results.ts'
import { documentHead } from '../calls/document-parts.ts'
import { collect } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { noteBytesToRead } from '../calls/reading-ahead.ts'
import { withUsedFilters } from '../calls/schema-changes.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { parseEnd } from '../calls/times.ts'
import { bytesBelow } from '../calls/work-size.ts'
import type { ArrayListing } from '../documents/array.ts'
import type { CellsLine, CellsTail } from '../documents/cells.ts'
import type { DocumentHead } from '../documents/common.ts'
import type { DiffDocument, DiffLine } from '../documents/diff.ts'
import type { FragmentDocument } from '../documents/fragment.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { InspectArray } from '../objects/array.ts'
import type { FoundMember } from '../objects/dataset.ts'
import type { InspectGroup, Member } from '../objects/group.ts'
import type { Target } from '../objects/target.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { compareReads } from './diff-read.ts'

interface DiffOptions {
  cells?: boolean
  names?: boolean
  read?: boolean
  asOf?: string[]
}

const TAKES = { array: '', fragment: '', group: '', 'schema file': '' } as const satisfies Takes
const TAKES_WITH = { '--read': { array: '' } } as const satisfies CommandModule<never>['takesWith']

export const command: CommandModule<DiffOptions> = {
  examples: [
    ['two fragments: schema, sizes, footer, metadata, boxes', 'diff places/__1714 places/__1714'],
    ['two arrays and all their cells; exit code 0 where nothing differs', 'diff --cells weather weather'],
    ['what readers see of two arrays, however it is stored', 'diff --read weather weather'],
    ['for a script: whether they are equal, and every difference', 'diff --json weather weather'],
  ],

  together: true,

  takes: TAKES,
  takesWith: TAKES_WITH,

  configure(command) {
    command
      .argument('<a>', targetsHelp(TAKES))
      .argument('<b>', 'another of the same kind')
      .option('--cells', 'compare the cells, too, in stored order')
      .option('--names', 'compare names and timestamps, too')
      .option('--read', 'compare what readers of two arrays see, all fragments merged, instead of what is stored')
      .option(
        '--as-of <time>',
        'with --read: compare the arrays at that time; given twice: the time of a, then the time of b',
        collect,
      )
  },

  async *run(cx, [a, b], options) {
    if (options.read) {
      yield await readOutcome(cx, [a, b], options)
      return
    }
    if (options.asOf) throw usage('--as-of expects --read beside it, found none')
    const comparison: Comparison = { cx, options, found: [], cell_num: undefined, unlisted: 0, not_compared: [] }
    await compareTargets(comparison, '', [a, await cx.open(a)], [b, await cx.open(b)], [])
    const { found, cell_num, unlisted, not_compared } = comparison
    yield diffOutcome(cx, [a, b], found, {
      equal: found.length === 0 && not_compared.length === 0,
      cells_compared: options.cells ?? false,
      cell_num,
      unlisted_cell_num: unlisted || undefined,
      not_compared: not_compared.length === 0 ? undefined : not_compared,
    })
  },
}

function diffOutcome(
  cx: CommandContext,
  [a, b]: readonly [string, string],
  found: readonly DiffLine[],
  facts: Omit<DiffDocument, keyof DocumentHead | 'other' | 'differences'>,
): Outcome {
  const document: DiffDocument = {
    ...documentHead('diff', cx.shownPath(a)),
    other: cx.shownPath(b),
    ...facts,
    // Every row has all keys: CSV needs the same columns in each.
    differences: found.map(({ path, a, b, more }) => ({ path, a, b, more })),
  }
  if (document.differences.length > 0) cx.foundWrong()
  return {
    kind: 'rows',
    document,
    rows: document.differences,
    columns: () => ['path', 'a', 'b', 'more'],
    table: async (out) => (await import('../render/views/diff.ts')).diffTable(document, out),
  }
}

/** The result of `diff --read`. */
async function readOutcome(
  cx: CommandContext,
  [a, b]: readonly [string, string],
  options: DiffOptions,
): Promise<Outcome> {
  if (options.cells || options.names) throw usage({ expected: '--read, or --cells and --names', found: 'both' })
  const { asOf = [] } = options
  if (asOf.length > 2) throw usage({ expected: '--as-of twice at most', found: `it ${asOf.length} times` })
  const times = asOf.map((text) => parseEnd(cx, '--as-of', text))
  const opened = async (path: string, to: bigint | undefined): Promise<OpenedArray> => {
    const target = await targetFor(cx, 'diff --read', TAKES_WITH['--read'], await cx.open(path))
    await noteBytesToRead(cx, target)
    return openAt(target.array, { to })
  }
  const [left, right] = [await opened(a, times[0]), await opened(b, times.at(-1))]
  const found = [...differences('metadata', await keyValues(cx, left.array), await keyValues(cx, right.array))]
  const { counts, unlisted } = (await compareReads(cx, left, right, found)) ?? {}
  const { cells_same = 0, cells_changed = 0, cells_only_a = 0, cells_only_b = 0 } = counts ?? {}
  return diffOutcome(cx, [a, b], found, {
    equal: found.length === 0,
    cells_compared: counts !== undefined,
    cell_num: counts && cells_same + cells_changed + cells_only_a + cells_only_b,
    reader_cells: { ...(options.asOf && { as_of: left.between, other_as_of: right.between }), ...counts },
    unlisted_cell_num: unlisted || undefined,
  })
}

/** Keys of documents that are never compared: the head, values that follow from other values, and faults. */
const HEAD = ['kind', 'path', 'schema_version', 'written_by', 'read_by', 'ratio', 'read', 'unread', 'error']
/** Keys with names and timestamps, which are compared only with `--names`. */
const NAMES = ['name', 'timestamp_range', 'array_schema_name', 'hidden_by']

/** A comparison, and its results so far. */
interface Comparison {
  readonly cx: CommandContext
  readonly options: DiffOptions
  readonly found: DiffLine[]
  cell_num: number | undefined
  /** Number of cells that differ and are not listed in `found`. */
  unlisted: number
  /** Paths of what could not be read on one side or both: members of groups, fragments and cells. */
  readonly not_compared: string[]
}

/**
 * Compares two targets.
 * @param prefix the path of the targets within their groups, with which the path of every difference begins
 * @param above the identities of the groups around the targets
 * @throws InspectError WRONG_TARGET if the two targets are of different types
 */
async function compareTargets(
  run: Comparison,
  prefix: string,
  [a, left]: readonly [string, Target],
  [b, right]: readonly [string, Target],
  above: readonly string[],
): Promise<void> {
  const { options, found } = run
  if (left.type !== right.type) {
    if (prefix === '')
      throw new InspectError('WRONG_TARGET', `diff expects two targets of a kind, found ${left.type} and ${right.type}`)
    found.push({ path: prefix, a: left.type, b: right.type })
    return
  }
  if (left.type === 'group' && right.type === 'group') {
    await compareGroups(run, prefix, left.group, right.group, above)
    return
  }
  const one = await describe(run, a, left)
  // A target equals itself, even if somebody writes to it meanwhile.
  const other = left === right ? one : await describe(run, b, right)
  for (const [name, read] of Object.entries(one.parts)) {
    // Only one part at a time is in memory, because the metadata of many tiles is large.
    const part = await read()
    const otherPart = one === other ? part : ((await other.parts[name]?.()) ?? null)
    found.push(...differences(below(prefix, name), part, otherPart))
  }
  const { pairs, unpaired } = fragmentPairs(one, other)
  for (const pair of pairs) {
    const path = below(prefix, pair.path)
    found.push(...differences(path, pair.a.content, pair.b.content))
    if (pair.a.isUnread || pair.b.isUnread) run.not_compared.push(path)
    else if (options.cells) await compareCells(run, { ...pair, path })
  }
  for (const difference of unpaired) found.push({ ...difference, path: below(prefix, difference.path) })
}

/** Compares the metadata, the lists of members, and each member that both groups have. */
async function compareGroups(
  run: Comparison,
  prefix: string,
  left: InspectGroup,
  right: InspectGroup,
  above: readonly string[],
): Promise<void> {
  const { cx, options, found } = run
  found.push(...differences(below(prefix, 'metadata'), await keyValues(cx, left), await keyValues(cx, right)))
  const { findMember } = await import('../objects/dataset.ts')
  const around = [...above, await left.identity(), await right.identity()]
  // Several members may have one name: absolute URIs may end in the same name.
  const others = groupBy(await right.members(), memberName)
  for (const member of await left.members()) {
    const name = memberName(member)
    const path = below(prefix, `members.${step(name)}`)
    const other = others.get(name)?.shift()
    if (!other) {
      found.push({ path, a: member.type, b: null })
      continue
    }
    const [x, y] = [await findMember(left, member, around, cx.open), await findMember(right, other, around, cx.open)]
    const listed = ({ member: { type, implicit, relative, uri }, state }: FoundMember): Result =>
      options.names ? { type, implicit, state, relative, uri } : { type, implicit, state }
    found.push(...differences(path, listed(x), listed(y)))
    for (const { error, state } of [x, y]) {
      if (!error || state === 'cycle' || state === 'missing') continue
      cx.fault(error)
      if (!run.not_compared.includes(path)) run.not_compared.push(path)
    }
    if (!x.target || !y.target || x.path === undefined || y.path === undefined) continue
    // The different types are among the differences already.
    if (x.target.type !== y.target.type && member.type !== other.type) continue
    const [one, two] = [[x.path, x.target] as const, [y.path, y.target] as const]
    const error = await orError(() => compareTargets(run, path, one, two, around))
    if (!error) continue
    cx.fault(error)
    run.not_compared.push(path)
  }
  for (const [name, rest] of others) {
    for (const { type } of rest) found.push({ path: below(prefix, `members.${step(name)}`), a: null, b: type })
  }
}

/** The key-value metadata of an array or group. @throws InspectError for damage, even if only some of the files are damaged */
async function keyValues(cx: CommandContext, holder: InspectArray | InspectGroup): Promise<Result> {
  holder.cx.onFault = undefined
  const { keyValueResult } = await import('../calls/key-values.ts')
  const result = keyValueResult(await holder.metadata(), cx.style)
  // The times of writes are not compared.
  for (const one of Object.values(result)) delete one.timestamp_range
  return result
}

/** The name of a member in its group. It is the same in a copy of the group. */
function memberName({ name, uri, relative }: Member): string {
  return name ?? (relative ? uri : lastPathPart(uri))
}

/** What is compared of a target. */
interface Described {
  type: Target['type']
  path: string
  /** Reads each part, by name. */
  parts: { readonly [name: string]: () => Promise<Result> }
  /** The fragments of an array; of a fragment, the fragment itself. */
  fragments: { name: string; path: string; content: object; isUnread: boolean }[]
}

async function describe({ cx, options }: Comparison, path: string, target: Target): Promise<Described> {
  const { type } = target
  const compared = (document: object): object => comparedKeys(document, options)
  const from =
    (name: keyof typeof SOURCES, at = path) =>
    () =>
      documentOf(cx, name, at).then((document) =>
        compared(name === 'schema' ? withUsedFilters(document as SchemaDocument) : document),
      )
  if (type === 'array') {
    const listing = (await documentOf(cx, 'ls', path)) as ArrayListing
    const { fragments, fragment_num, schemas, overlap_pairs, array_type, format_version, ...array } = listing
    const found: Described['fragments'] = []
    for await (const one of fragments)
      found.push({ name: one.name, path: one.path, content: compared(one), isUnread: one.error !== undefined })
    const parts = {
      array: async () => compared(array),
      schema: from('schema'),
      metadata: () => keyValues(cx, target.array),
    }
    return { type, path, parts, fragments: found }
  }
  if (type === 'fragment') {
    const { schemaName } = await target.fragment.info()
    const file = schemaName === OLD_SCHEMA_FILE ? schemaName : `__schema/${schemaName}`
    const { files, ...fragment } = (await documentOf(cx, 'ls', path)) as FragmentDocument
    const parts = {
      schema: from('schema', `${target.array?.folder.path ?? ''}/${file}`),
      fragment: async () => compared(fragment),
      files: async () => files,
      footer: from('footer'),
      metadata: from('metadata'),
      rtree: from('rtree'),
    }
    return { type, path, parts, fragments: [{ name: '', path, content: {}, isUnread: false }] }
  }
  await targetFor(cx, 'diff', TAKES, target)
  return { type, path, parts: { schema: from('schema') }, fragments: [] }
}

/** A document without the keys that are not compared. Inner keys stay, because they may be names that users chose. */
function comparedKeys(document: object, { names }: DiffOptions): object {
  const leftOut = names ? HEAD : [...HEAD, ...NAMES]
  const kept: { dimension_labels?: SchemaDocument['dimension_labels'] } = Object.fromEntries(
    Object.entries(document).filter(([key]) => !leftOut.includes(key)),
  )
  const labels = kept.dimension_labels
  if (names || !labels) return kept
  return { ...kept, dimension_labels: labels.map(({ uri, ...label }) => label) }
}

/** Loads the commands whose documents are compared. */
const SOURCES = {
  ls: () => import('./ls.ts'),
  schema: () => import('./schema.ts'),
  footer: () => import('./footer.ts'),
  metadata: () => import('./metadata.ts'),
  rtree: () => import('./rtree.ts'),
  decode: () => import('./decode.ts'),
}

/** The first outcome of another command. @throws InspectError if it has none, or if it is an error */
async function outcomeOf(cx: CommandContext, name: keyof typeof SOURCES, path: string): Promise<Outcome> {
  const { command } = await SOURCES[name]()
  for await (const outcome of command.run(cx, [path], {})) {
    if (outcome.kind === 'error') throw outcome.error
    return outcome
  }
  throw new InspectError('NOT_FOUND', `${name} finds nothing to compare`, { file: path })
}

/** The document of another command. Lists that are made while they are printed stay so, if the document is known before its rows. */
async function documentOf(cx: CommandContext, name: keyof typeof SOURCES, path: string): Promise<object> {
  const outcome = await outcomeOf(cx, name, path)
  return 'document' in outcome ? outcome.document : collectedDocument(outcome)
}

interface Pair {
  path: string
  a: Described['fragments'][number]
  b: Described['fragments'][number]
}

/** Pairs the fragments with the same name, and then the others in the order of their timestamps. */
function fragmentPairs(left: Described, right: Described): { pairs: Pair[]; unpaired: DiffLine[] } {
  if (left.type === 'fragment')
    return { pairs: [{ path: '', a: left.fragments[0], b: right.fragments[0] }], unpaired: [] }
  const others = new Map(right.fragments.map((one) => [one.name, one]))
  const pairs: Pair[] = []
  const rest: Described['fragments'] = []
  for (const a of left.fragments) {
    const b = others.get(a.name)
    if (b) pairs.push({ path: `fragments.${a.name}`, a, b })
    else rest.push(a)
    others.delete(a.name)
  }
  const unnamed = [...others.values()]
  rest.slice(0, unnamed.length).forEach((a, i) => {
    pairs.push({ path: `fragments[${left.fragments.indexOf(a)}]`, a, b: unnamed[i] })
  })
  const onlyLeft = rest.slice(unnamed.length).map(({ name }) => ({ path: `fragments.${name}`, a: name, b: null }))
  const onlyRight = unnamed.slice(rest.length).map(({ name }) => ({ path: `fragments.${name}`, a: null, b: name }))
  return { pairs, unpaired: [...onlyLeft, ...onlyRight] }
}

/** Compares cells one by one in stored order, and counts them. */
async function compareCells(run: Comparison, { path, a, b }: Pair): Promise<void> {
  const { cx, found } = run
  const [left, right] = [await cellsOf(cx, a.path), await cellsOf(cx, b.path)]
  const total = async (): Promise<number | undefined> => {
    const [one, other] = [
      await bytesBelow(cx.storage, cx.internalPath(a.path)),
      await bytesBelow(cx.storage, cx.internalPath(b.path)),
    ]
    return one !== undefined && other !== undefined ? one + other : undefined
  }
  const progress = cx.progress({ what: 'comparing cells', total })
  const tails: CellsTail[] = []
  const next = async (cells: ComparedCells): Promise<CellsLine | undefined> => {
    const { done, value } = await cells.next()
    if (!done) return value
    // After the end, iterators return nothing.
    if (value !== undefined) tails.push(value)
    return undefined
  }
  let cell = 0
  try {
    for (;;) {
      const [one, other] = [await next(left), await next(right)]
      if (one === undefined && other === undefined) break
      const [first] = differences(below(path, `cells[${cell}]`), one ?? null, other ?? null)
      if (first && found.length < MOST_LISTED) found.push(first)
      else if (first) run.unlisted++
      cell++
    }
  } finally {
    progress.stop()
    await left.return?.()
    await right.return?.()
  }
  run.cell_num = (run.cell_num ?? 0) + cell
  if (tails.some(({ errors }) => errors !== undefined)) run.not_compared.push(below(path, 'cells'))
}

type ComparedCells = AsyncIterator<CellsLine, CellsTail | undefined, undefined>

/** The cells of a fragment. Their return value says whether all of them could be read. */
async function cellsOf(cx: CommandContext, path: string): Promise<ComparedCells> {
  const outcome = await outcomeOf(cx, 'decode', path)
  if (outcome.kind !== 'cells') throw new TypeError('decode has no cells')
  return outcome.walk()
}

/** A path below another path. Either may be empty. */
function below(prefix: string, path: string): string {
  return prefix === '' ? path : path === '' ? prefix : `${prefix}.${path}`
}
