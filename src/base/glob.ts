/**
 * A function that says whether a path meets a pattern of a shell: `*` and `?` stay inside a name, `**` goes through folders, `[abc]` is one
 * of some characters. A pattern without a slash is about the last name of the path, wherever it lies.
 * @param pattern a slash in front of it means the same as none
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/\/+$/, '')
  const isName = !clean.includes('/')
  const expression = new RegExp(`^${expressionOf(clean.replace(/^\/+/, ''))}$`, 'su')
  return (path) => expression.test(isName ? path.slice(path.lastIndexOf('/') + 1) : path)
}

/** The parts of a pattern that are no plain characters. */
const PARTS = /\*\*\/|\*\*|\*|\?|\[!?[^\]/]+\]|[\\^$.|+()[\]{}]/g

function expressionOf(pattern: string): string {
  return pattern.replace(PARTS, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length === 1) return `\\${part}`
    const negated = part.startsWith('[!')
    const inside = part.slice(negated ? 2 : 1, -1).replace(/[\\^[]/g, '\\$&')
    return negated ? `[^/${inside}]` : `[${inside}]`
  })
}
