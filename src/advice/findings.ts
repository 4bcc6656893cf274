import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import type { OpenedArray } from '../read/query.ts'
import { type ArrayFacts, arrayFacts } from './facts.ts'
import { growingFields, idleFilters, rawFields, wrongOrder } from './filters.ts'
import { type Finding, worstFirst } from './finding.ts'
import {
  futureFragments,
  looseCommits,
  looseFooters,
  manyFragments,
  overlappingFragments,
  pendingVacuum,
  rewrittenFragments,
} from './fragments.ts'
import { badShapes, largeTiles, smallTiles, wideTextBoxes } from './tiles.ts'
import { constantValues, missingStatistics, unpurgedDeletes } from './values.ts'

export type { Finding, ReadCounts, Remedy } from './finding.ts'

/** Each cause, and how to find it. */
const CAUSES: readonly ((facts: ArrayFacts) => Iterable<Finding> | AsyncIterable<Finding>)[] = [
  manyFragments,
  overlappingFragments,
  looseFooters,
  looseCommits,
  pendingVacuum,
  futureFragments,
  rewrittenFragments,
  smallTiles,
  largeTiles,
  badShapes,
  wideTextBoxes,
  growingFields,
  idleFilters,
  rawFields,
  wrongOrder,
  constantValues,
  missingStatistics,
  unpurgedDeletes,
]

/**
 * What makes reads of an array slow or hungry, worst first, for typical reads: of the whole array, and of a box of about 1 % of its
 * domain. A healthy array has none. Reads footers, up to 4 MiB of other metadata, and where filters are in doubt a part of a tile.
 */
export async function arrayFindings(opened: OpenedArray): Promise<Finding[]> {
  const facts = await arrayFacts(opened)
  const findings: Finding[] = []
  for (const cause of CAUSES) for await (const finding of cause(facts)) findings.push(finding)
  return worstFirst(findings)
}

/** What makes one read slow or hungry, worst first. @param _plan of the query */
export async function queryFindings({ opened }: ExplainQuery, _plan: ReadPlan, _cost?: unknown): Promise<Finding[]> {
  return arrayFindings(opened)
}
