import { unlessFault } from '../base/errors.ts'
import { shellWord } from '../base/shell-word.ts'
import type { FindingCode } from '../check/codes.ts'
import { TYPES_CHECKED_SINCE } from '../filters/filter.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { SlotKind } from '../format/fragment-slots.ts'
import { cellValue } from '../format/value.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import { COMMITS_FOLDER, FRAGMENTS_FOLDER } from '../objects/commits.ts'
import type { Draft } from './drafts.ts'
import { folderAround, python, type Shell, word } from './shell.ts'

/** Python code that keeps the first of the lines with equal values of some keys. The keys are its arguments. */
const FIRST_OF_EACH =
  'import json, sys; seen = set(); [print(line, end="") for line in sys.stdin for key in [repr([json.loads(line)[name] for name in sys.argv[1:]])] if not (key in seen or seen.add(key))]'

/** Python code that divides the times of cells by its first argument. */
const DIVIDED =
  'import json, sys; [print(json.dumps({**cell, "__timestamps": cell["__timestamps"] // int(sys.argv[1])})) for line in sys.stdin for cell in [json.loads(line)]]'

/** First and last time. */
export type RewrittenTimes = readonly [bigint, bigint]

/** The divisor of the times of cells, and the first and the last time after the division. */
export interface DividedTimes {
  by: bigint
  times: RewrittenTimes
}

/**
 * Why the cells of a fragment cannot be written again; undefined if they can.
 * @param found the codes of its findings; `divided` is set if the cells have times of their own, which are to be divided
 * @param needsNewFormat whether only a format in which each filter sees the type that the filter before it makes mends them
 */
export async function whyNotRewritten(
  array: InspectArray,
  entry: FragmentEntry,
  entries: readonly FragmentEntry[],
  divided: DividedTimes | undefined,
  needsNewFormat = false,
): Promise<string | undefined> {
  const info = await array.withFragment(entry.path, (fragment) => fragment.info().catch(unlessFault))
  const [first, last] = divided?.times ?? entry.timestamp_range ?? [0n, 1n]
  if (!info) return 'its metadata cannot be read: ask for a plan again when that is mended'
  const has = (slot: SlotKind): boolean => info.slots.some(({ kind }) => kind === slot)
  if (!divided ? first !== last || has('timestamps') : has('delete_timestamps'))
    return 'its cells have times of their own, which cannot be written again'
  if (!entry.path.startsWith(`${FRAGMENTS_FOLDER}/`)) return 'fragments before format version 12 are not written here'
  if ((await array.commits()).consolidated.has(entry.path)) return 'consolidated commits name it'
  if (needsNewFormat && (await array.newestSchema()).schema.version < TYPES_CHECKED_SINCE)
    return 'a new fragment would have the format of the array, and so the same fault: write the cells that decode shows into a new array'
  if (fieldsOf(info.schema) !== fieldsOf((await array.newestSchema()).schema))
    return 'the schema of the array has other attributes now'
  const isSame = (other: FragmentEntry): boolean =>
    other !== entry && other.timestamp_range?.[0] === first && other.timestamp_range[1] === last
  return entries.some(isSame) ? 'another fragment has the same time' : undefined
}

/** The attributes of a schema as text. Cells fit every schema with the same text. */
function fieldsOf({ attributes }: ArraySchema): string {
  const fields = attributes.map(({ name, type, cell_val_num, nullable }) => [name, type, cell_val_num, nullable])
  return JSON.stringify(fields.sort())
}

/**
 * Plans to write the cells of a fragment again, as decode shows them. The new fragment has them in order, with right statistics, and
 * without the bytes that no reader looks at. One command moves the old fragment away and writes the new one, or puts the old one back.
 * @param divided set if the cells have times of their own, which are to be divided
 */
export async function rewriteFragment(
  array: InspectArray,
  entry: FragmentEntry,
  { codes, divided }: { codes: ReadonlySet<FindingCode>; divided: DividedTimes | undefined },
  draft: Draft,
  shell: Shell,
): Promise<void> {
  const { path, name } = entry
  const [first, last] = divided?.times ?? entry.timestamp_range ?? [0n, 0n]
  const { domain } = (await array.newestSchema()).schema
  const [here, mark] = [shell.at(path), shell.at(`${COMMITS_FOLDER}/${name}.wrt`)]
  const [old, oldMark] = [shell.kept(path), shell.kept(`${COMMITS_FOLDER}/${name}.wrt`)]
  const cells = shell.kept(`${name}.ndjson`)
  const options: string[] = ['--format ndjson']
  // With --raw, decode shows a BOOL of 2 as this number, which cannot be written. Without, it shows `true`.
  if (!codes.has('CELL_BOOL')) options.push('--raw')
  if (codes.has('COORDINATE_DOMAIN')) {
    for (const { name: dimension, type, cell_val_num, domain: ends } of domain.dimensions) {
      if (ends.length === 0) continue
      const [low, high] = [ends.subarray(0, ends.length / 2), ends.subarray(ends.length / 2)].map((end) =>
        cellValue(type, cell_val_num, end, { raw: false }),
      )
      options.push(`--range ${shellWord(`${dimension}=${String(low)}..${String(high)}`)}`)
    }
    draft.loses.add('cells outside the domain, which no reader can select')
  }
  let read = `${shell.call('decode')} ${here} ${options.join(' ')}`
  if (codes.has('COORDINATE_DUPLICATE')) {
    read += ` | ${python(FIRST_OF_EACH, ...domain.dimensions.map((one) => one.name))}`
    draft.loses.add('all but the first of the cells at the same coordinates')
  }
  if (divided) read += ` | ${python(DIVIDED, String(divided.by))}`
  const folders = [folderAround(`${shell.aside}/${path}`), `${shell.aside}/${COMMITS_FOLDER}`].map(word).join(' ')
  draft.say({ command: `mkdir -p ${folders} && ${read} > ${cells}` })
  const write = `${shell.call('write-sample')} ${word(shell.root)} --append --data ${cells}${divided ? '' : ` --timestamp ${first}`}`
  const away = `mv ${here} ${old} && mv ${mark} ${oldMark}`
  const again = `mv ${old} ${here} && mv ${oldMark} ${mark}`
  const made = [FRAGMENTS_FOLDER, COMMITS_FOLDER].map((folder) => `${shell.at(folder)}/__${first}_${last}_*`).join(' ')
  const rewritten = shell.kept('rewritten')
  draft.move({
    step: { command: `test -s ${cells} && ${away} && { ${write} || { ${again}; false; }; }` },
    back: { command: `test -d ${old} && mkdir -p ${rewritten} && mv ${made} ${rewritten} && ${again}` },
  })
  draft.end(shell.check())
}
