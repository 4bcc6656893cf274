import { addPlace, usage, withPlace } from '../base/errors.ts'
import type { Json } from '../base/json-text.ts'
import { commitPath } from '../format/commit-files.ts'
import { deleteCondition, refusedParts } from '../format/delete-condition.ts'
import { encode } from '../format/io.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import { SCHEMA_FOLDER } from '../objects/array.ts'
import { DELETES_SINCE } from '../objects/deletes.ts'
import { objectType } from '../objects/group.ts'
import { CONSOLIDATION_MODES } from '../objects/vacuum.ts'
import { negated } from '../read/condition.ts'
import { openAt } from '../read/opening.ts'
import { loadWhere } from '../read/where.ts'
import { fragmentFiles, metadataFile, timestampsOf } from '../write/array-writer.ts'
import {
  asIs,
  type DocumentValue,
  flag,
  integer,
  list,
  listOrNone,
  object,
  oneOf,
  or,
  type Read,
  text,
  uint64,
} from '../write/document.ts'
import { metadataEntry } from '../write/field-options.ts'
import { genericTileWriter } from '../write/generic-tile-writer.ts'
import { cellsFromRows, type RowInput, writtenTime } from '../write/ndjson-cells.ts'
import { OLDEST_WRITTEN } from '../write/schema-check.ts'
import { parseSchemaDocument } from '../write/schema-document.ts'
import {
  consolidateArrayMetadata,
  consolidateCommits,
  consolidateFragmentMetadata,
  consolidateFragments,
} from './consolidate.ts'
import { createArray } from './create.ts'
import { checked, EVOLUTION, evolve } from './evolve.ts'
import { changeGroup, GROUP_CHANGE } from './group.ts'
import { type Clock, type StepContext, StepTarget } from './step-target.ts'
import { vacuum } from './vacuum.ts'

/** What a step did. */
export interface StepDone {
  /** Name of the step. */
  step: string
  /** Path of the changed array or group in the folder; empty for the folder itself. */
  path: string
  /** Paths in the array or group of new fragments, schemas and other files. */
  made: readonly string[]
  /** Paths of removed fragments and files. */
  removed: readonly string[]
  /** Number of cells written. */
  cell_num: number
}

type Done = Partial<Pick<StepDone, 'made' | 'removed' | 'cell_num'>>
/** What does the steps of one kind. */
type StepWork = (place: StepTarget, step: DocumentValue, clock: Clock) => Promise<Done>

const time: Read<bigint | undefined> = or((value) => {
  if (typeof value.value !== 'string' || /^\d+$/.test(value.value)) return uint64(value)
  const { value: date, path } = value
  return withPlace({ field: path }, () => writtenTime(date))
}, undefined)
const modes = oneOf(CONSOLIDATION_MODES)
const CONSOLIDATED_COMMITS_SINCE = 12
/** Keys of every step. */
const COMMON = { step: asIs, path: asIs } as const

