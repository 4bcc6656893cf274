import { firstOf, InspectError } from '../base/errors.ts'
import type { Fragment } from '../objects/fragment.ts'
import { kindOf, type Target, type TargetKind, type TargetsByKind, targetInWords } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/**
 * The kinds of targets, and the words for them. Each command says which of them it takes ({@link CommandModule.takes}). Error
 * messages, help and completion follow from that.
 */

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
  group: { one: 'a group', help: 'group', kinds: ['group', 'folder'] },
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
  'fragment metadata file': {
    one: 'a file of fragment metadata',
    help: 'file of fragment metadata',
    kinds: ['fragment metadata'],
  },
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
 * What a command takes. The order is that of messages and help. The texts are for help: what the command does with such a target, if
 * that needs to be said.
 */
export type Takes = { readonly [taken in keyof typeof TAKEN]?: string }

/** The targets that a command takes. */
export type TargetFor<T extends Takes> = TargetsByKind[(typeof TAKEN)[keyof T & keyof typeof TAKEN]['kinds'][number]]

/**
 * What commands about one fragment take. They open it with {@link oneFragment}, not with {@link targetFor}: for an array, its message
 * names a fragment to type instead. A test of every command asks for that message.
 */
export const ONE_FRAGMENT = { 'fragment or its file': '' } as const satisfies Takes

/** What commands about one fragment take that need no name of it where an array has no other. They open it with {@link singleFragment}. */
export const SINGLE_FRAGMENT = { ...ONE_FRAGMENT, array: 'with a single fragment' } as const satisfies Takes

function rowsOf(taken: Takes): [Taken, string][] {
  return Object.entries(taken).map(([name, what]) => [TAKEN[name as keyof typeof TAKEN], what])
}

/** Whether a kind of targets is among those that a command takes. */
export function takesKind(taken: Takes, kind: TargetKind): boolean {
  return rowsOf(taken).some(([{ kinds }]) => kinds.includes(kind))
}

/** What a command takes, for its help: `array (its fragments), fragment (its files) or group (its members)`. */
export function targetsHelp(taken: Takes): string {
  return anyOf(rowsOf(taken).map(([{ help }, what]) => (what === '' ? help : `${help} (${what})`)))
}

/** What a command takes, for messages: `an array, a fragment or a group`. */
export function wantedBy(taken: Takes): string {
  return anyOf(rowsOf(taken).map(([{ one }]) => one))
}

/** `a, b or c` */
function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/**
 * The target, if the command takes it.
 * @param call the command, perhaps with an option that changes what it takes
 * @throws InspectError WRONG_TARGET
 */
export async function targetFor<const T extends Takes>(
  cx: CommandContext,
  call: string,
  taken: T,
  target: Target,
): Promise<TargetFor<T>> {
  if (!takesKind(taken, kindOf(target))) throw await wrongTarget(cx, call, taken, target)
  return target as TargetFor<T>
}

/** The error for a target that a command does not take. It lists what is in a group or array, as the user may have meant one of these. */
export async function wrongTarget(
  cx: CommandContext,
  call: string,
  taken: Takes,
  target: Target,
): Promise<InspectError> {
  const message = `${call} expects ${wantedBy(taken)}, found ${targetInWords(target)}${await contentsText(cx, target)}`
  return new InspectError('WRONG_TARGET', message, { file: target.path })
}

/**
 * The fragment, if the target is one, or a file of one.
 * @param hint what the command can do with an array, for the error
 * @throws InspectError WRONG_TARGET, with what to type instead
 */
export async function oneFragment(cx: CommandContext, call: string, target: Target, hint = ''): Promise<Fragment> {
  if (target.type !== 'array') return (await targetFor(cx, call, ONE_FRAGMENT, target)).fragment
  const fragments = await target.array.fragments()
  const one = fragments.find(({ isRead }) => isRead) ?? fragments[0]
  const instead = one ? `${hint}; as in: ${call} ${cx.shownPath(`${target.path}/${one.path}`)}` : ''
  const message = `${call} expects one fragment, found an array${await contentsText(cx, target)}${instead}`
  throw new InspectError('WRONG_TARGET', message, { file: target.path })
}

/**
 * {@link oneFragment}, or the fragment of an array that has a single one.
 * @param hint as in {@link oneFragment}
 * @throws InspectError WRONG_TARGET
 */
export async function singleFragment(cx: CommandContext, call: string, target: Target, hint = ''): Promise<Fragment> {
  const found = await targetFor(cx, call, SINGLE_FRAGMENT, target)
  if (found.type !== 'array') return found.fragment
  const [only, ...more] = await found.array.fragments()
  if (only && more.length === 0) return found.array.fragment(only.path)
  return oneFragment(cx, call, found, hint)
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
      const { memberPath } = await import('../objects/group.ts')
      const members = (await group.members()).map((member) =>
        cx.shownPath(memberPath(group.folder.path, member) ?? member.uri),
      )
      return members.length === 0 ? ' that has no members' : `; its members: ${firstOf(members)}`
    }
  }
}
