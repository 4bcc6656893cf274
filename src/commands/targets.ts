import { firstOf, InspectError } from '../base/errors.ts'
import type { Fragment } from '../store/fragment.ts'
import { kindOf, type Target, type TargetKind, type TargetsByKind } from '../store/target.ts'
import type { CommandContext } from './command.ts'

/**
 * Which kinds of targets each command takes. Error messages, help and completion follow from the tables here. `why` is not among
 * them, as it takes any path; neither are commands that take no target.
 */

/** What a message calls a target that a command does not take. */
const FOUND: Readonly<Record<TargetKind, string>> = {
  array: 'an array',
  group: 'a group',
  fragment: 'a fragment',
  'lone fragment': 'a fragment',
  'fragment metadata': 'a file',
  'data file': 'a file',
  'schema file': 'a file',
  'consolidated fragment metadata': 'a file',
  'lone file': 'a file',
  'other file': 'a file',
}

interface Taken {
  /** What messages call one. */
  one: string
  /** What help calls it. */
  help: string
  kinds: readonly TargetKind[]
}

/** What a command may take, each with the kinds of targets that are meant. */
const TAKEN = {
  array: { one: 'an array', help: 'array', kinds: ['array'] },
  'array of labels': { one: 'an array of labels', help: 'array of labels', kinds: ['array'] },
  group: { one: 'a group', help: 'group', kinds: ['group'] },
  fragment: { one: 'a fragment', help: 'fragment', kinds: ['fragment', 'lone fragment'] },
  'fragment in an array': { one: 'a fragment inside its array', help: 'fragment', kinds: ['fragment'] },
  'fragment or its file': {
    one: 'a fragment',
    help: 'fragment',
    kinds: ['fragment', 'lone fragment', 'fragment metadata', 'data file'],
  },
  // Outside of arrays, any file may be a copy of a schema.
  'schema or lone file': { one: 'a schema file', help: 'schema file', kinds: ['schema file', 'lone file'] },
  'schema file': { one: 'a schema file', help: 'schema file', kinds: ['schema file'] },
  'consolidated fragment metadata': {
    one: 'consolidated fragment metadata',
    help: 'consolidated fragment metadata',
    kinds: ['consolidated fragment metadata'],
  },
  file: {
    one: 'a file',
    help: 'file',
    kinds: [
      ...(['fragment metadata', 'data file', 'schema file'] as const),
      ...(['consolidated fragment metadata', 'lone file', 'other file'] as const),
    ],
  },
} as const satisfies Readonly<Record<string, Taken>>

/**
 * What each command takes, and commands with options that change that. The order is that of messages and help. The texts are for
 * help: what the command does with such a target, if that needs to be said.
 */
const TAKES = {
  overview: { array: '', fragment: '', group: '', file: 'in one of them' },
  ls: { array: 'its fragments', fragment: 'its files', group: 'its members' },
  'ls --depth': { group: '' },
  'ls --names': { array: '' },
  'ls --range': { array: '' },
  schema: { array: '', 'fragment in an array': 'its own schema', group: 'of each array', 'schema or lone file': '' },
  'schema --all': { array: '', group: '' },
  commits: { array: '', group: 'of each array' },
  metadata: {
    'fragment or its file': 'its metadata by column',
    array: '',
    group: 'key-value metadata, also of the members',
  },
  'metadata of members': { array: '', group: '' },
  read: { array: '' },
  history: { array: '' },
  decode: { 'fragment or its file': '' },
  'decode --all-fragments': { array: '', 'fragment or its file': '' },
  explain: { array: '' },
  stats: { 'fragment or its file': '', array: '', group: 'each array' },
  'stats --read': { array: '', group: '' },
  whatif: { array: '', 'fragment in an array': '' },
  check: { fragment: '', array: '', group: '' },
  recover: { array: '', fragment: '' },
  'verify-checksums': { fragment: '', array: '', group: '' },
  diff: { array: '', fragment: '', group: '', 'schema file': '' },
  'diff --read': { array: '' },
  footer: {
    'fragment or its file': '',
    array: 'every fragment',
    group: 'of each array',
    'consolidated fragment metadata': '.meta file',
  },
  rtree: { 'fragment or its file': '', array: 'every fragment', group: 'of each array' },
  'rtree --svg': { 'fragment or its file': '', array: '' },
  tiles: { 'fragment or its file': '', array: 'every fragment', group: 'of each array' },
  tile: { 'fragment or its file': '' },
  dump: { file: 'any of an array or group', fragment: 'its metadata file', array: 'its newest schema' },
  at: { file: 'any of an array or group', fragment: 'its metadata file', array: 'its newest schema' },
  'at --cell': { 'fragment or its file': '' },
  page: { array: '', fragment: '', group: '', file: 'in one of them' },
  '--hex': { file: '' },
  '--range': { 'array of labels': '' },
} as const satisfies Readonly<Record<string, { readonly [taken in keyof typeof TAKEN]?: string }>>

