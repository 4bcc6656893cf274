/** Most names that a finding has. */
export const MAX_NAMED = 8

/** Names in words: the first few, and how many more there are. */
export function namesText(names: readonly string[]): string {
  const more = names.length - MAX_NAMED
  return names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
