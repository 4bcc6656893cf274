import { gunzipSync } from 'node:zlib'
import type { ArrayFragment, ArrayListing } from '../../src/documents/array.ts'
import type { CheckDocument, CheckFinding } from '../../src/documents/check.ts'
import type { CommitsDocument } from '../../src/documents/commits.ts'
import type { ErrorDocument } from '../../src/documents/error.ts'
import type { ExplainDocument } from '../../src/documents/explain.ts'
import type { HistoryDocument } from '../../src/documents/history.ts'
import type { ArrayOverview } from '../../src/documents/overview.ts'
import type { PlanDocument } from '../../src/documents/plan.ts'
import type { ReadStatsDocument } from '../../src/documents/read-stats.ts'
import type { RecoverDocument } from '../../src/documents/recover.ts'
import type { SchemaDocument } from '../../src/documents/schema.ts'
import type { VerifyChecksumsDocument } from '../../src/documents/verify-checksums.ts'
import type { WhyDocument } from '../../src/documents/why.ts'
import { localFiles } from '../../src/node/file.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/source.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'
import type { DamagedArray } from './arrays.ts'

/** What a command said. */
export interface Said<Document> {
  code: number
  /** Its document; undefined if it printed an error instead. */
  document: Document | undefined
  stderr: string
}

/** A list of a document, which a test has whole. */
export const listOf = <T>(list: Iterable<T> | AsyncIterable<T> | undefined): readonly T[] =>
  (list as readonly T[] | undefined) ?? []

export const findingsOf = ({ document }: Said<CheckDocument>): readonly CheckFinding[] => listOf(document?.findings)

export const errorsOf = (said: Said<CheckDocument>): CheckFinding[] =>
  findingsOf(said).filter(({ severity }) => severity === 'error')

/** What makes two findings the same. */
export const placeOf = ({ code, file, field, tile }: CheckFinding): string => [code, file, field, tile].join(' ')

/** The cells that a command printed, a line each, sorted. */
export interface SaidCells {
  code: number
  stderr: string
  cells: readonly string[]
}

interface Row {
  [name: string]: unknown
}

/** What the commands said of one array. */
export interface Answers {
  array: DamagedArray['array']
  overview: Said<ArrayOverview>
  ls: Said<ArrayListing>
  commits: Said<CommitsDocument>
  schema: Said<SchemaDocument>
  metadata: Said<unknown>
  /** `stats` without `--read`. */
  sizes: Said<unknown>
  structure: Said<CheckDocument>
  chunks: Said<CheckDocument>
  check: Said<CheckDocument>
  plan: Said<PlanDocument>
  verify: Said<VerifyChecksumsDocument>
  explain: Said<ExplainDocument>
  stats: Said<ReadStatsDocument>
  read: SaidCells
  keepGoing: SaidCells
  recover: Said<RecoverDocument>
  /** Of what `recover` wrote; undefined if it wrote nothing. */
  recovered: { read: SaidCells; check: Said<CheckDocument> } | undefined
  /** `check` in a report of `page`. */
  page: CheckDocument | undefined
  /** By the name of the fragment. */
  decode: ReadonlyMap<string, SaidCells>
  /** By the path in the array: every fragment and `.vac` file, and some other files. */
  why: ReadonlyMap<string, Said<WhyDocument>>
  /** What `read` gives after a file or folder was deleted as `why` allows, by its path. */
  without: ReadonlyMap<string, SaidCells>
  /** Of a cell that `read` gives; undefined if it gives none. */
  history: { row: Row; said: Said<HistoryDocument> } | undefined
  /** Of the array with itself. */
  diff: Said<unknown>
}

/** Asks all commands about an array. @param place a folder that is not there, for what `recover` writes */
export async function asked({ array, key }: DamagedArray, place: string): Promise<Answers> {
  const storage = beside(array.storage())
  const secret = key === undefined ? [] : ['--key', key]
  const of = async <Document>(...args: string[]): Promise<Said<Document>> =>
    said(await run([...args, '--json', ...secret], { storage }))
  const cellsOf = async (...args: string[]): Promise<SaidCells> => {
    const { code, text, stderr } = await run([...args, '--format', 'ndjson', '--raw', ...secret], { storage })
    return { code, stderr, cells: linesOf(text) }
  }
  const ls = await of<ArrayListing>('ls', EDITED)
  const decode = new Map<string, SaidCells>()
  const why = new Map<string, Said<WhyDocument>>()
  for (const { name, path } of (ls.document?.fragments ?? []) as readonly ArrayFragment[]) {
    decode.set(name, await cellsOf('decode', path))
    why.set(path.slice(EDITED.length + 1), await of('why', path))
  }
  const others = array.matching(/./).filter((path, i) => path.endsWith('.vac') || i % SHARE === 0)
  const plan = await of<PlanDocument>('check', '--level', 'cells', '--plan', EDITED)
  for (const path of [...others, ...moved(plan.document)]) why.set(path.slice(EDITED.length + 1), await of('why', path))
  const without = new Map<string, SaidCells>()
  for (const [path, { document }] of why) {
    const gone = document ? goneWith(path, document, ls.document) : []
    if (gone.length === 0) continue
    const left = [...array.files].filter(([file]) => !gone.some((one) => isBelow(file, `${EDITED}/${one}`)))
    const { code, text, stderr } = await run(['read', EDITED, '--format', 'ndjson', '--raw', ...secret], {
      storage: new MemoryStorage(new Map(left)),
    })
    without.set(path, { code, stderr, cells: linesOf(text) })
  }
  const read = await cellsOf('read', EDITED)
  const row = read.code === 0 && read.cells.length > 0 ? (JSON.parse(read.cells[0]) as Row) : undefined
  const cell = row && cellOption(row, (await of<SchemaDocument>('schema', EDITED)).document)
  const recover = await of<RecoverDocument>('recover', EDITED, '--to', place)
  const written = recover.document?.written_to
  return {
    array,
    overview: await of(EDITED),
    ls,
    commits: await of('commits', EDITED),
    schema: await of('schema', EDITED),
    metadata: await of('metadata', EDITED),
    sizes: await of('stats', EDITED),
    structure: await of('check', '--level', 'structure', EDITED),
    chunks: await of('check', '--level', 'chunks', EDITED),
    check: await of('check', '--level', 'cells', EDITED),
    plan,
    verify: await of('verify-checksums', '--deep', EDITED),
    explain: await of('explain', EDITED),
    stats: await of('stats', '--read', EDITED),
    read,
    without,
    diff: await of('diff', '--read', EDITED, EDITED),
    history: row && cell && { row, said: await of('history', EDITED, ...cell) },
    keepGoing: await cellsOf('read', '--keep-going', EDITED),
    recover,
    recovered:
      written === undefined
        ? undefined
        : { read: await cellsOf('read', written), check: await of('check', '--level', 'cells', written) },
    page: await checkOfPage(storage, secret),
    decode,
    why,
  }
}

