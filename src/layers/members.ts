import { finding, type Items } from '../check/finding.ts'
import type { Part } from './part.ts'
import { placeOf } from './place.ts'

/** Notes the members of a dataset that are found by their whole path. */
export async function* checkRelative(top: Part): Items {
  for (const part of top.all())
    if (part.target && part.member && !part.member.member.relative)
      yield finding('LAYER_MEMBER', placeOf(part), 'a path relative to the group', part.member.member.uri, 'absolute')
}
