/** Lists of texts in a link, and ranges among them. */

/** The list in a text of a link; empty if the text is no list. */
export function listInLink(text: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.map(String) : []
  } catch {
    return []
  }
}

/** The text of a list in a link. An empty one has none. */
export function listText(list: readonly string[]): string | undefined {
  return list.length > 0 ? JSON.stringify(list) : undefined
}

/** The range of a dimension among `NAME=LOW..HIGH`. */
export function rangeOf(ranges: readonly string[], name: string): string | undefined {
  return ranges.find((range) => range.startsWith(`${name}=`))
}
