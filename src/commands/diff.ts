import { InspectError } from '../errors.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { Document, Output, Result } from '../render/result.ts'
import type { Target } from '../target.ts'
import { type CommandContext, type CommandModule, documentHead, type Outcome, wrongTarget } from './command.ts'
import { type Difference, differences, isFields } from './compare-results.ts'

interface DiffOptions {
  cells?: boolean
  names?: boolean
}

export const command: CommandModule<DiffOptions> = {
  together: true,

  configure(command) {
    command
      .argument('<a>', 'array, fragment, group or schema file')
      .argument('<b>', 'another of the same kind')
      .option('--cells', 'compare the cells, too, in stored order')
      .option('--names', 'compare names and time stamps, too')
  },

  async *run(cx, [a, b], options) {
    yield await diffOutcome(cx, a, b, options)
  },
}

type Fields = { readonly [key: string]: Result | undefined }

/** Keys of a document's head and of what follows from others, and of what only says where something is or what it is called. */
const HEAD = ['kind', 'path', 'schema_version', 'written_by', 'read_by', 'ratio']
const NAMES = ['name', 'timestamp_range', 'array_schema_name', 'committed_by', 'hidden_by', 'uri']
/** Cells that are reported one by one; the others are counted. */
const CELLS_SHOWN = 20

async function diffOutcome(cx: CommandContext, a: string, b: string, options: DiffOptions): Promise<Outcome> {
  const [left, right] = [await described(cx, a), await described(cx, b)]
  if (left.type !== right.type) {
    throw new InspectError('WRONG_TARGET', `diff expects two targets of a kind, found ${left.type} and ${right.type}`)
  }
  const ignored = new Set(options.names || left.type === 'group' ? HEAD : [...HEAD, ...NAMES])
  const found: Difference[] = []
  for (const [name, read] of Object.entries(left.parts)) {
    // one part at a time: the metadata of many tiles is large
    found.push(...differences(name, await read(), (await right.parts[name]?.()) ?? null, ignored))
  }
  let cell_num: number | undefined
  for (const pair of fragmentPairs(left, right)) {
    found.push(...differences(pair.path, pair.a.content, pair.b.content, ignored))
    if (options.cells) cell_num = (cell_num ?? 0) + (await compareCells(cx, pair, found))
  }
  for (const path of unpaired(left, right)) found.push(path)
  const document = {
    ...documentHead('diff', cx.shownPath(a)),
    other: cx.shownPath(b),
    equal: found.length === 0,
    cells_compared: options.cells ?? false,
    cell_num,
    // every row with the same keys, as tables of text want them
    differences: found.map(({ path, a, b, more }): Fields => ({ path, a, b, more })),
  }
  return {
    document,
    rows: 'differences',
    notRight: found.length > 0,
    async table(out: Output) {
      const { diffTable } = await import('../render/views/diff.ts')
      await diffTable(document, cx.full, out)
    },
  }
}

/** What is compared of a target, read when its turn comes. */
interface Described {
  type: Target['type']
  path: string
  parts: { readonly [name: string]: () => Promise<Result> }
  /** Of an array; a fragment is the only one of itself. */
  fragments: { name: string; path: string; content: Fields }[]
}

async function described(cx: CommandContext, path: string): Promise<Described> {
  const target = await cx.open(path)
  const { type } = target
  const from =
    (name: keyof typeof SOURCES, at = path) =>
    (): Promise<Document> =>
      documentOf(cx, name, at)
  if (type === 'array') {
    const { fragments, fragment_num, schemas, overlaps, array_type, format_version, ...array } = await documentOf(
      cx,
      'ls',
      path,
    )
    return {
      type,
      path,
      parts: {
        array: async () => array,
        schema: from('schema'),
        metadata: async () => (await documentOf(cx, 'metadata', path)).metadata ?? null,
      },
      fragments: fieldsIn(fragments).map((one) => ({ name: String(one.name), path: String(one.path), content: one })),
    }
  }
  if (type === 'group') return { type, path, parts: { group: from('ls') }, fragments: [] }
  if (type === 'fragment') {
    const { schemaName } = await target.fragment.info()
    const file = schemaName === OLD_SCHEMA_FILE ? schemaName : `__schema/${schemaName}`
    const { files, ...fragment } = await documentOf(cx, 'ls', path)
    return {
      type,
      path,
      parts: {
        schema: from('schema', `${target.array?.folder.path ?? ''}/${file}`),
        fragment: async () => fragment,
        files: async () => files ?? [],
        footer: from('footer'),
        metadata: from('metadata'),
        rtree: from('rtree'),
      },
      fragments: [{ name: '', path, content: {} }],
    }
  }
  if (target.name !== OLD_SCHEMA_FILE && !target.path.includes('/__schema/')) {
    throw await wrongTarget('diff', target, 'an array, a fragment, a group or a schema file')
  }
  return { type, path, parts: { schema: from('schema') }, fragments: [] }
}

