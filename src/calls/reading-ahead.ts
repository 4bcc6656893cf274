import { sum } from '../base/sum.ts'
import type { Target } from '../objects/target.ts'
import type { CommandContext } from './command.ts'

/** Number of bytes from which on a note is printed. */
const NOTED_BYTES = 100 * 2 ** 20

/**
 * Prints a note if a command is going to read a lot over the network. The size of a fragment comes from its footer, and that of an
 * array from a storage that can list all its files together.
 * @returns the number of bytes, if it is known beforehand
 */
export async function noteBytesToRead(cx: CommandContext, target: Target): Promise<number | undefined> {
  if (!cx.storage.isRemote?.(target.path)) return undefined
  const bytes = await bytesOf(target)
  if (bytes === undefined || bytes < NOTED_BYTES) return bytes
  const { formatSize } = await import('../render/units.ts')
  cx.note(`up to ${formatSize(bytes)} will be read over the network`)
  return bytes
}

async function bytesOf(target: Target): Promise<number | undefined> {
  if (target.type === 'array') return target.array.listFragmentsAhead()
  if (target.type !== 'fragment') return undefined
  // Errors are left to the command.
  const files = await target.fragment.fieldFiles().catch(() => undefined)
  return files && sum(files, ({ size }) => size)
}
