import { ERROR_CODES, InspectError } from '../base/errors.ts'
import { inOrder } from '../base/in-order.ts'
import type { ReadContext } from './generic-tile.ts'

/**
 * What each of several files holds, in their order. A damaged one is told to the context, and the others go on.
 *
 * @throws the fault where the context takes none, where no file can be read, and what is no damage
 */
export async function* readableOf<T, R>(
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
