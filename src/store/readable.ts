import { ERROR_CODES, InspectError } from '../base/errors.ts'
import { inOrder } from '../base/in-order.ts'
import type { ReadContext } from './generic-tile.ts'

/**
 * Reads several files, and yields their values in order. Damaged files are skipped, and reported to `onFault` at the
 * end.
 *
 * @throws errors that are not damage; the first damage if there is no `onFault`, or if all files are damaged
 */
export async function* readUndamaged<T, R>(
  files: readonly T[],
  limit: number,
  { onFault }: ReadContext,
  read: (file: T) => Promise<R>,
): AsyncGenerator<R> {
  const faults: InspectError[] = []
  const readOrFault = async (file: T): Promise<{ value: R } | { fault: InspectError }> => {
    try {
      return { value: await read(file) }
    } catch (fault) {
      if (!onFault || !(fault instanceof InspectError) || ERROR_CODES[fault.code] !== 1) throw fault
      return { fault }
    }
  }
  for await (const one of inOrder(files, limit, readOrFault)) {
    if ('value' in one) yield one.value
    else faults.push(one.fault)
  }
  if (faults.length > 0 && faults.length === files.length) throw faults[0]
  for (const fault of faults) onFault?.(fault)
}
