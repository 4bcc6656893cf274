import { type InspectError, usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'

/**
 * Checks of what programs without types pass. Without them, a wrong argument would fail in the words of JavaScript, and a misspelt option
 * would have no effect.
 */

/** @throws InspectError USAGE if a path is not text */
export function checkPath(path: unknown): void {
  if (typeof path !== 'string') throw wrong('a path or URL as text', path)
}

/**
 * @param known every option that the function takes
 * @throws InspectError USAGE if the options are no object, for an option that is unknown, and for fields that are no list of names
 */
export function checkOptions(options: unknown, known: Readonly<Record<string, true>>): void {
  if (options === undefined) return
  if (options === null || typeof options !== 'object' || Array.isArray(options))
    throw wrong('options as an object', options)
  const names = Object.keys(known)
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue
    const found = `${JSON.stringify(name)}${didYouMean(name, names)}`
    throw usage({ expected: `one of the options ${names.join(', ')}`, found })
  }
  const { fields } = options as { fields?: unknown }
  if (fields === undefined || (Array.isArray(fields) && fields.every((name) => typeof name === 'string'))) return
  throw wrong('fields as an array of names', fields)
}

/** The error for an argument of another type. */
export function wrong(expected: string, found: unknown): InspectError {
  return usage({ expected, found: inWords(found) })
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'function' ? 'a function' : 'an object'
}
