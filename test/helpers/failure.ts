import { InspectError } from '../../src/base/errors.ts'

/** Returns the InspectError that `work` throws. Any other error is thrown again. */
export function failure(work: () => unknown): InspectError {
  try {
    work()
  } catch (error) {
    if (error instanceof InspectError) return error
    throw error
  }
  throw new Error('expected an InspectError, found none')
}

/** Like {@link failure}, for asynchronous work. */
export async function failureOf(work: () => Promise<unknown>): Promise<InspectError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof InspectError) return error
    throw error
  }
  throw new Error('expected an InspectError, found none')
}
