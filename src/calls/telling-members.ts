import type { GroupTarget } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/**
 * Passes members on while a progress line says how many of the group's own are done. Those of groups below them come in between, and their
 * number is not known before.
 */
export async function* tellingMembers<T extends { names: readonly string[] }>(
  cx: CommandContext,
  { group, isPlain }: GroupTarget,
  members: AsyncIterable<T>,
): AsyncGenerator<T> {
  // To count what lies in a plain folder is to walk through it.
  const total = async (): Promise<number | undefined> => (isPlain ? undefined : (await group.members()).length)
  const progress = cx.progress({ what: 'going through members', unit: 'members', total })
  let begun = 0
  try {
    for await (const member of members) {
      if (member.names.length === 1) progress.update(begun++)
      yield member
    }
  } finally {
    progress.stop()
  }
}
