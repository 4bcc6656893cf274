import { attempt, usage } from '../base/errors.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../base/json-text.ts'
import { LineCutter } from '../base/line-cutter.ts'
import type { Output } from '../base/result.ts'
import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import { exact } from '../calls/values.ts'
import type { SweepDiffDocument, SweepDiffLine } from '../documents/sweep-diff.ts'
import { type ByteSource, withSource } from '../storage/source.ts'

/*
 * Two saved sweeps: what `ls`, `check` or `stats` with --recursive wrote as NDJSON, or the files of --resume.
 */

/** How the first line of a saved sweep can begin. */
const BEGINS = ['{"kind":"member"', '{"kind":"dataset"']

/** Whether a file is a saved sweep. */
export async function isSweep(cx: CommandContext, path: string): Promise<boolean> {
  const start = await withSource(fileAt(cx, path), async (source) =>
    source.read(0, Math.min(await source.size(), BEGINS[1].length)),
  )
  const text = new TextDecoder().decode(start)
  return BEGINS.some((begin) => text.startsWith(begin))
}

function fileAt({ storage, internalPath }: CommandContext, path: string): ByteSource {
  return storage.open(internalPath(path))
}

/** What is compared of a member. A number that its line lacks counts as 0, and a list as empty. */
interface Saved {
  size: number
  fragment_num: number
  cell_num: bigint
  codes: readonly string[]
}

/**
 * Compares two saved sweeps, member by member.
 * @param a and `b`: paths of the files, as the user wrote them
 * @throws InspectError USAGE for a file that is no sweep
 */
export async function diffSweeps(cx: CommandContext, a: string, b: string): Promise<Outcome> {
  const [left, right] = [await saved(cx, a), await saved(cx, b)]
  const changes: SweepDiffLine[] = []
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const line = compared(name, left.get(name), right.get(name))
    if (line) changes.push(line)
  }
  changes.sort((x, y) => y.grown_size - x.grown_size || rising(x.name, y.name))
  const sizeOf = (members: ReadonlyMap<string, Saved>): number => sum([...members.values()], ({ size }) => size)
  const count = (change: SweepDiffLine['change']): number => changes.filter((one) => one.change === change).length
  const document: SweepDiffDocument = {
    ...documentHead('sweep-diff', cx.shownPath(a)),
    other: cx.shownPath(b),
    equal: changes.length === 0,
    member_num: left.size,
    other_member_num: right.size,
    total_size: sizeOf(left),
    other_total_size: sizeOf(right),
    new_num: count('new'),
    gone_num: count('gone'),
    changes,
  }
  if (changes.length > 0) cx.foundWrong()
  return {
    kind: 'rows',
    document,
    rows: changes,
    columns: () => COLUMNS,
    table: async (out: Output) => (await import('../render/views/sweep-diff.ts')).sweepDiffTable(document, out),
  }
}

const COLUMNS: readonly (keyof SweepDiffLine)[] = [
  ...(['name', 'change', 'grown_size', 'grown_fragment_num', 'grown_cell_num', 'codes_new', 'codes_gone'] as const),
]

const NOTHING: Saved = { size: 0, fragment_num: 0, cell_num: 0n, codes: [] }

/** What happened to a member from `a` to `b`. @param size how much larger it is in `b`, in bytes */
function changeOf(a: Saved | undefined, b: Saved | undefined, size: number): SweepDiffLine['change'] {
  if (!a) return 'new'
  if (!b) return 'gone'
  if (size === 0) return 'changed'
  return size > 0 ? 'grown' : 'shrunk'
}

function compared(name: string, a: Saved | undefined, b: Saved | undefined): SweepDiffLine | undefined {
  const [left, right] = [a ?? NOTHING, b ?? NOTHING]
  const [size, fragment_num] = [right.size - left.size, right.fragment_num - left.fragment_num]
  const cells = right.cell_num - left.cell_num
  const only = (one: Saved, other: Saved) =>
    one.codes.filter((code) => !other.codes.includes(code)) as unknown as SweepDiffLine['codes_new']
  const [codes_new, codes_gone] = [only(right, left), only(left, right)]
  const isSame = size === 0 && fragment_num === 0 && cells === 0n && codes_new.length + codes_gone.length === 0
  if (a && b && isSame) return undefined
  const change = changeOf(a, b, size)
  const grown = { grown_size: size, grown_fragment_num: fragment_num, grown_cell_num: exact(cells) }
  return { name, change, ...grown, codes_new, codes_gone }
}

/** The members of a saved sweep. Of a member that was done twice, the later line counts. */
async function saved(cx: CommandContext, path: string): Promise<Map<string, Saved>> {
  const found = new Map<string, Saved>()
  let number = 0
  for await (const text of linesOf(cx, path)) {
    number++
    const line = attempt(() => parseJson(text))
    if (!isJsonObject(line) || (line.kind !== 'member' && line.kind !== 'dataset'))
      throw usage({ expected: 'a saved sweep, NDJSON', found: `another line ${number}` }, { file: path })
    if (line.kind === 'member' && typeof line.name === 'string') found.set(line.name, savedOf(line))
  }
  return found
}

function savedOf(line: JsonObject): Saved {
  const { size, fragment_num, cell_num, codes, error } = line
  const known = Array.isArray(codes) ? codes : []
  const fault = isJsonObject(error) ? [error.code] : []
  return {
    size: numberOf(size),
    fragment_num: numberOf(fragment_num),
    cell_num: integerOf(cell_num),
    codes: [...new Set([...known, ...fault].filter((one) => typeof one === 'string'))],
  }
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0
}

/** A number of cells. With `--int64 string` it is a text. */
function integerOf(value: Json | undefined): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(numberOf(value))
  return typeof value === 'string' && INTEGER.test(value) ? BigInt(value) : 0n
}

/** A number of cells as text. It has at most 20 digits. Long texts are not read: the time for a bigint grows with the square of its digits. */
const INTEGER = /^-?\d{1,40}$/

/** Bytes that are read at a time. */
const PIECE = 1 << 20

/** The lines of a file. The last one may be torn, if it was being written when the program was ended. */
async function* linesOf(cx: CommandContext, path: string): AsyncGenerator<string> {
  const source = fileAt(cx, path)
  try {
    const size = await source.size()
    const decoder = new TextDecoder()
    const cutter = new LineCutter()
    for (let at = 0; at < size; at += PIECE) {
      const bytes = await source.read(at, Math.min(PIECE, size - at))
      for (const line of cutter.lines(bytes)) yield decoder.decode(line)
      if (cutter.isTooLong)
        throw usage({ expected: 'a saved sweep, NDJSON', found: 'a line that is too long' }, { file: path })
    }
  } finally {
    await source.close()
  }
}
