import type { DatasetMember } from '../objects/dataset.ts'
import type { Target } from '../objects/target.ts'
import type { Items, Level } from './finding.ts'

/** A check of what the parts of a dataset say of each other, beside the checks of each part. It is told what the walk meets. */
export interface AcrossCheck {
  /** Called for each member before what it lists, in the order of the walk. */
  met(member: DatasetMember): Promise<void>
  /** Whether a member that is missing is one that its group may still list. */
  isPassing(member: DatasetMember): Promise<boolean>
  /** What is wrong, after all members were met. */
  items(): Items
}

/** Begins a check of a target. */
export type BeginAcross = (target: Target, level: Level) => Promise<AcrossCheck>
