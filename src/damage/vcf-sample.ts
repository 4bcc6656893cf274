import type { SampleOptions } from '../write/sample.ts'
import { type LayerSample, layerRecipe, rows } from './layer-sample.ts'

/*
 * A small dataset of TileDB-VCF: two samples with three records, one of which is long enough for two anchors.
 */

const DATA: SampleOptions = {
  dim: ['contig:STRING_ASCII', 'start_pos:UINT32:0..99999:100000', 'sample:STRING_ASCII'],
  attr: [
    ...['real_start_pos:UINT32', 'end_pos:UINT32', 'qual:FLOAT32', 'alleles:STRING_ASCII', 'id:STRING_ASCII'],
    ...['filter_ids:INT32:var', 'info:UINT8:var', 'fmt:UINT8:var', 'fmt_GT:UINT8:var'],
  ],
  duplicates: true,
}
const OF_SAMPLES: SampleOptions = { dim: ['sample:STRING_ASCII'], attr: ['n_records:UINT64'], duplicates: true }
const ALLELES: SampleOptions = {
  dim: ['contig:STRING_ASCII', 'pos:UINT32:0..99999:100000'],
  attr: ['ref:STRING_ASCII', 'count:INT32'],
  duplicates: true,
}

/** A cell of `data`. @param start_pos of the cell; it differs from `real` in an anchor */
export function vcfCell(sample: string, start_pos: number, end_pos: number, real = start_pos, contig = 'chr1'): object {
  const rest = { qual: 1, alleles: 'A,C', id: '.', filter_ids: [0], info: [0], fmt: [0], fmt_GT: [0] }
  return { contig, start_pos, sample, real_start_pos: real, end_pos, ...rest }
}

export function vcfHeader(sample: string): object {
  return { sample, header: '##fileformat=VCFv4.2\n##contig=<ID=chr1,length=50000>\n##contig=<ID=chr2>\n' }
}

export const VCF_SAMPLE = {
  arrays: {
    'data/': {
      options: DATA,
      cells: rows(
        vcfCell('A', 100, 100),
        vcfCell('B', 100, 2300),
        vcfCell('B', 1100, 2300, 100),
        vcfCell('B', 2100, 2300, 100),
        vcfCell('A', 700, 701),
      ),
      // The list of one field: fmt_GT.
      keys: { version: 4, anchor_gap: 1000, tile_capacity: 10000, extra_attributes: 'Zm10X0dU' },
    },
    'metadata/vcf_headers/': {
      options: { dim: ['sample:STRING_ASCII'], attr: ['header:STRING_ASCII'] },
      cells: rows(vcfHeader('A'), vcfHeader('B')),
    },
    'allele_count/': {
      options: ALLELES,
      cells: rows({ contig: 'chr1', pos: 100, ref: 'A', count: 2 }),
      keys: { version: 1 },
    },
    'sample_stats/': {
      options: OF_SAMPLES,
      cells: rows({ sample: 'A', n_records: 2 }, { sample: 'B', n_records: 1 }),
      keys: { version: 1 },
    },
  },
  groups: {
    '': { arrays: ['data', 'allele_count', 'sample_stats'], groups: ['metadata'], keys: { dataset_type: 'vcf' } },
    'metadata/': { arrays: ['vcf_headers'] },
  },
} as const satisfies LayerSample

export const VCF = layerRecipe(VCF_SAMPLE)
