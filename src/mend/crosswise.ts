import { groupBy } from '../base/group-by.ts'
import { lastPathPart } from '../base/paths.ts'
import type { Finding } from '../check/finding.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { contradictedField } from '../recover/contradictions.ts'
import type { ArrayDrafts } from './array-drafts.ts'

/** A data file whose cells have other statistics than the metadata says. */
interface Contradicted {
  entry: FragmentEntry
  /** Path in the array. */
  path: string
  findings: readonly Finding[]
}

/** Digits of a sum of floats that do not depend on the order of addition. */
const SUM_DIGITS = 9

/**
 * The files of equal size that were exchanged: the cells of each have the statistics that the metadata says of the other. A file is the only
 * one of its field, and the other one is that of the same field in another fragment, or that of another field in the same one.
 * @returns by finding, the path of the file and that of the other, both in the array
 */
export async function crosswiseFiles(drafts: ArrayDrafts): Promise<ReadonlyMap<Finding, readonly [string, string]>> {
  const found = new Map<Finding, readonly [string, string]>()
  const byFacts = groupBy(await contradictedFiles(drafts), ({ findings }) => factsOf(findings, false))
  for (const one of [...byFacts.values()].flat()) {
    const name = lastPathPart(one.path)
    const [other, ...rest] = (byFacts.get(factsOf(one.findings, true)) ?? []).filter(
      ({ entry, path }) => (entry === one.entry) !== (lastPathPart(path) === name),
    )
    if (other && rest.length === 0) for (const finding of one.findings) found.set(finding, [one.path, other.path])
  }
  return found
}

async function contradictedFiles(drafts: ArrayDrafts): Promise<Contradicted[]> {
  const files: Contradicted[] = []
  const ofStatistics = drafts.findings.filter(({ statistic, severity }) => statistic && severity === 'error')
  for (const [entry, own] of groupBy(ofStatistics, (finding) => drafts.entryOf(finding))) {
    const slots = entry && (await drafts.infoOf(entry))?.slots
    const all = entry && (await drafts.tryRead(entry, (fragment) => fragment.fieldFiles()))
    if (!entry || !slots || !all) continue
    for (const [field, findings] of groupBy(own, contradictedField)) {
      const [file, ...others] = all.filter(({ slot }) => slots[slot]?.name === field)
      // One statistic may fit by chance.
      if (file && others.length === 0 && findings.length > 1)
        files.push({ entry, path: `${entry.path}/${file.name}`, findings })
    }
  }
  return files
}

/** What findings say of the cells and of the metadata. @param isCrosswise whether each has the place of the other */
function factsOf(findings: readonly Finding[], isCrosswise: boolean): string {
  const texts = findings.map(({ code, field = '', tile, statistic }) => {
    const isSum = code === 'TILE_SUM' || code === 'FRAGMENT_SUM'
    const list = field.slice(0, field.indexOf('.'))
    const [counted, stored] = [statistic?.counted ?? '', statistic?.stored ?? ''].map((value) =>
      isSum && /[.e]/.test(value) ? Number(value).toPrecision(SUM_DIGITS) : value,
    )
    return [list, tile, ...(isCrosswise ? [stored, counted] : [counted, stored])].join(' ')
  })
  return texts.sort().join('\n')
}
