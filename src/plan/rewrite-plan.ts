import { unlessFault } from '../base/errors.ts'
import { shellWord } from '../base/shell-word.ts'
import type { FindingCode } from '../check/codes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { SlotKind } from '../format/fragment-slots.ts'
import { cellValue } from '../format/value.ts'
import type { FragmentEntry, InspectArray } from '../store/array.ts'
import { COMMITS_FOLDER, FRAGMENTS_FOLDER } from '../store/commits.ts'
import type { Draft } from './drafts.ts'
import { folderOf, python, type Shell, word } from './shell.ts'

/** Keeps the first of the lines with equal values of the keys that are the arguments. */
const FIRST_OF_EACH =
  'import json, sys; seen = set(); [print(line, end="") for line in sys.stdin for key in [repr([json.loads(line)[name] for name in sys.argv[1:]])] if not (key in seen or seen.add(key))]'

/** Divides the times of cells by the first argument. */
const DIVIDED =
  'import json, sys; [print(json.dumps({**cell, "__timestamps": cell["__timestamps"] // int(sys.argv[1])})) for line in sys.stdin for cell in [json.loads(line)]]'

/** First and last. */
export type Times = readonly [bigint, bigint]

/** What the times of cells are divided by, and what becomes of the first and the last. */
export interface DividedTimes {
  by: bigint
  times: Times
}

/**
 * Why the cells of a fragment cannot be written again by themselves; undefined if they can.
 * @param divided if its cells have times of their own, which are to be divided
 */
export async function whyNotRewritten(
  array: InspectArray,
  entry: FragmentEntry,
  entries: readonly FragmentEntry[],
  divided: DividedTimes | undefined,
): Promise<string | undefined> {
  const fragment = array.fragment(entry.path)
  const info = await fragment.info().catch(unlessFault)
  await fragment.close()
  const [first, last] = divided?.times ?? entry.timestamp_range ?? [0n, 1n]
  if (!info) return 'its metadata cannot be read: ask for a plan again when that is mended'
  const has = (slot: SlotKind): boolean => info.slots.some(({ kind }) => kind === slot)
  if (!divided ? first !== last || has('timestamps') : has('delete_timestamps'))
    return 'its cells have times of their own, which cannot be written again'
  if (!entry.path.startsWith(`${FRAGMENTS_FOLDER}/`)) return 'fragments before format version 12 are not written here'
  if ((await array.commits()).consolidated.has(entry.path)) return 'consolidated commits name it'
  if (fieldsOf(info.schema) !== fieldsOf((await array.newestSchema()).schema))
    return 'the schema of the array has other attributes now'
  const isSame = (other: FragmentEntry): boolean =>
    other !== entry && other.timestamp_range?.[0] === first && other.timestamp_range[1] === last
  return entries.some(isSame) ? 'another fragment has the same time' : undefined
}

/** What cells have to be like to be written with a schema. */
function fieldsOf({ attributes }: ArraySchema): string {
  const fields = attributes.map(({ name, type, cell_val_num, nullable }) => [name, type, cell_val_num, nullable])
  return JSON.stringify(fields.sort())
}

/**
 * Writes the cells of a fragment again, as decode shows them: in order, with true statistics, and without what no reader looks at.
 * One command moves the old fragment away and writes the new one, or puts the old one back.
 * @param divided if its cells have times of their own, which are to be divided
 */
export async function rewriteFragment(
  array: InspectArray,
  entry: FragmentEntry,
  codes: ReadonlySet<FindingCode>,
  draft: Draft,
  shell: Shell,
  divided: DividedTimes | undefined,
): Promise<void> {
  const { path, name } = entry
  const [first, last] = divided?.times ?? entry.timestamp_range ?? [0n, 0n]
  const { domain } = (await array.newestSchema()).schema
  const [here, mark] = [shell.at(path), shell.at(`${COMMITS_FOLDER}/${name}.wrt`)]
  const [old, oldMark] = [shell.kept(path), shell.kept(`${COMMITS_FOLDER}/${name}.wrt`)]
  const cells = shell.kept(`${name}.ndjson`)
  const options: string[] = ['--format ndjson']
  // A BOOL of 2 is `true` to a reader, and a number that cannot be written again.
  if (!codes.has('CELL_BOOL')) options.push('--raw')
  if (codes.has('COORDINATE_DOMAIN')) {
    for (const { name: dimension, type, cell_val_num, domain: ends } of domain.dimensions) {
      if (ends.length === 0) continue
      const [low, high] = [ends.subarray(0, ends.length / 2), ends.subarray(ends.length / 2)].map((end) =>
        cellValue(type, cell_val_num, end, { raw: false }),
      )
      options.push(`--range ${shellWord(`${dimension}=${String(low)}..${String(high)}`)}`)
    }
    draft.loses.add('cells outside of the domain, which no reader can select')
  }
  let read = `tiledb-inspect decode ${here} ${options.join(' ')}`
  if (codes.has('COORDINATE_DUPLICATE')) {
    read += ` | ${python(FIRST_OF_EACH, ...domain.dimensions.map((one) => one.name))}`
    draft.loses.add('all but the first of the cells at the same coordinates')
  }
  if (divided) read += ` | ${python(DIVIDED, String(divided.by))}`
  const folders = [folderOf(`${shell.aside}/${path}`), `${shell.aside}/${COMMITS_FOLDER}`].map(word).join(' ')
  draft.say({ command: `mkdir -p ${folders} && ${read} > ${cells}` })
  const write = `tiledb-inspect write-sample ${word(shell.root)} --append --data ${cells}${divided ? '' : ` --timestamp ${first}`}`
  const away = `mv ${here} ${old} && mv ${mark} ${oldMark}`
  const again = `mv ${old} ${here} && mv ${oldMark} ${mark}`
  const made = [FRAGMENTS_FOLDER, COMMITS_FOLDER].map((folder) => `${shell.at(folder)}/__${first}_${last}_*`).join(' ')
  const rewritten = shell.kept('rewritten')
  draft.move({
    step: { command: `test -s ${cells} && ${away} && { ${write} || { ${again}; false; }; }` },
    back: { command: `test -d ${old} && mkdir -p ${rewritten} && mv ${made} ${rewritten} && ${again}` },
  })
  draft.say(shell.check())
}
