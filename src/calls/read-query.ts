import type { Command as CommanderCommand } from 'commander'
import { usage } from '../base/errors.ts'
import { MEASURED_RELEASE } from '../format/releases.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import { fieldNames, type OpenedArray, READ_ORDERS, type ReadQuery } from '../read/query.ts'
import { defaultOrder } from '../read/read.ts'
import { unsortedTexts } from '../read/unsorted-texts.ts'
import { loadWhere, WHERE_FORMS } from '../read/where.ts'
import type { CommandContext } from './command.ts'
import { parseChoice, unknownField } from './option-values.ts'
import { collect } from './options.ts'
import { queryRanges } from './query-ranges.ts'
import { RANGE_SET_FORMS } from './ranges.ts'

/** The options that choose the cells of a read, and their order. */
export interface QueryOptions {
  field?: string[]
  range?: string[]
  where?: string
  order?: string
}

/** Adds the options of a read. @param whereNote as for {@link addCellOptions} */
export function addQueryOptions(command: CommanderCommand, whereNote = ''): void {
  addCellOptions(command, whereNote)
  command.option('--order <order>', `${READ_ORDERS.join(', ')}; by default the one that costs least`)
}

/** Adds the options of a read except `--order`. @param whereNote what the help of `--where` adds */
export function addCellOptions(command: CommanderCommand, whereNote = ''): void {
  command
    .option('--field <name>', 'only this attribute, besides the dimensions (repeatable)', collect)
    .option(
      '--range <NAME=LO..HI>',
      `only cells inside, ends included: ${RANGE_SET_FORMS}, or a range of a dimension label; several ranges of a dimension: the cells in any of them`,
      collect,
    )
    .option('--where <condition>', `only cells that meet it: ${WHERE_FORMS}${whereNote}`, oneCondition)
}

/** Refuses a second condition: commander would take only the last one. */
function oneCondition(text: string, before: string | undefined): string {
  if (before !== undefined) throw usage('--where expects one condition, found two: join them with and')
  return text
}

/** Parses the options of a read. @throws InspectError USAGE */
export async function parseQuery(cx: CommandContext, opened: OpenedArray, options: QueryOptions): Promise<ReadQuery> {
  const { schema, array } = opened
  return {
    order: parseChoice('--order', READ_ORDERS, options.order) ?? defaultOrder(opened),
    ranges: await queryRanges(cx, opened, options.range ?? []),
    fields: await checkFields(cx, opened, options.field),
    where: options.where === undefined ? undefined : await loadWhere(options.where, schema, array),
  }
}

/** Prints a note if TileDB may find other cells than `read`. */
export function noteUnsortedTexts(cx: CommandContext, { schema }: OpenedArray, { ranges }: ReadQuery): void {
  const found = unsortedTexts(schema, ranges)
  if (!found) return
  const { text, tiled } = found
  cx.note(
    `TileDB ${MEASURED_RELEASE} may find wrong cells in a range of ${text}: it assumes that its texts are sorted, but they are sorted only inside each tile of ${tiled}`,
  )
}

/**
 * Checks the names of `--field`. A note names the fields that the array has only later than at the time of the read.
 * @throws InspectError USAGE for a field that the array never has
 */
export async function checkFields(
  cx: CommandContext,
  { schema, array }: OpenedArray,
  named: string[] | undefined,
): Promise<string[] | undefined> {
  if (!named) return undefined
  const known = fieldNames(schema)
  const unknown = named.filter((name) => !known.includes(name))
  if (unknown.length === 0) return named
  const newest = await array.at({ now: LAST_TIME }).newestSchema()
  for (const name of unknown) {
    if (!fieldNames(newest.schema).includes(name)) throw unknownField('--field', name, known)
    cx.note(`${name}: the array has no such field at that time`)
  }
  return named
}