/** A command, perhaps with an option that changes what it takes. */
export type Call = keyof typeof TAKES

type TakenBy<C extends Call> = keyof (typeof TAKES)[C] & keyof typeof TAKEN

/** The targets that a command takes. */
export type TargetFor<C extends Call> = TargetsByKind[(typeof TAKEN)[TakenBy<C>]['kinds'][number]]

function takenBy(call: Call): [Taken, string][] {
  return Object.entries(TAKES[call]).map(([name, what]) => [TAKEN[name as keyof typeof TAKEN], what])
}

/** Whether a command takes a kind of targets. */
export function takes(call: Call, kind: TargetKind): boolean {
  return takenBy(call).some(([{ kinds }]) => kinds.includes(kind))
}

/** Whether a command takes a kind of targets, at least with some options. It may do so if it is not in the table. */
export function mayTake(command: string | undefined, kind: TargetKind): boolean {
  const calls = Object.keys(TAKES).filter((call) => call.split(' ')[0] === command) as Call[]
  return calls.length === 0 || calls.some((call) => takes(call, kind))
}

/** What a command takes, for its help: `array (its fragments), fragment (its files) or group (its members)`. */
export function targetsHelp(call: Call): string {
  return anyOf(takenBy(call).map(([{ help }, what]) => (what === '' ? help : `${help} (${what})`)))
}

/** What a command takes, for messages: `an array, a fragment or a group`. */
export function wantedBy(call: Call): string {
  return anyOf(takenBy(call).map(([{ one }]) => one))
}

/** `a, b or c` */
function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/**
 * The target, if the command takes it.
 * @throws InspectError WRONG_TARGET
 */
export async function targetFor<C extends Call>(cx: CommandContext, call: C, target: Target): Promise<TargetFor<C>> {
  if (!takes(call, kindOf(target))) throw await wrongTarget(cx, call, target)
  return target as TargetFor<C>
}

/** The error for a target that a command does not take. It lists what is in a group or array, as the user may have meant one of these. */
export async function wrongTarget(cx: CommandContext, call: Call, target: Target): Promise<InspectError> {
  const message = `${call} expects ${wantedBy(call)}, found ${FOUND[kindOf(target)]}${await contentsText(cx, target)}`
  return new InspectError('WRONG_TARGET', message, { file: target.path })
}

/**
 * The fragment, if the target is one, or a file of one.
 * @param hint what the command can do with an array, for the error
 * @throws InspectError WRONG_TARGET, with what to type instead
 */
export async function oneFragment(
  cx: CommandContext,
  call: 'decode' | 'tile' | 'at --cell',
  target: Target,
  hint = '',
): Promise<Fragment> {
  if (target.type !== 'array') return (await targetFor(cx, call, target)).fragment
  const fragments = await target.array.fragments()
  const one = fragments.find(({ isRead }) => isRead) ?? fragments[0]
  const instead = one ? `${hint}; as in: ${call} ${cx.shownPath(`${target.path}/${one.path}`)}` : ''
  const message = `${call} expects one fragment, found an array${await contentsText(cx, target)}${instead}`
  throw new InspectError('WRONG_TARGET', message, { file: target.path })
}

/** Where a target lies, or what is in it. */
async function contentsText(cx: CommandContext, target: Target): Promise<string> {
  switch (target.type) {
    case 'fragment':
    case 'file':
      return target.array ? `; it lies in the array ${cx.shownPath(target.array.folder.path)}` : ''
    case 'array': {
      const paths = (await target.array.fragments()).map(({ path }) => path)
      return paths.length === 0 ? ' that has no fragments' : `; its fragments: ${firstOf(paths)}`
    }
    case 'group': {
      const { group } = target
      // Paths are listed, not names: the path of a member can be another than its name.
      const { memberPath } = await import('../store/group.ts')
      const members = (await group.members()).map((member) =>
        cx.shownPath(memberPath(group.folder.path, member) ?? member.uri),
      )
      return members.length === 0 ? ' that has no members' : `; its members: ${firstOf(members)}`
    }
  }
}
