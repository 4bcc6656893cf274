import type { Target } from '../store/target.ts'
import type { CommandContext } from './command.ts'

/** Less than this is read without a word, bytes. */
const A_LOT = 100 * 2 ** 20

/**
 * Says how much a command that reads all data of a target will read over the network, where that is a lot and can be told
 * beforehand: of a fragment from its footer, of an array where the storage lists all its files together.
 * @returns the bytes, where they can be told
 */
export async function noteBytesToRead(cx: CommandContext, target: Target): Promise<number | undefined> {
  if (!cx.storage.isRemote?.(target.path)) return undefined
  const bytes = await bytesOf(target)
  if (bytes === undefined || bytes < A_LOT) return bytes
  const { formatSize } = await import('../render/units.ts')
  cx.note(`up to ${formatSize(bytes)} will be read over the network`)
  return bytes
}

async function bytesOf(target: Target): Promise<number | undefined> {
  if (target.type === 'array') return target.array.listFragmentsAhead()
  if (target.type !== 'fragment') return undefined
  try {
    return (await target.fragment.fieldFiles()).reduce((sum, { size }) => sum + size, 0)
  } catch {
    // The command itself says what is wrong.
    return undefined
  }
}
