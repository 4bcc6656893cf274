import type { Target } from '../store/target.ts'
import type { CommandContext } from './command.ts'

/** Up to this many bytes are read without a note. */
const A_LOT = 100 * 2 ** 20

/**
 * Prints a note if a command will read very much over the network. The size comes from a fragment's footer, or for an array
 * from a storage that can list all its files together.
 * @returns the number of bytes, if it is known beforehand
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
  // The command itself will report an error.
  const files = await target.fragment.fieldFiles().catch(() => undefined)
  return files?.reduce((sum, { size }) => sum + size, 0)
}
