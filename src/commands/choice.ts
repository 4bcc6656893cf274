import { usage } from '../base/errors.ts'

/** One of the words that an option takes; undefined if the option is not given. @throws InspectError USAGE */
export function parseChoice<T extends string>(option: string, known: readonly T[], text: string): T
export function parseChoice<T extends string>(
  option: string,
  known: readonly T[],
  text: string | undefined,
): T | undefined
export function parseChoice<T extends string>(
  option: string,
  known: readonly T[],
  text: string | undefined,
): T | undefined {
  const found = known.find((one) => one === text)
  if (text === undefined || found !== undefined) return found
  throw usage(`${option} expects ${known.join(', ')}, found ${JSON.stringify(text)}`)
}
