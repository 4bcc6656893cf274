import { InspectError, orError } from '../base/errors.ts'
import type { Result } from '../base/result.ts'
import { collectedDocument } from '../calls/collected.ts'
import type { CommandContext } from '../calls/command.ts'
import { differences } from '../calls/compare-results.ts'
import type { Outcome } from '../calls/outcome.ts'
import { withUsedFilters } from '../calls/schema-changes.ts'
import { targetFor } from '../calls/targets.ts'
import { bytesBelow } from '../calls/work-size.ts'
import type { ArrayListing } from '../documents/array.ts'
import type { CellsLine, CellsTail } from '../documents/cells.ts'
import type { DiffLine, DiffPart } from '../documents/diff.ts'
import type { FooterDocument } from '../documents/footer.ts'
import type { FragmentDocument } from '../documents/fragment.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { InspectArray } from '../objects/array.ts'
import type { InspectGroup } from '../objects/group.ts'
import type { Target } from '../objects/target.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { below, Compared, type DiffComparison, type DiffOptions, TAKES } from './diff-comparison.ts'
import { footerDifferences } from './diff-footer.ts'

/** A target, and the path by which it was opened. */
export type OpenedTarget = readonly [path: string, target: Target]

/**
 * Compares two arrays, fragments or files.
 * @param prefix the path of the targets within their groups, with which the path of every difference begins
 */
export async function compareObjects(
  run: DiffComparison,
  prefix: string,
  [a, left]: OpenedTarget,
  [b, right]: OpenedTarget,
): Promise<Compared> {
  const { options } = run
  if (options.read && left.type === 'array' && right.type === 'array')
    return compareArraysRead(run, prefix, await openedBoth(left.array, right.array))
  const result = new Compared(run)
  const one = await describe(run, a, left)
  // A target equals itself, even if somebody writes to it meanwhile.
  const other = left === right ? one : await describe(run, b, right)
  /** Whether cells lie in the same order in both. */
  let inOneOrder = true
  for (const { name, part, read, compare = differences } of one.aspects) {
    if (options.schemaOnly && part !== 'schema') continue
    // Only one part at a time is in memory, because the metadata of many tiles is large.
    const value = await read()
    const otherValue = one === other ? value : ((await other.aspects.find((it) => it.name === name)?.read()) ?? null)
    const isFound = result.add(part, compare(below(prefix, name), value, otherValue))
    if (!isFound || part !== 'schema') continue
    inOneOrder = false
    result.schemaIsRead = !isSame(withoutLayout(value), withoutLayout(otherValue))
  }
  if (options.schemaOnly) return result
  const { pairs, unpaired } = fragmentPairs(one, other)
  const isAsStored = left.type !== 'array' || (inOneOrder && unpaired.length === 0 && pairs.every(hasOneLength))
  for (const pair of pairs) {
    const path = below(prefix, pair.path)
    result.add('storage', differences(path, pair.a.content, pair.b.content))
    if (pair.a.isUnread || pair.b.isUnread) run.lost(path)
    else if (options.cells && isAsStored) await compareCells(run, result, { ...pair, path })
  }
  result.add(
    'storage',
    unpaired.map((line) => ({ ...line, path: below(prefix, line.path) })),
  )
  if (!options.cells || left.type !== 'array' || right.type !== 'array') return result
  if (!isAsStored) {
    const error = await orError(async () => {
      const { compareReads } = await import('./diff-read.ts')
      const [x, y] = await openedBoth(left.array, right.array)
      await compareReads(run, result, prefix, x, y)
    })
    if (error) run.lost(below(prefix, 'cells'), error)
  } else if (pairs.length === 0) result.sameCells = true
  return result
}

/** `diff --read` of two arrays: their metadata, fields and cells as readers see them. */
export async function compareArraysRead(
  run: DiffComparison,
  prefix: string,
  [left, right]: readonly [OpenedArray, OpenedArray],
): Promise<Compared> {
  const { cx } = run
  const result = new Compared(run)
  const [a, b] = [await keyValues(cx, left.array), await keyValues(cx, right.array)]
  result.add('metadata', differences(below(prefix, 'metadata'), a, b))
  const { compareReads, fieldDifferences } = await import('./diff-read.ts')
  if (result.add('schema', fieldDifferences(prefix, left, right))) result.schemaIsRead = true
  await compareReads(run, result, prefix, left, right)
  return result
}

