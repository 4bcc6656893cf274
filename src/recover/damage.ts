import { type ErrorCode, faultOf, type InspectError } from '../base/errors.ts'

/** Codes of errors of access. They say nothing about the bytes. */
const ACCESS_CODES: readonly ErrorCode[] = ['IO', 'NO_LISTING', 'NO_PERMISSION']

/** Whether an error is about the bytes, not about access to them. */
export function isAboutBytes({ code }: InspectError): boolean {
  return !ACCESS_CODES.includes(code)
}

/** For `catch`: returns an error about the bytes that were read. @throws every other error, because what cannot be reached is not lost */
export function damageOf(error: unknown): InspectError {
  const fault = faultOf(error)
  if (!isAboutBytes(fault)) throw fault
  return fault
}

/** For `catch`: {@link damageOf} that returns undefined in place of the error. */
export function unlessDamaged(error: unknown): undefined {
  damageOf(error)
}
