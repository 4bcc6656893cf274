import { unlessFault } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import { shortSize } from '../base/sizes.ts'
import { sum } from '../base/sum.ts'
import { pythonString } from '../base/unsafe-text.ts'
import { isPlainText } from '../cells/extremes.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import { holdsExtremes, holdsTexts } from '../cells/tile-statistics.ts'
import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { storedCellNum } from '../objects/fragment.ts'
import { hasSlot } from '../read/opening.ts'
import { tileTest } from '../read/pruning.ts'
import type { OpenedArray, ReadQuery, TimedCondition } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { objectStoreSeconds, rounded } from './costs.ts'
import type { AdviceFacts, FragmentFacts } from './facts.ts'
import { type AdvisedFinding, advise } from './finding.ts'
import type { AdviceLine } from './line.ts'
import { consolidationLines, pathOf, purgeLines, rewriteLines } from './lines.ts'
import { percent } from './tiles.ts'

/** Upper limit on the fragments whose statistics are compared. */
const MAX_COMPARED = 64
/** A field with a single value makes a finding from these unfiltered bytes and this share of the array on. */
const MIN_CONSTANT_BYTES = 64 * 1024
const MIN_CONSTANT_SHARE = 0.1

/** Finds attributes whose cells all have the same value. Each read unfilters the value for each cell. */
export async function* constantValues({
  opened,
  fragments,
  files,
  scale,
  unfiltered_bytes,
}: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  if (fragments.length === 0 || fragments.length > MAX_COMPARED) return
  const sizes = new Map<string, number>()
  for (const { field, unfiltered_bytes } of files) sizes.set(field, (sizes.get(field) ?? 0) + unfiltered_bytes * scale)
  const large = [...sizes].filter(
    ([, bytes]) => bytes >= MIN_CONSTANT_BYTES && bytes >= MIN_CONSTANT_SHARE * unfiltered_bytes,
  )
  if (large.length === 0) return
  const values = new Map<string, Set<string>>(large.map(([field]) => [field, new Set()]))
  for (const { fragment, info } of fragments) {
    const statistics = await fragment.statistics().catch(unlessFault)
    fragment.forget()
    for (const { name, kind } of info.slots) if (kind !== 'attribute') values.delete(name)
    for (const [field, known] of values) {
      // If a fragment lacks the field, reads return fill values, so its cells are not known to have the same value.
      const slot = info.slots.findIndex(({ name }) => name === field)
      known.add((slot < 0 ? undefined : oneValue(info.slots[slot], statistics?.[slot])) ?? 'several')
    }
  }
  for (const [field, bytes] of large) {
    if (values.get(field)?.size !== 1 || values.get(field)?.has('several')) continue
    yield advise('VALUES_CONSTANT', {
      field,
      message: `all cells of ${JSON.stringify(field)} have the same value: ${shortSize(Math.round(bytes))} unfiltered, ${percent(bytes / unfiltered_bytes)} of the array`,
      effect: {
        seconds: rounded(
          objectStoreSeconds(0, scale * sum(files, (file) => (file.field === field ? file.stored_bytes : 0))),
        ),
        unfiltered_bytes: Math.round(bytes),
        share: bytes / unfiltered_bytes,
      },
      advice: constantLines(opened, field),
    })
  }
}

/** Calls that read without the field and, if there are other attributes, drop it from the array. */
function constantLines(opened: OpenedArray, field: string): AdviceLine[] {
  const others = opened.schema.attributes.filter(({ name }) => name !== field).map(({ name }) => pythonString(name))
  const path = pathOf(opened)
  return [
    { does: 'read', code: `tiledb.open(${path}).query(attrs=[${others.join(', ')}])`, note: 'a read without it' },
    ...(others.length > 0 ? [dropLine(opened, field)] : []),
  ]
}

