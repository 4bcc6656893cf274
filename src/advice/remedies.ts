import { unlessFault } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { type TileRole, tileRole } from '../cells/tile-places.ts'
import { planRead } from '../explain/explain.ts'
import { keptFilesCost } from '../explain/opening-cost.ts'
import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import { type ReadCost, readCost } from '../explain/read-cost.ts'
import type { StepCost } from '../explain/step-cost.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import { defaultFillValue } from '../format/fill-value.ts'
import type { FilterPipeline } from '../format/filter-pipeline.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { bytesOf } from '../format/value.ts'
import type { OpenedArray } from '../read/query.ts'
import { cellsToRewrite } from '../steps/cells.ts'
import { fittedFilters } from '../write/filter-options.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'
import { schemaOf } from '../write/schema-document.ts'
import { type Change, changeText } from './change.ts'
import type { AdviceFacts } from './facts.ts'
import { storedFactor } from './filters.ts'
import type { ReadCounts, Remedy } from './finding.ts'
import { arrayInMemory, consolidatedInMemory } from './in-memory.ts'

/** Upper limits on an array whose changed form is made in memory: cells and unfiltered bytes. */
const MAX_CELLS = 2_000_000
const MAX_BYTES = 64 * 1024 * 1024

/** Computes what a query costs now, and after changes of the array. */
export class Remedies {
  private readonly asked: ExplainQuery
  private readonly facts: AdviceFacts
  readonly now: ReadCounts
  /** By part and field: the factors of {@link storedFactor}. */
  private readonly factors = new Map<string, Promise<number>>()
  /** What was computed, by the text of the change: several findings may have the same remedy. */
  private readonly computed = new Map<string, Promise<ReadCounts | undefined>>()
  private rewritten: Promise<FragmentCellsToWrite> | undefined

  constructor(asked: ExplainQuery, facts: AdviceFacts, plan: ReadPlan, cost: ReadCost) {
    this.asked = asked
    this.facts = facts
    this.now = countsOf(plan, cost)
  }

  /** Whether changes are made in memory, not estimated. */
  private get canCompute(): boolean {
    const { cell_num, unfiltered_bytes, opened } = this.facts
    return (
      this.asked.computesRemedies === true &&
      cell_num > 0 &&
      cell_num <= MAX_CELLS &&
      unfiltered_bytes <= MAX_BYTES &&
      !opened.array.cx.encrypted
    )
  }

  /** The remedy of a change; undefined if TileDB would not do it, or if it cannot be computed. */
  async of(change: Change): Promise<Remedy | undefined> {
    if (!this.canCompute) return undefined
    const text = changeText(change)
    const known = this.computed.get(text) ?? this.after(change).catch(unlessFault)
    this.computed.set(text, known)
    const after = await known
    return after && { change: text, basis: 'computed', before: this.now, after }
  }

  private async after(change: Change): Promise<ReadCounts | undefined> {
    const changed = await this.changed(change)
    if (!changed) return undefined
    const before = 'consolidate' in change ? this.asked.opened : undefined
    const { counts, cost } = await countsOfRead({ ...this.asked, opened: changed }, before)
    return { ...counts, stored_bytes: await this.storedBytes(cost) }
  }

  /** The stored bytes that TileDB's compressors would make. */
  private async storedBytes({ tiles }: ReadCost): Promise<number> {
    let bytes = 0
    for (const { name, parts } of tiles.fields) {
      for (const { role, stored_bytes } of parts) bytes += stored_bytes * (await this.factorOf(name, role))
    }
    return Math.round(bytes)
  }

  private get codecs(): Codecs {
    return this.asked.codecs ?? this.asked.opened.array.cx.codecs
  }

  private factorOf(field: string, role: TileRole): Promise<number> {
    const key = `${role} ${field}`
    const file = this.facts.files.find((one) => one.field === field && tileRole(one) === role)
    const factor = this.factors.get(key) ?? (file ? storedFactor(file, this.codecs) : Promise.resolve(1))
    this.factors.set(key, factor)
    return factor
  }

  private async changed(change: Change): Promise<OpenedArray | undefined> {
    const { opened } = this.asked
    const { codecs } = this
    if ('consolidate' in change) return consolidatedInMemory(opened, codecs)
    const schema = { ...opened.schema, dimension_labels: [] }
    this.rewritten ??= cellsToRewrite(opened)
    return arrayInMemory(changedSchema(schema, change), [await this.rewritten], codecs)
  }
}

/** The schema of an array after a change. */
export function changedSchema(schema: ArraySchema, change: Exclude<Change, { consolidate: true }>): ArraySchema {
  const { cell_order = schema.cell_order, capacity, tile_extents = {} } = change
  const dimensions = schema.domain.dimensions.map((old): Dimension => {
    const dimension = { ...old, filters: completed(old.filters) }
    const extent = tile_extents[dimension.name]
    if (extent === undefined) return dimension
    return { ...dimension, tile_extent: bytesOf(dimension.type, 1, extentOf(dimension, extent), { raw: true }) }
  })
  const attributes = schema.attributes.map((attribute) => ({
    ...attribute,
    fill_value: attribute.fill_value ?? defaultFillValue(attribute.type, attribute.cell_val_num),
    filters: completed(attribute.filters),
  }))
  const changed = {
    ...schema,
    version: NEWEST_STABLE,
    cell_order,
    attributes,
    coords_filters: completed(schema.coords_filters),
    offsets_filters: completed(schema.offsets_filters),
    validity_filters: schema.validity_filters && completed(schema.validity_filters),
  }
  if (capacity !== undefined) changed.capacity = BigInt(capacity)
  // In Hilbert order there are no tiles in space, so their order has no meaning.
  if (cell_order === 'hilbert') changed.tile_order = 'row-major'
  return schemaOf(changed, dimensions, [])
}

/** An extent in the form that its type needs. Extents of floats may have a fraction. */
function extentOf({ type }: Dimension, extent: number): number | bigint {
  return datatypeKind(type) === 'float' ? extent : BigInt(extent)
}

/** Adds the options that old versions do not store. */
function completed(pipeline: FilterPipeline): FilterPipeline {
  return { ...pipeline, filters: fittedFilters(pipeline.filters, { formatVersion: NEWEST_STABLE }) }
}

/**
 * Plans a read, and computes what it costs.
 * @param before of {@link consolidatedInMemory}: the array as it is, whose other files stay
 */
export async function countsOfRead(
  asked: ExplainQuery,
  before?: OpenedArray,
): Promise<{ counts: ReadCounts; cost: ReadCost }> {
  const plan = await planRead(asked)
  const cost = await readCost(asked, plan)
  if (before) {
    const kept = await keptFilesCost(before)
    const isKept = (step: StepCost): boolean => kept.some(({ name }) => name === step.name)
    cost.steps = [...kept, ...cost.steps.filter((step) => !isKept(step))]
  }
  return { counts: countsOf(plan, cost), cost }
}

export function countsOf(plan: ReadPlan, { steps, tiles }: ReadCost): ReadCounts {
  return {
    tiles_read: tiles.tiles,
    cells_read: plan.cells_read,
    unfiltered_bytes: tiles.unfiltered_bytes,
    stored_bytes: tiles.stored_bytes,
    reads: sum(steps, ({ reads }) => reads),
  }
}
