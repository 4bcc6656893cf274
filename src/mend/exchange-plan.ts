import type { Finding } from '../check/finding.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { FragmentEntry } from '../objects/array.ts'
import type { FieldFile } from '../objects/fragment.ts'
import { contradictedField } from '../recover/contradictions.ts'
import type { ArrayDrafts } from './array-drafts.ts'
import type { Draft } from './drafts.ts'

/** Two fragments, and their files that were exchanged. */
interface Exchange {
  draft: Draft
  entries: readonly [FragmentEntry, FragmentEntry]
  files: Set<string>
  /** Names of the fields of these files. */
  fields: Set<string>
  hasCoordinates: boolean
}

/** Plans to exchange files of two fragments back. */
export class ExchangePlanner {
  private readonly drafts: ArrayDrafts
  private readonly byKey = new Map<string, Exchange>()

  constructor(drafts: ArrayDrafts) {
    this.drafts = drafts
  }

  async add(finding: Finding): Promise<void> {
    const { drafts } = this
    const entry = drafts.entryOf(finding)
    const other = drafts.entryNamed(finding.exchanged ?? '')
    if (!entry || !other) return drafts.leave(finding)
    const key = `exchange ${[entry.path, other.path].sort().join(' ')}`
    const draft = drafts.draft(key, finding)
    const none = { draft, entries: [entry, other], files: new Set(), fields: new Set(), hasCoordinates: false } as const
    const found: Exchange = this.byKey.get(key) ?? { ...none, files: new Set(), fields: new Set() }
    this.byKey.set(key, found)
    const name = lastPathPart(finding.file)
    found.files.add(name)
    const slots = (await drafts.infoOf(entry))?.slots ?? []
    const slot = slots[(await this.filesOf(entry)).find((file) => file.name === name)?.slot ?? -1]
    if (!slot) return
    found.fields.add(slot.name)
    found.hasCoordinates ||= slot.kind === 'dimension' || slot.kind === 'coords'
  }

  /** Adds a finding that follows from an exchange to the plan against that. @returns whether it does */
  async covers(finding: Finding): Promise<boolean> {
    if (this.byKey.size === 0) return false
    const entry = this.drafts.entryOf(finding)
    for (const { draft, entries, files, fields, hasCoordinates } of this.byKey.values()) {
      if (!entry || !entries.includes(entry)) continue
      const name = lastPathPart(finding.file)
      const slots = (await this.drafts.infoOf(entry))?.slots
      const slot = (await this.filesOf(entry)).find((file) => file.name === name)?.slot
      const isOfField =
        slot === undefined
          ? name === FRAGMENT_METADATA_FILE && fields.has(contradictedField(finding))
          : fields.has(slots?.[slot]?.name ?? '')
      const isOfCoordinates = hasCoordinates && finding.code.startsWith('COORDINATE_')
      if (!isOfField && !isOfCoordinates && !(await this.isOfMetadata(entries, files))) continue
      draft.add(finding)
      return true
    }
    return false
  }

  async finish(): Promise<void> {
    const { shell } = this.drafts
    for (const { draft, entries, files } of this.byKey.values()) {
      const back = (file: string) => shell.exchange(`${entries[0].path}/${file}`, `${entries[1].path}/${file}`)
      if (await this.isOfMetadata(entries, files)) draft.move(back(FRAGMENT_METADATA_FILE))
      else {
        draft.move(...[...files].map(back))
        if ((await this.differing(entries)).every((name) => files.has(name)))
          draft.instead.push({
            ...back(FRAGMENT_METADATA_FILE).step,
            text: 'if the metadata was exchanged, not the data: nothing tells, and each cell would have the time of the other fragment',
          })
      }
      draft.end(shell.check())
    }
  }

  /** Whether the metadata of the two was exchanged, rather than all their data files. */
  private async isOfMetadata(entries: Exchange['entries'], files: ReadonlySet<string>): Promise<boolean> {
    return files.size > 1 && (await this.differing(entries)).every((name) => files.has(name))
  }

  /** Names of the files of both that have different sizes in their footers. */
  private async differing([one, other]: Exchange['entries']): Promise<string[]> {
    const sizes = new Map((await this.filesOf(other)).map(({ name, size }) => [name, size]))
    return (await this.filesOf(one))
      .filter(({ name, size }) => (sizes.get(name) ?? size) !== size)
      .map(({ name }) => name)
  }

  private async filesOf(entry: FragmentEntry): Promise<readonly FieldFile[]> {
    return (await this.drafts.tryRead(entry, (fragment) => fragment.fieldFiles())) ?? []
  }
}