function dropLine(opened: OpenedArray, field: string): AdviceLine {
  return {
    does: 'drop attribute',
    code: `e = tiledb.ArraySchemaEvolution(tiledb.default_ctx()); e.drop_attribute(${pythonString(field)}); e.array_evolve(${pathOf(opened)})`,
    note: "keep its value in the array's metadata",
    loses: 'attribute',
  }
}

/**
 * The value that all cells of a fragment have: its bytes, as text. Undefined if the statistics do not prove that there is only one.
 */
function oneValue({ type, nullable }: Slot, one: SlotStatistics | undefined): string | undefined {
  if (!one || one.min.length === 0 || one.min.length !== one.max.length || one.null_count !== 0) return undefined
  // TileDB computes minima and maxima of nullable text from the wrong cells.
  if (!holdsExtremes(type, one.sum) || (nullable && isPlainText({ type })) || !holdsTexts(type, one.min))
    return undefined
  return one.min.every((byte, i) => byte === one.max[i]) ? one.min.join(' ') : undefined
}

/** Lower limits on fragments of old formats: their stored bytes, and their part of the array. */
const MIN_OLD_BYTES = 4 * 1024 * 1024
const MIN_OLD_SHARE = 0.5

/** Finds fragments of formats before 11. These have no minima and maxima, so a condition reads every tile. */
export function* missingStatistics({ opened, fragments, stored_bytes }: AdviceFacts): Generator<AdvisedFinding> {
  const old = fragments.filter(({ info }) => info.format_version < 11)
  const bytes = sum(old, (one) => one.stored_bytes)
  if (bytes < MIN_OLD_BYTES || bytes < MIN_OLD_SHARE * stored_bytes) return
  yield advise('STATISTICS_MISSING', {
    message: `${old.length} of ${fragments.length} fragments have a format before 11, without minima and maxima: a condition reads all their ${shortSize(bytes)}`,
    effect: {
      seconds: rounded(objectStoreSeconds(0, bytes)),
      bytes,
      fragments: old.length,
      share: bytes / stored_bytes,
    },
    advice:
      // TileDB never consolidates a single fragment.
      fragments.length < 2
        ? rewriteLines(opened, {})
        : [
            {
              does: 'upgrade version',
              code: `tiledb.Array.upgrade_version(${pathOf(opened)}, tiledb.Config())`,
              note: 'fragments that are written from now on have the new format',
              loses: 'old readers',
            },
            consolidationLines(opened)[0],
          ],
  })
}

/** Deletes make a finding from this number of conditions on, or this number of deleted cells and their share of all cells. */
const MIN_CONDITIONS = 5
const MIN_DELETED_CELLS = 1000
const MIN_DELETED_SHARE = 0.2

/** Finds delete conditions that every read evaluates again, and cells that it reads but drops. */
export async function* unpurgedDeletes(facts: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { opened, examined, cell_num, scale } = facts
  const { deletes } = opened
  if (deletes.length === 0) return
  let conditions = 0
  let deleted = 0
  for (const one of examined) {
    const processed = new Set(await one.fragment.processedConditions().catch(unlessFault))
    // Processed conditions are named by the paths of their commits.
    const isNew = ({ name, time }: TimedCondition): boolean =>
      time >= (one.fragment.timestamp_range?.[0] ?? 0n) && ![...processed].some((path) => path.includes(name))
    const open = deletes.filter(isNew)
    conditions = Math.max(conditions, open.length)
    deleted += await surelyDeleted(one, open)
    one.fragment.forget()
  }
  const cells = Math.round(deleted * scale)
  const share = cells / Math.max(1, cell_num)
  if (conditions < MIN_CONDITIONS && (cells < MIN_DELETED_CELLS || share < MIN_DELETED_SHARE)) return
  const least = cells > 0 ? `; at least ${cells} of ${cell_num} cells are deleted but still read` : ''
  yield purgeFinding(facts, {
    message: `${conditions} delete ${conditions === 1 ? 'condition is' : 'conditions are'} read and evaluated by each read${least}`,
    cells,
    share,
  })
}

