import { InspectError } from '../../src/base/errors.ts'

/** The InspectError that `work` raises; anything else is raised on. */
export function failure(work: () => unknown): InspectError {
  try {
    work()
  } catch (error) {
    if (error instanceof InspectError) return error
    throw error
  }
  throw new Error('expected an InspectError, found none')
}

/** {@link failure} of asynchronous work. */
export async function failureOf(work: () => Promise<unknown>): Promise<InspectError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof InspectError) return error
    throw error
  }
  throw new Error('expected an InspectError, found none')
}
