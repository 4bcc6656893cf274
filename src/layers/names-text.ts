/** Most names that a finding has. */
export const MOST_NAMED = 8

/** Names in words: the first few, and how many more there are. */
export function namesText(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
