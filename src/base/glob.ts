/**
 * A function that says whether a path meets a pattern of a shell: `*` and `?` stay inside a name, `**` goes through folders, `[abc]` is one
 * of some characters. A pattern without a slash is about the last name of the path, wherever it lies.
 * @param pattern a slash in front of it changes nothing
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/\/+$/, '')
  const isName = !clean.includes('/')
  const parts = partsOf(clean.replace(/^\/+/, ''))
  return (path) => meets(parts, isName ? path.slice(path.lastIndexOf('/') + 1) : path)
}

/** Whether a character meets a part of a pattern. */
type Meets = (character: string) => boolean

/** A part of a pattern: one character, or any number of them. */
interface PatternPart {
  meets: Meets
  isRepeated: boolean
  /** Whether it stands for whole folders: it ends only after a `/`, or stands for nothing. */
  isFolders: boolean
}

const PARTS = /\*\*\/|\*\*|\*|\?|\[!?[^\]/]+\]|./gsu

function partsOf(pattern: string): PatternPart[] {
  return (pattern.match(PARTS) ?? []).map((text) => ({
    meets: meetsOf(text),
    isRepeated: text.startsWith('*'),
    isFolders: text === '**/',
  }))
}

function meetsOf(text: string): Meets {
  if (text.startsWith('**')) return () => true
  if (text === '*' || text === '?') return (character) => character !== '/'
  if ([...text].length === 1) return (character) => character === text
  const isNegated = text.startsWith('[!')
  const isInside = setOf([...text.slice(isNegated ? 2 : 1, -1)])
  return (character) => character !== '/' && isInside(character) !== isNegated
}

/** Characters, and ranges of them: `a-z`. A range that ends before it begins has none. */
function setOf(characters: readonly string[]): Meets {
  const ranges: [string, string][] = []
  for (let i = 0; i < characters.length; i++) {
    const first = characters[i] ?? ''
    const last = characters[i + 1] === '-' ? characters[i + 2] : undefined
    ranges.push([first, last ?? first])
    if (last !== undefined) i += 2
  }
  const code = (character: string): number => character.codePointAt(0) ?? 0
  return (character) => ranges.some(([first, last]) => code(first) <= code(character) && code(character) <= code(last))
}

/**
 * Follows all ways through the pattern at once, so that no pattern takes more steps than the product of the lengths. A regular expression
 * would try one way after the other: with some patterns that takes years.
 */
function meets(parts: readonly PatternPart[], path: string): boolean {
  let at = reached(parts, [0], '/')
  for (const character of path) {
    const next: number[] = []
    for (const i of at) {
      const part = parts[i]
      if (!part?.meets(character)) continue
      if (part.isRepeated) next.push(i)
      else next.push(i + 1)
    }
    at = reached(parts, next, character)
    if (at.length === 0) return false
  }
  return at.includes(parts.length)
}

/** The parts that the next character may meet. A part that may stand for nothing adds the part after it. @param before the last character of the path */
function reached(parts: readonly PatternPart[], from: readonly number[], before: string): number[] {
  const all = new Set<number>()
  for (const start of from)
    for (let i = start; !all.has(i); i++) {
      all.add(i)
      const part = parts[i]
      if (!part?.isRepeated || (part.isFolders && before !== '/')) break
    }
  return [...all]
}
