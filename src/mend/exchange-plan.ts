import { lastPathPart } from '../base/paths.ts'
import { BOTH_THERE } from '../check/codes/fragment.ts'
import type { Finding } from '../check/finding.ts'
import { hex } from '../filters/bytes.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { FragmentEntry } from '../objects/array.ts'
import type { FieldFile } from '../objects/fragment.ts'
import { contradictedField } from '../recover/contradictions.ts'
import type { ArrayDrafts } from './array-drafts.ts'
import type { Draft } from './drafts.ts'

/** Files of two fragments, or of one, that were exchanged. */
interface Exchange {
  draft: Draft
  /** The fragments; both are the same if two files of one were exchanged. */
  entries: readonly [FragmentEntry, FragmentEntry]
  /** The files to exchange, by their paths in the array. */
  pairs: Map<string, readonly [string, string]>
  /** Names of the fields of these files. */
  fields: Set<string>
  hasCoordinates: boolean
  /** Whether statistics of cells tell of it, so that they are known of all files. */
  isByStatistics: boolean
}

/** Plans to exchange files back. */
export class ExchangePlanner {
  private readonly drafts: ArrayDrafts
  /** {@link crosswiseFiles} */
  private readonly crosswise: ReadonlyMap<Finding, readonly [string, string]>
  private readonly byKey = new Map<string, Exchange>()

  constructor(drafts: ArrayDrafts, crosswise: ReadonlyMap<Finding, readonly [string, string]>) {
    this.drafts = drafts
    this.crosswise = crosswise
  }

  async add(path: string, finding: Finding): Promise<void> {
    const { drafts } = this
    const ofStatistics = this.crosswise.get(finding)
    const pair = ofStatistics ?? ([path, finding.exchanged ?? ''] as const)
    const entries = pair.map((one) => drafts.entryAround(one))
    const [entry, other] = entries
    if (!entry || !other) return drafts.leave(finding)
    const files = pair.toSorted()
    const key = entry === other ? files.join(' ') : [entry.path, other.path].sort().join(' ')
    const draft = drafts.draft(`exchange ${key}`, finding)
    const none = { entries: [entry, other], hasCoordinates: false, isByStatistics: false } as const
    const found: Exchange = this.byKey.get(key) ?? { draft, ...none, pairs: new Map(), fields: new Set() }
    this.byKey.set(key, found)
    found.pairs.set(files.join(' '), pair)
    if (ofStatistics) {
      found.isByStatistics = true
      draft.takeBackLost()
      draft.addLost(BOTH_THERE)
    }
    for (const one of pair) {
      const name = lastPathPart(one)
      const slots = (await drafts.infoOf(entry))?.slots ?? []
      const slot = slots[(await this.filesOf(entry)).find((file) => file.name === name)?.slot ?? -1]
      if (!slot) continue
      found.fields.add(slot.name)
      found.hasCoordinates ||= slot.kind === 'dimension' || slot.kind === 'coords'
    }
  }

  /** Adds a finding that follows from an exchange to the plan against that. @returns whether it does */
  async covers(finding: Finding): Promise<boolean> {
    if (this.byKey.size === 0) return false
    const entry = this.drafts.entryOf(finding)
    for (const exchange of this.byKey.values()) {
      const { draft, entries, fields, hasCoordinates } = exchange
      if (!entry || !entries.includes(entry)) continue
      const name = lastPathPart(finding.file)
      const slots = (await this.drafts.infoOf(entry))?.slots
      const slot = (await this.filesOf(entry)).find((file) => file.name === name)?.slot
      const isOfField =
        slot === undefined
          ? name === FRAGMENT_METADATA_FILE && fields.has(contradictedField(finding))
          : fields.has(slots?.[slot]?.name ?? '')
      const isOfCoordinates = hasCoordinates && finding.code.startsWith('COORDINATE_')
      if (!isOfField && !isOfCoordinates && !(await this.isOfMetadata(exchange))) continue
      draft.add(finding)
      return true
    }
    return false
  }

  async finish(): Promise<void> {
    const { shell } = this.drafts
    for (const exchange of this.byKey.values()) {
      const { draft, entries, pairs } = exchange
      const ofMetadata = shell.exchange(
        `${entries[0].path}/${FRAGMENT_METADATA_FILE}`,
        `${entries[1].path}/${FRAGMENT_METADATA_FILE}`,
      )
      if (await this.isOfMetadata(exchange)) draft.move(ofMetadata)
      else {
        for (const [one, other] of pairs.values()) draft.move(shell.exchange(one, other))
        if (await this.mayBeOfMetadata(exchange))
          draft.instead.push({
            ...ofMetadata.step,
            text: 'if the metadata was exchanged, not the data: nothing tells, and each cell would have the time of the other fragment',
          })
      }
      draft.end(shell.check())
    }
  }

  /** Whether the metadata of the two was exchanged, rather than all their data files. */
  private async isOfMetadata(exchange: Exchange): Promise<boolean> {
    return exchange.pairs.size > 1 && (await this.mayBeOfMetadata(exchange))
  }

  /** Whether all that differs between the metadata of the two is of exchanged files. */
  private async mayBeOfMetadata({ entries, pairs, isByStatistics }: Exchange): Promise<boolean> {
    const [one, other] = entries
    if (one === other) return false
    const names = new Set([...pairs.values()].flat().map(lastPathPart))
    const files = await this.filesOf(one)
    const others = new Map((await this.filesOf(other)).map((file) => [file.name, file]))
    const [own, theirs] = isByStatistics ? [await this.statisticsOf(one), await this.statisticsOf(other)] : []
    const differ = ({ name, size, slot }: FieldFile): boolean =>
      (others.get(name)?.size ?? size) !== size || own?.[slot] !== theirs?.[slot]
    return files.every((file) => names.has(file.name) || !differ(file))
  }

  /** The statistics of the fragment, as a text for each slot. */
  private async statisticsOf(entry: FragmentEntry): Promise<readonly string[]> {
    const all = await this.drafts.tryRead(entry, (fragment) => fragment.statistics())
    return (all ?? []).map(({ min, max, sum }) => [min, max, sum].map(hex).join(' '))
  }

  private async filesOf(entry: FragmentEntry): Promise<readonly FieldFile[]> {
    return (await this.drafts.tryRead(entry, (fragment) => fragment.fieldFiles())) ?? []
  }
}