const SOURCES = {
  ls: () => import('./ls.ts'),
  schema: () => import('./schema.ts'),
  footer: () => import('./footer.ts'),
  metadata: () => import('./metadata.ts'),
  rtree: () => import('./rtree.ts'),
  decode: () => import('./decode.ts'),
}

/** The document that another command gives of a target. @throws InspectError where it gives none */
async function documentOf(cx: CommandContext, name: keyof typeof SOURCES, path: string): Promise<Document> {
  const { command } = await SOURCES[name]()
  for await (const outcome of command.run(cx, [path], {})) {
    if (outcome.error) throw outcome.error
    return outcome.document
  }
  throw new InspectError('NOT_FOUND', `${name} finds nothing to compare`, { file: path })
}

function fieldsIn(value: Result | undefined): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

interface Pair {
  path: string
  a: Described['fragments'][number]
  b: Described['fragments'][number]
}

/** Fragments of the same name, then those that are left over, in the order of their time stamps. */
function fragmentPairs(left: Described, right: Described): Pair[] {
  if (left.type === 'fragment') return [{ path: '', a: left.fragments[0], b: right.fragments[0] }]
  const others = new Map(right.fragments.map((one) => [one.name, one]))
  const pairs: Pair[] = []
  const rest: Described['fragments'] = []
  left.fragments.forEach((a) => {
    const b = others.get(a.name)
    if (b) {
      others.delete(a.name)
      pairs.push({ path: `fragments.${a.name}`, a, b })
    } else rest.push(a)
  })
  const unnamed = [...others.values()]
  rest.slice(0, unnamed.length).forEach((a, i) => {
    pairs.push({ path: `fragments[${left.fragments.indexOf(a)}]`, a, b: unnamed[i] })
  })
  return pairs
}

/** Fragments that the other array has no counterpart of. */
function unpaired(left: Described, right: Described): Difference[] {
  if (left.fragments.length === right.fragments.length) return []
  const paired = new Set(fragmentPairs(left, right).flatMap(({ a, b }) => [a, b]))
  const only = (side: 'a' | 'b', { fragments }: Described): Difference[] =>
    fragments
      .filter((one) => !paired.has(one))
      .map((one) => ({
        path: `fragments.${one.name}`,
        a: side === 'a' ? one.name : null,
        b: side === 'b' ? one.name : null,
      }))
  return [...only('a', left), ...only('b', right)]
}

/** Compares cells one by one in stored order, and adds the first of those that differ. @returns how many were compared */
async function compareCells(cx: CommandContext, { path, a, b }: Pair, found: Difference[]): Promise<number> {
  const [left, right] = [await cellsOf(cx, a.path), await cellsOf(cx, b.path)]
  const progress = await cx.progress('comparing cells')
  let cell = 0
  let differing = 0
  try {
    for (;;) {
      const [x, y] = [await left.next(), await right.next()]
      if (x.done && y.done) break
      const one = x.done ? null : x.value
      const other = y.done ? null : y.value
      const [first] = differences(`${path === '' ? '' : `${path}.`}cells[${cell}]`, one, other, new Set())
      if (first) {
        differing++
        if (differing <= CELLS_SHOWN) found.push(first)
      }
      cell++
      if (cell % 65_536 === 0) progress.update(cell)
    }
  } finally {
    progress.stop()
    await left.return?.()
    await right.return?.()
  }
  const last = found.at(-1)
  if (differing > CELLS_SHOWN && last) last.more = differing - CELLS_SHOWN
  return cell
}

async function cellsOf(cx: CommandContext, path: string): Promise<AsyncIterator<Result>> {
  const { cells } = await documentOf(cx, 'decode', path)
  if (typeof cells === 'object' && cells !== null && Symbol.asyncIterator in cells) return cells[Symbol.asyncIterator]()
  throw new TypeError('cells are made one by one')
}
