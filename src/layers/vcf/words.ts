import type { ArrayWords } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { anchorGapOf, NAMED_SINCE, VCF_DATASET } from './dataset.ts'

/*
 * What the arrays of a dataset of TileDB-VCF are, by their names.
 */

const STATISTICS: Readonly<Record<string, string>> = {
  allele_count: 'the count of an allele',
  variant_stats: 'the counts of an allele at a position',
  sample_stats: 'the statistics of a sample',
}

/** Dimensions whose values are numbers before version 4. */
const NUMBERED = {
  sample: 'the number of the sample',
  start_pos: 'the position, counted over all contigs',
  end_pos: 'the position, counted over all contigs',
}

export async function wordsOf(part: DatasetPart): Promise<ArrayWords | undefined> {
  const name = part.names.at(-1) ?? ''
  const dataset_type = VCF_DATASET
  if (name === 'data') {
    const isNumbered = ((await part.number('version')) ?? NAMED_SINCE) < NAMED_SINCE
    const positions = { start_pos: 'where queries find it', real_start_pos: 'where the record begins' }
    const cell = `a record, or its repeat every ${await anchorGapOf(part)} positions`
    return { type: 'records', dataset_type, cell, fields: isNumbered ? NUMBERED : positions }
  }
  if (name === 'vcf_headers') return { type: 'headers', dataset_type, cell: 'the header of a sample' }
  const cell = Object.hasOwn(STATISTICS, name) ? STATISTICS[name] : undefined
  return cell === undefined ? undefined : { type: 'statistics', dataset_type, cell }
}