async function openedBoth(left: InspectArray, right: InspectArray): Promise<[OpenedArray, OpenedArray]> {
  return [await openAt(left, {}), await openAt(right, {})]
}

function isSame(a: Result, b: Result): boolean {
  return differences('', a, b).next().done === true
}

/** A schema without what only says how cells are stored. Readers see no difference in that. */
function withoutLayout(schema: Result): Result {
  const { format_version, encryption, tile_order, cell_order, capacity, ...rest } = schema as SchemaDocument
  const { coords_filters, offsets_filters, validity_filters, ...seen } = rest
  return {
    ...seen,
    dimensions: seen.dimensions.map(({ tile_extent, filters, ...dimension }) => dimension),
    attributes: seen.attributes.map(({ filters, ...attribute }) => attribute),
  }
}

/** The key-value metadata of an array or group. @throws InspectError for damage, even if only some of the files are damaged */
export async function keyValues(cx: CommandContext, holder: InspectArray | InspectGroup): Promise<Result> {
  holder.cx.onFault = undefined
  const { keyValueResult } = await import('../calls/key-values.ts')
  const result = keyValueResult(await holder.metadata(), cx.style)
  // The times of writes are not compared.
  for (const one of Object.values(result)) delete one.timestamp_range
  return result
}

/** Something that is compared, and in which part of the verdict a difference counts. */
interface Aspect {
  name: string
  part: DiffPart
  read: () => Promise<Result>
  /** How it is compared; by default by {@link differences}. */
  compare?: (path: string, a: Result, b: Result) => Iterable<DiffLine>
}

/** What is compared of a target. */
interface Described {
  type: Target['type']
  path: string
  aspects: readonly Aspect[]
  /** The fragments of an array; of a fragment, the fragment itself. */
  fragments: DescribedFragment[]
}

interface DescribedFragment {
  name: string
  path: string
  content: object
  cell_num: unknown
  isUnread: boolean
}

async function describe({ cx, options }: DiffComparison, path: string, target: Target): Promise<Described> {
  const { type } = target
  const compared = (document: object): object => comparedKeys(document, options)
  const from = (name: keyof typeof SOURCES, part: DiffPart, at: string): Aspect => ({
    name,
    part,
    read: async () => {
      const document = await documentOf(cx, name, at)
      return compared(name === 'schema' ? withUsedFilters(document as SchemaDocument) : document)
    },
  })
  /** The aspects of the metadata file of a fragment. */
  const ofMetadata = (at: string): Aspect[] => [
    {
      ...from('footer', 'storage', at),
      compare: (where, a, b) => footerDifferences(where, a as FooterDocument, b as FooterDocument),
    },
    from('metadata', 'storage', at),
    from('rtree', 'storage', at),
  ]
  if (type === 'array') {
    if (options.schemaOnly) return { type, path, aspects: [from('schema', 'schema', path)], fragments: [] }
    const listing = (await documentOf(cx, 'ls', path)) as ArrayListing
    const { fragments, fragment_num, schemas, overlap_pairs, array_type, format_version, ...array } = listing
    const found: DescribedFragment[] = []
    for await (const one of fragments) {
      const { name, path: at, cell_num, error } = one
      found.push({ name, path: at, content: compared(one), cell_num, isUnread: error !== undefined })
    }
    const aspects: Aspect[] = [
      { name: 'array', part: 'storage', read: async () => compared(array) },
      from('schema', 'schema', path),
      { name: 'metadata', part: 'metadata', read: () => keyValues(cx, target.array) },
    ]
    return { type, path, aspects, fragments: found }
  }
  if (type === 'fragment') {
    const { schemaName } = await target.fragment.info()
    const file = schemaName === OLD_SCHEMA_FILE ? schemaName : `__schema/${schemaName}`
    const schema = from('schema', 'schema', `${target.array?.folder.path ?? ''}/${file}`)
    if (options.schemaOnly) return { type, path, aspects: [schema], fragments: [] }
    const { files, ...fragment } = (await documentOf(cx, 'ls', path)) as FragmentDocument
    const aspects: Aspect[] = [
      schema,
      { name: 'fragment', part: 'storage', read: async () => compared(fragment) },
      { name: 'files', part: 'storage', read: async () => files },
      ...ofMetadata(path),
    ]
    return { type, path, aspects, fragments: [{ name: '', path, content: {}, cell_num: 0, isUnread: false }] }
  }
  const taken = await targetFor(cx, 'diff', TAKES, target)
  if (taken.type === 'file' && taken.fragment)
    return { type, path, aspects: ofMetadata(taken.fragment.folder.path), fragments: [] }
  return { type, path, aspects: [from('schema', 'schema', path)], fragments: [] }
}

