import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import type { ReadCost } from '../explain/read-cost.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { type AdviceFacts, arrayFacts } from './facts.ts'
import { growingFields } from './filter-sizes.ts'
import { idleFilters, rawFields, wrongOrder } from './filters.ts'
import { type AdvisedFinding, worstFirst } from './finding.ts'
import {
  fragmentsReadTwice,
  futureFragments,
  looseCommits,
  looseFooters,
  manyFragments,
  overlappingFragments,
  pendingVacuum,
  rewrittenFragments,
  uncommittedFragments,
} from './fragments.ts'
import { CODES_OF_TYPICAL_READS, overRead, touchedFragments, withRemedies } from './query.ts'
import { countsOf } from './remedies.ts'
import { badShapes, largeTiles, paddedTiles, smallTiles, wideTextBoxes } from './tiles.ts'
import { type CountedCells, constantValues, countedDeletes, missingStatistics, unpurgedDeletes } from './values.ts'

export type { AdvisedFinding, ReadCounts, Remedy } from './finding.ts'

type Cause = (facts: AdviceFacts) => Iterable<AdvisedFinding> | AsyncIterable<AdvisedFinding>

/** Functions that find causes which a single fragment may have. */
const OF_FRAGMENTS: readonly Cause[] = [
  smallTiles,
  largeTiles,
  paddedTiles,
  badShapes,
  wideTextBoxes,
  growingFields,
  idleFilters,
  rawFields,
  wrongOrder,
  constantValues,
  missingStatistics,
]

/** Functions that find the causes of an array. */
const CAUSES: readonly Cause[] = [
  manyFragments,
  overlappingFragments,
  looseFooters,
  looseCommits,
  pendingVacuum,
  futureFragments,
  uncommittedFragments,
  fragmentsReadTwice,
  rewrittenFragments,
  ...OF_FRAGMENTS,
  unpurgedDeletes,
]

/**
 * Finds why typical reads of an array are slow or need much memory, worst first. Typical reads are those of the whole array, and of a
 * box of about 1 % of its domain. A healthy array has no findings. Reads footers, up to 4 MiB of other metadata and, where filters are in
 * doubt, a part of a tile.
 */
export async function arrayFindings(opened: OpenedArray): Promise<AdvisedFinding[]> {
  return worstFirst(await findingsOf(await arrayFacts(opened)))
}

/** Finds why reads of one fragment are slow or need much memory, worst first. */
export async function fragmentFindings(one: OpenedFragment): Promise<AdvisedFinding[]> {
  const { array } = one.fragment
  if (!array) return []
  const { from = 0n, now } = array.cx
  const opened = { array, schema: one.info.schema, fragments: [one], between: [from, now] as const, deletes: [] }
  return worstFirst(await findingsOf(await arrayFacts(opened), OF_FRAGMENTS))
}

async function findingsOf(facts: AdviceFacts, causes = CAUSES): Promise<AdvisedFinding[]> {
  const findings: AdvisedFinding[] = []
  for (const cause of causes) for await (const finding of cause(facts)) findings.push(finding)
  return findings
}

/**
 * Finds why one read is slow or needs much memory, worst first, and what it would cost after the remedies. With
 * {@link ExplainQuery.computesRemedies} these costs are computed on the changed array in memory, for arrays of up to 2 million cells and 64 MiB.
 * Otherwise they are estimated.
 *
 * @param counted numbers of cells of the read, if they were counted
 */
export async function queryFindings(
  asked: ExplainQuery,
  plan: ReadPlan,
  cost: ReadCost,
  counted?: CountedCells,
): Promise<AdvisedFinding[]> {
  const { opened, query } = asked
  const facts = await arrayFacts(opened)
  const read = new Set(cost.tiles.fields.map(({ name }) => name))
  const findings = (await findingsOf(facts)).filter(
    ({ code, field }) =>
      (field === undefined || read.has(field)) && (query.ranges.size === 0 || !CODES_OF_TYPICAL_READS.has(code)),
  )
  if (query.ranges.size > 0) {
    findings.push(...touchedFragments(asked, facts, plan))
    for await (const finding of overRead(asked, facts, plan, countsOf(plan, cost))) findings.push(finding)
  }
  if (counted && !findings.some(({ code }) => code === 'DELETES_UNPURGED')) {
    const deletes = countedDeletes(counted, asked, facts)
    if (deletes) findings.push(deletes)
  }
  return worstFirst(await withRemedies(findings, asked, facts, plan, cost))
}
