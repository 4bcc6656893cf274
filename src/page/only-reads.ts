/** Stands for what only writers need. */
export function onlyReads(): never {
  throw new TypeError('a page writes nothing')
}