function said<Document>({ code, text, stderr }: { code: number; text: string; stderr: string }): Said<Document> {
  const document = text === '' ? undefined : (JSON.parse(text) as Document | ErrorDocument)
  const isError =
    document !== undefined && Object.hasOwn(document as object, 'error') && !Object.hasOwn(document as object, 'kind')
  return { code, stderr: isError ? text : stderr, document: isError ? undefined : (document as Document) }
}

/** One in so many other files is asked about. */
const SHARE = 9

const linesOf = (text: string): string[] => text.split('\n').filter(Boolean).sort()

const isBelow = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`)

/** What a plan moves within the array. */
export function moved(plan: PlanDocument | undefined): string[] {
  const commands = plan?.plans.flatMap(({ steps }) => steps.map(({ command = '' }) => command)) ?? []
  return commands.flatMap((command) => {
    const [, from, to] = /^mv (\S+) (\S+)$/.exec(command) ?? []
    return from?.startsWith(`${EDITED}/`) && to?.startsWith(`${EDITED}/`) ? [from] : []
  })
}

/** What is gone after the deletion that `why` allows, by paths in the array. */
function goneWith(path: string, { delete: answer, how }: WhyDocument, ls: ArrayListing | undefined): string[] {
  if (answer === 'no') return []
  if (!how?.includes('tiledb.vacuum(')) return [path]
  if (how.includes('sm.vacuum.mode') || path.includes('.con') || path.includes('.meta')) return []
  const hidden = ((ls?.fragments ?? []) as readonly ArrayFragment[]).filter((one) => one.hidden_by?.endsWith('.vac'))
  return hidden.flatMap(({ path: fragment, hidden_by }) => {
    const inArray = fragment.slice(EDITED.length + 1)
    return [inArray, commitOf(inArray), hidden_by ?? '']
  })
}

/** What commits a fragment, by paths in the array. */
export function commitOf(fragment: string): string {
  const [, name] = /^__fragments\/(.*)$/.exec(fragment) ?? []
  return name === undefined ? `${fragment}.ok` : `__commits/${name}.wrt`
}

/** The option that names the cell of a row; undefined if a coordinate is text, which is printed as base64. */
function cellOption(row: Row, schema: SchemaDocument | undefined): string[] | undefined {
  if (!schema || schema.dimensions.some(({ name }) => typeof row[name] !== 'number')) return undefined
  const coordinates = schema.dimensions.map(({ name }) => `${name}=${JSON.stringify(row[name])}`)
  return ['--cell', coordinates.join(',')]
}

/** The array in memory, and all other paths on this machine: `recover` reads again what it writes. */
function beside(memory: Storage): Storage {
  const of = (path: string): Storage => (path === EDITED || path.startsWith(`${EDITED}/`) ? memory : localFiles)
  return {
    kind: (path) => of(path).kind(path),
    list: (path) => of(path).list(path),
    open: (path) => of(path).open(path),
  }
}

/** What `check` found, as a report holds it that has no room for the files. */
async function checkOfPage(storage: Storage, secret: readonly string[]): Promise<CheckDocument | undefined> {
  const { code, text } = await run(['page', '-o', '-', '--max-size', '1', EDITED, ...secret], { storage })
  if (code !== 0) return undefined
  const [, packed = ''] = /<script type="application\/octet-stream" id="data">([^<]*)</.exec(text) ?? []
  const bytes = gunzipSync(Buffer.from(packed, 'base64'))
  const head = JSON.parse(String(bytes.subarray(4, 4 + bytes.readUInt32LE(0)))) as {
    documents: Record<string, CheckDocument>
  }
  return Object.values(head.documents)[0]
}
