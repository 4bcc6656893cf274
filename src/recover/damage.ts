import { type ErrorCode, faultOf, type InspectError } from '../base/errors.ts'

/** Codes of errors that say nothing about the bytes, which cannot be reached at the moment. */
const UNREACHED: readonly ErrorCode[] = ['IO', 'NO_LISTING', 'NO_PERMISSION']

/** Whether an error is about the bytes, not about access to them. */
export function isReached({ code }: InspectError): boolean {
  return !UNREACHED.includes(code)
}

/** For `catch`: returns an error about the bytes that were read. @throws every other error, because what cannot be reached is not lost */
export function damageOf(error: unknown): InspectError {
  const fault = faultOf(error)
  if (!isReached(fault)) throw fault
  return fault
}

/** For `catch`: {@link damageOf} that returns undefined in place of the error. */
export function unlessDamaged(error: unknown): undefined {
  damageOf(error)
}