/** Keys of documents that are never compared: the head, values that follow from other values, and faults. */
const HEAD = ['kind', 'path', 'schema_version', 'written_by', 'read_by', 'ratio', 'read', 'unread', 'error']
/** Keys with names and timestamps, which are compared only with `--names`. */
const NAMES = ['name', 'timestamp_range', 'array_schema_name', 'hidden_by']

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
  a: DescribedFragment
  b: DescribedFragment
}

/** Whether both fragments have as many cells. Otherwise all cells after the first difference would differ. */
function hasOneLength({ a, b }: Pair): boolean {
  return a.cell_num === b.cell_num || a.isUnread || b.isUnread
}

/** Pairs the fragments with the same name, and then the others in the order of their timestamps. */
function fragmentPairs(left: Described, right: Described): { pairs: Pair[]; unpaired: DiffLine[] } {
  if (left.type === 'fragment')
    return { pairs: [{ path: '', a: left.fragments[0], b: right.fragments[0] }], unpaired: [] }
  const others = new Map(right.fragments.map((one) => [one.name, one]))
  const pairs: Pair[] = []
  const rest: DescribedFragment[] = []
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
async function compareCells(run: DiffComparison, result: Compared, { path, a, b }: Pair): Promise<void> {
  const { cx } = run
  const sides = [await cellsOf(cx, a.path), await cellsOf(cx, b.path)] as const
  const [left, right] = [sides[0].cells, sides[1].cells]
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
  result.sameCells ??= true
  try {
    for (;;) {
      const [one, other] = [await next(left), await next(right)]
      if (one === undefined && other === undefined) break
      if (one && other) {
        if (!hasAll(one, sides[0].names)) dropUnread(sides[0].names, one, other)
        if (!hasAll(other, sides[1].names)) dropUnread(sides[1].names, other, one)
      }
      const [first] = differences(below(path, `cells[${cell}]`), one ?? null, other ?? null)
      if (first && result.addCell([first])) result.sameCells = false
      cell++
    }
  } finally {
    progress.stop()
    await left.return?.()
    await right.return?.()
  }
  run.cell_num = (run.cell_num ?? 0) + cell
  if (tails.some(({ errors }) => errors !== undefined)) run.lost(below(path, 'cells'))
}

type ComparedCells = AsyncIterator<CellsLine, CellsTail | undefined, undefined>

/** The cells of a fragment, and the names of their fields. The return value of the cells says whether all of them could be read. */
async function cellsOf(cx: CommandContext, path: string): Promise<{ cells: ComparedCells; names: readonly string[] }> {
  const outcome = await outcomeOf(cx, 'decode', path)
  if (outcome.kind !== 'cells') throw new TypeError('decode has no cells')
  return { cells: outcome.walk(), names: (await outcome.columns?.()) ?? [] }
}

function hasAll(cell: CellsLine, names: readonly string[]): boolean {
  return Object.keys(cell).length >= names.length
}

/** Drops the fields of a cell that could not be read from the other one: nobody knows whether they differ. */
function dropUnread(names: readonly string[], cell: CellsLine, other: CellsLine): void {
  for (const name of names) if (!(name in cell)) delete other[name]
}
