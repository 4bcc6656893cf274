import { type FindingCode, type FindingState, type Mend, mendOf } from '../check/codes.ts'

/** A way to mend a finding, as a plan goes about it. */
export type Way = Exclude<Mend, 'recover-places'>

/**
 * The ways in words, for docs/check.md. Every way but `copy` and `leave` has steps that can be undone, byte for byte. If a finding has no
 * steps after all, its plan says why.
 */
export const WAYS: Readonly<Record<Way, string>> = {
  aside: 'move it out of the array',
  'empty-file': 'move it out of the array, and put an empty file in its place',
  'cut-off': 'cut the file off where it should end',
  exchange: 'exchange it with the other file',
  zeros: 'fill the file with zeros, as TileDB does',
  list: 'write the list again, without the line',
  line: 'write the list again, with the line as it was',
  condition:
    'move the condition out of the array; the cells that it deleted come back, except where consolidation marked them',
  'condition-file': 'write the file again, from the list of commits that holds the condition, too',
  commit: 'create an empty commit file for each whole fragment',
  mark: 'create its mark, an empty file',
  uncommitted: 'commit it if the array reads empty; otherwise move it out of the array',
  dangling: 'move the commit out of the array; if its fragment lies elsewhere, move the fragment to its place',
  'wrong-folder': 'move it to its place',
  rename: 'rename it, and its commit',
  'swap-times': 'rename it, and its commit, with the earlier time first',
  'fragment-milliseconds': 'rename it, and its commit, if the time is right in milliseconds',
  milliseconds: 'rename it, if the time is right in milliseconds',
  'vacuum-file': 'commit the fragment that replaces the others; without one, move the .vac file out of the array',
  twice: 'move the fragments out of the array whose cells it has, if their statistics tell that',
  'schema-file': 'move it out of the array, if no fragment needs it',
  recover: '`recover` writes the metadata of the fragment again',
  statistics:
    '`recover` writes the metadata of the fragment again; if check tells that the cells were changed, only a copy of the array helps',
  drop: '`recover --drop-damaged` keeps all other tiles',
  rewrite: 'write the cells of the fragment again, as `decode` shows them',
  schema: 'write the schema again, if the file tells what is right; otherwise only a copy of the array helps',
  members: 'TileDB writes the list of members again',
  copy: 'only a copy of the array helps',
  leave: 'nothing: leave it as it is',
}

/** The way to mend a code, if no variant and no known fault tells another one. */
export function wayOfCode(code: FindingCode): Way {
  return wayOf({ code })
}

/** The way to mend a finding. */
export function wayOf(finding: FindingState): Way {
  const mend = mendOf(finding)
  return mend === 'recover-places' ? 'recover' : mend
}
