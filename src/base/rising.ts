/**
 * Compares two values, for lists in rising order: below 0, 0 or above 0. Loops over cells compare inline instead: this generic
 * function is slower.
 */
export function rising<T extends number | bigint | string>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
