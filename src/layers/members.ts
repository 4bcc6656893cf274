import { finding, type Items } from '../check/finding.ts'
import type { DatasetPart } from './part.ts'
import { findingPlace } from './place.ts'

/** Reports members with an absolute path: such a path is wrong after the dataset was moved. */
export async function* checkRelative(top: DatasetPart): Items {
  for (const part of top.all()) {
    const listed = part.member?.member
    if (part.target && listed && !listed.relative)
      yield finding('LAYER_MEMBER', findingPlace(part), 'a path relative to the group', listed.uri, 'absolute')
  }
}