const STEPS: Readonly<Record<string, StepWork>> = {
  async create(place, step, clock) {
    const { schema, time: at } = object({ ...COMMON, schema: asIs, time })(step)
    const { style, uuid } = place.cx
    const formatVersion = schema.object().at('format_version')
    const version = or(integer(OLDEST_WRITTEN, NEWEST_STABLE), NEWEST_STABLE)(formatVersion)
    const parts = parseSchemaDocument(schema, version, uuid, style)
    checked(parts, schema.path)
    await createArray(place, parts, clock.next(at))
    return { made: [SCHEMA_FOLDER] }
  },

  async write(place, step, clock) {
    const keys = object({
      ...COMMON,
      cells: or(list(asIs), undefined),
      data: or(text, undefined),
      labels: or(flag, false),
      time,
    })(step)
    if ((keys.cells === undefined) === (keys.data === undefined))
      step.fail('"cells", or "data": a file', 'both or none')
    const rows = keys.data === undefined ? rowsOf(keys.cells ?? []) : place.cx.rows(keys.data)
    return writeCells(place, { ...rows, labels: keys.labels }, clock, keys.time)
  },

  async delete(place, step, clock) {
    const { where, time: at } = object({ ...COMMON, where: text, time })(step)
    const array = await place.array()
    const { schema } = await array.newestSchema()
    const { version } = schema
    if (version < DELETES_SINCE || schema.array_type === 'dense')
      throw usage({
        expected: `a sparse array of format version ${DELETES_SINCE} or newer to delete from`,
        found: `a ${schema.array_type} one of ${version}`,
      })
    const condition = negated(await loadWhere(where, schema, array))
    // TileDB would write such a condition, but could not read the array afterwards.
    for (const { isNullTest, expected, found } of refusedParts(condition, schema)) {
      const at = step.at('where')
      if (isNullTest) at.fail('no test for null, which TileDB writes and then fails to read', JSON.stringify(where))
      at.fail(`${expected}, as TileDB reads it`, String(found))
    }
    const writeTile = await genericTileWriter(version, place.cx.writing)
    const now = clock.next(at)
    const path = `__commits/__${now}_${now}_${place.cx.uuid()}_${version}.del`
    await place.write({ path, bytes: writeTile(encode(condition, deleteCondition)) })
    return { made: [path] }
  },

  async consolidate(place, step) {
    const between = or((value: DocumentValue) => {
      const ends = list(time)(value)
      return ends.length === 2 ? ([ends[0] ?? 0n, ends[1] ?? LAST_TIME] as const) : value.fail('[first, last]')
    }, undefined)
    const { mode, ...options } = object({
      ...COMMON,
      mode: or(modes, 'fragments'),
      fragments: or(list(text), undefined),
      between,
      purge: or(flag, false),
    })(step)
    const { version } = (await openAt(await place.array())).schema
    if (mode === 'commits' && version < CONSOLIDATED_COMMITS_SINCE)
      throw usage({
        expected: `format version ${CONSOLIDATED_COMMITS_SINCE} or newer to consolidate commits`,
        found: version,
      })
    const made = await {
      fragments: () => consolidateFragments(place, options),
      fragment_meta: () => consolidateFragmentMetadata(place),
      commits: () => consolidateCommits(place),
      array_meta: () => consolidateArrayMetadata(place),
    }[mode]()
    if (made === undefined) place.cx.note(`${step.path}: nothing to consolidate (${mode})`)
    return { made: made === undefined ? [] : [made] }
  },

  async vacuum(place, step) {
    const { mode } = object({ ...COMMON, mode: or(modes, 'fragments') })(step)
    const removed = await vacuum(place, mode)
    if (removed.length === 0) place.cx.note(`${step.path}: nothing to vacuum (${mode})`)
    return { removed }
  },

  async evolve(place, step, clock) {
    const { time: at, step: _, path: __, ...changes } = object({ ...COMMON, ...EVOLUTION, time })(step)
    return { made: [await evolve(place, changes, step, clock.next(at))] }
  },

  async metadata(place, step, clock) {
    const keys = object({ ...COMMON, put: or((value) => value.object(), undefined), delete: listOrNone(text), time })(
      step,
    )
    const put = Object.entries((keys.put?.value ?? {}) as Record<string, Json>)
    const deleted = keys.delete.map((key) => ({
      key,
      deleted: true,
      type: undefined,
      value_num: undefined,
      value: undefined,
    }))
    const entries = [...put.map(([key, value]) => metadataEntry(key, value)), ...deleted]
    if (entries.length === 0) step.fail('keys to "put" or to "delete"', 'none')
    const now = clock.next(keys.time)
    const version = await versionAt(place)
    const file = await metadataFile(entries, { version, times: [now, now], uuid: place.cx.uuid() }, place.cx.writing)
    await place.write(file)
    return { made: [file.path] }
  },

  async group(place, step, clock) {
    const { time: at, step: _, path: __, ...changes } = object({ ...COMMON, ...GROUP_CHANGE, time })(step)
    return { made: await changeGroup(place, changes, clock.next(at)) }
  },
}

const stepName = oneOf(Object.keys(STEPS))

/**
 * Runs steps one after another, each on the result of those before it.
 * @throws InspectError with the path of the key that is wrong
 */
export async function runSteps(steps: DocumentValue, cx: StepContext, clock: Clock): Promise<StepDone[]> {
  const done: StepDone[] = []
  for (const step of list(asIs)(steps)) {
    const name = stepName(step.object().at('step'))
    const place = new StepTarget(cx, or(folderPath, '')(step.at('path')))
    try {
      const { made = [], removed = [], cell_num = 0 } = await STEPS[name](place, step, clock)
      done.push({ step: name, path: place.path, made, removed, cell_num })
      cx.onStep(done.length)
    } catch (error) {
      throw addPlace(error, { field: step.path })
    }
  }
  return done
}

const folderPath: Read<string> = (path) => {
  const trimmed = text(path).replace(/(?<=.)\/+$/, '')
  const isOutside = trimmed !== '' && trimmed.split('/').some((part) => ['', '.', '..'].includes(part))
  return isOutside ? path.fail('a path inside the folder') : trimmed
}

/** Writes rows of cells as fragments: one for each time or fragment that the rows name. */
async function writeCells(place: StepTarget, rows: RowInput, clock: Clock, at: bigint | undefined): Promise<Done> {
  const array = await place.array()
  const { schema, file } = await array.newestSchema()
  const made: string[] = []
  let cells = 0
  for (const { domain, cell_num, columns, time: own } of await cellsFromRows(
    rows,
    schema,
    await array.enumerations(schema),
    place.cx.style,
  )) {
    if (cell_num === 0) continue
    const ofCells = timestampsOf(columns)
    const now = ofCells ? ofCells[0] : clock.next(at ?? own)
    const { name, files } = await fragmentFiles(
      {
        schema,
        schemaName: file.name,
        formatVersion: schema.version,
        timestampRange: ofCells ?? [now, now],
        uuid: place.cx.uuid(),
        domain,
        cells: { cell_num, columns },
      },
      place.cx.writing,
    )
    for (const one of files) await place.write(one)
    const commit = commitPath(schema.version, name)
    if (commit !== undefined) await place.writeText(commit)
    made.push(files[0].path.slice(0, files[0].path.lastIndexOf('/')))
    cells += cell_num
  }
  return { made, cell_num: cells }
}

function rowsOf(cells: readonly DocumentValue[]): RowInput {
  return {
    file: '',
    async each(take) {
      for (const { value, path: at } of cells) take(at, () => value ?? null)
    },
  }
}

/** The format version of metadata that is written to an array or group. In a group it is the newest. */
async function versionAt(place: StepTarget): Promise<number> {
  if (objectType(await place.folder.listIfThere()) === 'group') return NEWEST_STABLE
  return (await (await place.array()).newestSchema()).schema.version
}
