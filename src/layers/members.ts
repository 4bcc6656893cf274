import { finding, type Items } from '../check/finding.ts'
import type { Part } from './part.ts'
import { placeOf } from './place.ts'

/** Reports members with an absolute path: such a path is wrong after the dataset was moved. */
export async function* checkRelative(top: Part): Items {
  for (const part of top.all()) {
    const listed = part.member?.member
    if (part.target && listed && !listed.relative)
      yield finding('LAYER_MEMBER', placeOf(part), 'a path relative to the group', listed.uri, 'absolute')
  }
}