function purgeFinding(
  { opened, stored_bytes }: AdviceFacts,
  found: { message: Prose; cells: number; share: number },
): AdvisedFinding {
  const { message, cells, share } = found
  const { deletes } = opened
  const bytes = share * stored_bytes
  return advise('DELETES_UNPURGED', {
    message,
    effect: {
      seconds: rounded(objectStoreSeconds(deletes.length, bytes)),
      requests: deletes.length,
      cells,
      bytes: Math.round(bytes),
      share,
    },
    advice: purgeLines(opened),
  })
}

/** In larger arrays, the cells that a read returns are not counted. */
const MAX_COUNTED = 2_000_000

/** Numbers of cells of a read. */
export interface CountedCells {
  /** Cells that the read returns. */
  cells: number
  /** Cells that it leaves out because they are deleted: by a condition, or by a delete timestamp in a consolidated fragment. */
  deleted: number
}

/**
 * Counts the cells that a read of a sparse array returns. The index readers have counted them for the plan already.
 * @returns undefined for a dense array, and for too many cells
 */
export async function countedCells(
  { opened, query }: ExplainQuery,
  { reader, cells_found }: ReadPlan,
): Promise<CountedCells | undefined> {
  const { schema, fragments, deletes } = opened
  if (schema.array_type === 'dense' || sum(fragments, ({ info }) => storedCellNum(info)) > MAX_COUNTED) return undefined
  const known = reader === 'legacy Reader' ? null : cells_found
  const cells = known ?? (await cellsOf(opened, query))
  const hasDeletes = deletes.length > 0 || fragments.some((one) => hasSlot(one, 'delete_timestamps'))
  const deleted = hasDeletes ? (await cellsOf({ ...opened, deletes: [] }, { ...query, keepsDeleted: true })) - cells : 0
  return { cells, deleted }
}

/**
 * Makes a finding from the counted deleted cells of a read. It also covers cells that {@link unpurgedDeletes} cannot prove as deleted.
 * @param least lower limit on the deleted cells
 */
export function countedDeletes(
  { cells, deleted }: CountedCells,
  { query }: ExplainQuery,
  facts: AdviceFacts,
  least = MIN_DELETED_CELLS,
): AdvisedFinding | undefined {
  const all = cells + deleted
  const share = deleted / Math.max(1, all)
  if (deleted < least || share < MIN_DELETED_SHARE) return undefined
  const read = query.ranges.size > 0 ? 'in the ranges ' : ''
  return purgeFinding(facts, {
    message: `${deleted} of ${all} cells ${read}are deleted but still read`,
    cells: deleted,
    share,
  })
}

async function cellsOf(opened: OpenedArray, query: ReadQuery): Promise<number> {
  let cells = 0
  for await (const { rows, cell_num } of readMerged(opened, { ...query, fields: [] })) cells += rows?.length ?? cell_num
  return cells
}

/** Number of cells in tiles that a delete certainly deletes as a whole. Boxes, minima and maxima prove it. */
async function surelyDeleted({ fragment, info }: FragmentFacts, deletes: readonly TimedCondition[]): Promise<number> {
  if (info.dense || deletes.length === 0) return 0
  const work = async (): Promise<number> => {
    const leaves = leafLevel(await fragment.rtree())
    if (!leaves) return 0
    const tests = await Promise.all(deletes.map(({ stays }) => tileTest(fragment, info, stays, true)))
    let cells = 0
    for (let tile = 0; tile < Math.min(info.tile_num, leaves.mbr_num); tile++) {
      const mbr = mbrAt(leaves, tile, info.schema.domain.dimensions)
      if (tests.some((mayStay) => !mayStay(tile, mbr))) cells += tileCellNum(info, tile)
    }
    return cells
  }
  return (await work().catch(unlessFault)) ?? 0
}
