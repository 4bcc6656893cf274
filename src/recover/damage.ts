import { type ErrorCode, faultOf, type InspectError } from '../base/errors.ts'

/** Errors that say nothing about the bytes: they cannot be reached at the moment. */
const UNREACHED: readonly ErrorCode[] = ['IO', 'NO_LISTING', 'NO_PERMISSION']

/** Whether the bytes can be reached: then an error is about them. */
export function isReached({ code }: InspectError): boolean {
  return !UNREACHED.includes(code)
}

/** For `catch`: an error about the bytes that were read. @throws every other error: what cannot be reached is not lost */
export function damageOf(error: unknown): InspectError {
  const fault = faultOf(error)
  if (!isReached(fault)) throw fault
  return fault
}

/** For `catch`: undefined in place of {@link damageOf}. */
export function unlessDamaged(error: unknown): undefined {
  damageOf(error)
}
