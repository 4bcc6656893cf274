import type { DatasetMember } from '../objects/dataset.ts'
import type { Target } from '../objects/target.ts'
import type { Items, Level } from './finding.ts'

/**
 * What a missing member is for the library of a layer. `temporary`: the library made it for a while. `needed`: the library fails where it
 * opens the member.
 */
export type LostAs = 'temporary' | 'needed'

/** A check of what the parts of a dataset say of each other, beside the checks of each part. It is told what the walk meets. */
export interface AcrossCheck {
  /** Called for each member before what it lists, in the order of the walk. */
  met(member: DatasetMember): Promise<void>
  /** What a member that is missing is for the layer of its group. */
  lostAs(member: DatasetMember): Promise<LostAs | undefined>
  /** What is wrong, after all members were met. */
  items(): Items
}

/** Begins a check of a target. */
export type BeginAcross = (target: Target, level: Level) => Promise<AcrossCheck>
