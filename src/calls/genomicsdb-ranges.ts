import { firstOf, wrongOption } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import type { CallMaps } from '../genomicsdb/calls.ts'
import type { Contig } from '../genomicsdb/maps.ts'
import type { WantedCalls } from '../genomicsdb/merge.ts'

const SAMPLE = 'sample='
const FORMS = 'CONTIG, CONTIG:POS, CONTIG:FROM-TO or sample=NAME'

/**
 * Parses `--range` for calls: a contig, or positions of it, as GATK writes intervals; or a sample. Several places: calls that touch any of
 * them. Several samples: calls of any of them.
 * @throws InspectError USAGE
 */
export function parseCallRanges(options: readonly string[], { callset, vidmap }: CallMaps): WantedCalls {
  const columns: (readonly [number, number])[] = []
  const rows = new Set<number>()
  for (const option of options) {
    if (option.startsWith(SAMPLE)) {
      const name = option.slice(SAMPLE.length)
      const found = (callset?.samples ?? []).filter((sample) => sample.name === name)
      const names = (callset?.samples ?? []).map((sample) => sample.name)
      if (found.length === 0)
        throw wrongOption('--range', 'a sample of callset.json', JSON.stringify(name) + didYouMean(name, names))
      for (const { row } of found) rows.add(row)
    } else columns.push(columnsOf(option, vidmap?.contigs ?? []))
  }
  return { ...(columns.length > 0 && { columns }), ...(rows.size > 0 && { rows }) }
}

/** The columns of a contig, or of some of its positions. Names of contigs may have colons and dashes in them. */
function columnsOf(option: string, contigs: readonly Contig[]): readonly [number, number] {
  const whole = contigs.find(({ name }) => name === option)
  if (whole) return [whole.offset, whole.offset + whole.length - 1]
  const [, name = option, from = '', dash = '', to = ''] = /^(.+):([\d,]+)(?:(-)([\d,]*))?$/s.exec(option) ?? []
  const contig = contigs.find((one) => one.name === name)
  if (!contig) {
    throw wrongOption('--range', FORMS, JSON.stringify(option) + contigHint(name, contigs))
  }
  const first = wholeOf(from)
  const last = dash === '' ? first : wholeOf(to) || contig.length
  if (first < 1 || last < first) throw wrongOption('--range', 'FROM from 1 on, up to TO', JSON.stringify(option))
  return [contig.offset + first - 1, contig.offset + Math.min(last, contig.length) - 1]
}

/** What is suggested for an unknown contig: the one that only differs by "chr", one that is spelled alike, or the first ones. */
function contigHint(name: string, contigs: readonly Contig[]): string {
  const known = contigs.map((one) => one.name)
  const bare = (one: string): string => one.replace(/^chr/i, '')
  const same = known.find((one) => bare(one) === bare(name))
  if (same !== undefined) return `; did you mean ${same}?`
  return didYouMean(name, known) || `; the contigs are ${firstOf(known)}`
}

/** A number, with or without commas between its digits. */
function wholeOf(text: string): number {
  return Number(text.replaceAll(',', ''))
}
