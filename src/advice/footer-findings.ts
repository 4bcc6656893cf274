import type { CellValNum } from '../format/cell-val-num.ts'
import type { OpenedArray } from '../read/query.ts'
import { arrayFacts } from './facts.ts'
import { type AdvisedFinding, worstFirst } from './finding.ts'
import { looseCommits, manyFragments, overlappingFragments, pendingVacuum, uncommittedFragments } from './fragments.ts'
import { badShapes, largeTiles, paddedTiles, smallTiles } from './tiles.ts'

/** The findings that follow from footers and names alone, worst first. Reads nothing. */
export async function footerAdvice(opened: OpenedArray): Promise<AdvisedFinding[]> {
  const facts = await arrayFacts(opened, true)
  const allFixed = [...opened.schema.domain.dimensions, ...opened.schema.attributes].every(isFixed)
  const found: AdvisedFinding[] = [...manyFragments(facts), ...overlappingFragments(facts)]
  // The code of filters takes long to load, and most arrays have no such files.
  if (facts.files.some((file) => file.stored_bytes > file.unfiltered_bytes))
    found.push(...(await import('./filter-sizes.ts')).growingFields(facts))
  for (const cause of [looseCommits, pendingVacuum, uncommittedFragments])
    for await (const one of cause(facts)) found.push(one)
  // The boxes of sparse tiles are in R-trees, which are not read here.
  const dense = facts.examined.filter(({ info }) => info.dense)
  for await (const one of badShapes({ ...facts, examined: dense })) found.push(one)
  if (facts.fragments.some(({ info }) => info.dense)) found.push(...paddedTiles(facts))
  if (allFixed) found.push(...smallTiles(facts), ...largeTiles(facts))
  return worstFirst(found)
}

function isFixed({ cell_val_num }: { cell_val_num: CellValNum }): boolean {
  return cell_val_num !== 'var'
}
