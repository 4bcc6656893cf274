import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import type { OpenedArray } from '../read/query.ts'
import { arrayFacts } from './facts.ts'
import { type Finding, worstFirst } from './finding.ts'
import { manyFragments } from './fragments.ts'

export type { Finding, ReadCounts, Remedy } from './finding.ts'

/**
 * What makes reads of an array slow or hungry, worst first, for typical reads: of the whole array, and of a box of about 1 % of its
 * domain. A healthy array has none.
 */
export async function arrayFindings(opened: OpenedArray): Promise<Finding[]> {
  const facts = arrayFacts(opened)
  return worstFirst([...manyFragments(facts)])
}

/** What makes one read slow or hungry, worst first. @param _plan of the query */
export async function queryFindings({ opened }: ExplainQuery, _plan: ReadPlan, _cost?: unknown): Promise<Finding[]> {
  return arrayFindings(opened)
}
