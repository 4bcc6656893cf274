import { firstOf, InspectError } from '../base/errors.ts'
import type { Fragment } from '../store/fragment.ts'
import { type Target, withArticle } from '../store/target.ts'
import type { CommandContext } from './command.ts'

/**
 * The error for a target of the wrong type. It lists what is in a group or array, because the user may have meant one of these.
 * @param wanted the targets that the command expects, in words
 */
export async function wrongTarget(
  cx: CommandContext,
  command: string,
  target: Target,
  wanted: string,
): Promise<InspectError> {
  const message = `${command} expects ${wanted}, found ${withArticle(target.type)}${await contentsText(cx, target)}`
  return new InspectError('WRONG_TARGET', message, { file: target.path })
}

/**
 * The fragment, if the target is one.
 * @param hint what the command can do with an array, for the error
 * @throws InspectError WRONG_TARGET, with what to type instead
 */
export async function oneFragment(cx: CommandContext, command: string, target: Target, hint = ''): Promise<Fragment> {
  if ('fragment' in target && target.fragment) return target.fragment
  if (target.type !== 'array') throw await wrongTarget(cx, command, target, 'a fragment')
  const fragments = await target.array.fragments()
  const one = fragments.find(({ isRead }) => isRead) ?? fragments[0]
  const instead = one ? `${hint}; as in: ${command} ${cx.shownPath(`${target.path}/${one.path}`)}` : ''
  const message = `${command} expects one fragment, found an array${await contentsText(cx, target)}${instead}`
  throw new InspectError('WRONG_TARGET', message, { file: target.path })
}

async function contentsText(cx: CommandContext, target: Target): Promise<string> {
  if (target.type === 'fragment' || target.type === 'file')
    return target.array ? `; it lies in the array ${cx.shownPath(target.array.folder.path)}` : ''
  if (target.type === 'array') {
    const paths = (await target.array.fragments()).map(({ path }) => path)
    return paths.length === 0 ? ' that has no fragments' : `; its fragments: ${firstOf(paths)}`
  }
  if (target.type !== 'group') return ''
  const { group } = target
  // Paths are listed, not names: the path of a member can be another than its name.
  const { memberPath } = await import('../store/group.ts')
  const members = (await group.members()).map((member) =>
    cx.shownPath(memberPath(group.folder.path, member) ?? member.uri),
  )
  return members.length === 0 ? ' that has no members' : `; its members: ${firstOf(members)}`
}
