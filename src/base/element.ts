/**
 * The element at an index that must be there, as the list has an entry for each of what is counted.
 * Not for loops over cells: the engine compiles one access for the lists of all callers, which takes several times as long.
 *
 * @throws RangeError if it is not there: a fault of the program, not of the data
 */
export function element<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index]
  if (found === undefined) throw new RangeError(`element ${index} of ${list.length}`)
  return found
}
