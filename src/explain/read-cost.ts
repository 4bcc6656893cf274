import { conditionFields } from '../read/condition.ts'
import { type TileCost, tileCost } from './cost.ts'
import { metadataCost } from './metadata-cost.ts'
import { deleteConditionCost, enumerationCost, openingCost } from './opening-cost.ts'
import type { ExplainQuery, ReadPlan } from './plan.ts'
import type { StepCost } from './step-cost.ts'

/** What a read costs, including opening the array. */
export interface ReadCost {
  /** The steps of the read, each of which needs the one before. Steps that do nothing are left out. */
  steps: StepCost[]
  /** The first of these steps: those that open the array. */
  opening: StepCost[]
  tiles: TileCost
}

export async function readCost({ opened, query, exact }: ExplainQuery, plan: ReadPlan): Promise<ReadCost> {
  // In a dense array the metadata already tells which tiles are read.
  const tiles = await tileCost(opened, plan.tile_reads, exact || plan.reader === 'DenseReader')
  const doesSomething = ({ listings, sizes, reads }: StepCost): boolean => listings + sizes + reads > 0
  const opening = (await openingCost(opened)).filter(doesSomething)
  const rest = [
    await enumerationCost(opened, query.where ? conditionFields(query.where) : []),
    await deleteConditionCost(opened),
    await metadataCost(opened, plan.metadata_reads),
    tiles.step,
  ]
  return { steps: [...opening, ...rest.filter(doesSomething)], opening, tiles }
}
