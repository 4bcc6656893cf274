/** Widths of text in terminal columns. The text must not contain control characters (see `escapeText` in units.ts). */

/** Text of characters that take one column and never combine: ASCII, Latin, dashes and the ellipsis. */
const SIMPLE = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027]*$/
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u
const MARK = /^[\p{Mark}\u200b-\u200f\u2060-\u2064]/u

/** Wide and fullwidth blocks of Unicode's East Asian Width (UAX #11), as first and last code point. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
]

let segmenter: Intl.Segmenter | undefined

/** Splits text into graphemes, which a reader sees as single characters. Creating a segmenter takes 10 ms, so plain text avoids it. */
function graphemes(text: string): string[] {
  if (SIMPLE.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Returns the number of terminal columns of a text. */
export function textWidth(text: string): number {
  if (SIMPLE.test(text)) return text.length
  let width = 0
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme)
  return width
}

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2
  if (MARK.test(grapheme)) return 0
  const code = grapheme.codePointAt(0) ?? 0
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}

/** Replaces the middle of a text by `…` if it is wider than `width` columns. */
export function cutMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  const segments = graphemes(text)
  const tailRoom = Math.max(0, Math.floor((width - 1) / 2))
  const tail = takeWithin(segments.toReversed(), tailRoom).reverse().join('')
  const head = takeWithin(segments, width - 1 - textWidth(tail)).join('')
  return `${head}…${tail}`
}

/**
 * How to cut names that are wider than `width` columns: in the middle, or if that makes two of them the same, also by the beginning that
 * they share.
 */
export function cutForNames(names: Iterable<string>, width: number): (name: string) => string {
  const all = [...new Set(names)]
  const wide = all.filter((name) => textWidth(name) > width).map(graphemes)
  const middle = (name: string): string => cutMiddle(name, width)
  if (wide.length < 2) return middle
  let same = 0
  while (wide[0]?.[same] !== undefined && wide.every((name) => name[same] === wide[0][same])) same++
  const both = (name: string): string =>
    textWidth(name) > width ? middle(`…${graphemes(name).slice(same).join('')}`) : name
  const different = (cut: (name: string) => string): number => new Set(all.map(cut)).size
  return different(both) > different(middle) ? both : middle
}

/** Cuts a list such as `a=1, b=2, c=3` to `width` columns. Returns the first items that fit, and the number of the others. */
export function cutItems(text: string, width: number): string {
  const items = text.split(/, (?=[^ =]+=)/)
  if (textWidth(text) <= width || items.length === 1) return cutMiddle(text, width)
  for (let shown = items.length - 1; shown > 0; shown--) {
    const cut = `${items.slice(0, shown).join(', ')}, and ${items.length - shown} more`
    if (textWidth(cut) <= width) return cut
  }
  const first = `${items[0]}, …`
  return textWidth(first) <= width ? first : cutMiddle(`${items.length} fields`, width)
}

function takeWithin(segments: readonly string[], width: number): string[] {
  const taken: string[] = []
  let left = width
  for (const segment of segments) {
    left -= graphemeWidth(segment)
    if (left < 0) break
    taken.push(segment)
  }
  return taken
}

/** Wraps a text into lines of at most `width` columns. Lines end at spaces; long words are cut, if possible after a `/`. */
export function wrapText(text: string, width: number): string[] {
  if (textWidth(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (textWidth(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (textWidth(line) > width) {
      const segments = graphemes(line)
      const head = wholeFolders(takeWithin(segments, Math.max(width, 2)))
      lines.push(head.join(''))
      line = segments.slice(head.length).join('')
    }
  }
  lines.push(line)
  return lines
}

/** Wraps a text as {@link wrapText} does, and indents all lines but the first. It does not wrap if the width is unknown. */
export function wrapIndented(text: string, width: number | undefined, indent: string): string[] {
  if (width === undefined || textWidth(text) <= width) return [text]
  const lines = wrapText(text, Math.max(1, width - indent.length))
  return lines.map((line, i) => (i === 0 ? line : indent + line))
}

/** Wraps as {@link wrapIndented} does, but never cuts a word, so that a long path can be copied. */
export function wrapWords(text: string, width: number | undefined, indent: string): string[] {
  if (width === undefined || textWidth(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && textWidth(longer) > width) {
      lines.push(line)
      line = indent + word
    } else line = longer
  }
  return [...lines, line]
}

/** Cuts a part of a path after its last whole folder. Returns the part as it is if there is none. */
function wholeFolders(segments: string[]): string[] {
  const slash = segments.lastIndexOf('/')
  // The first slash of a path and the slashes after the scheme of a URL do not end a folder.
  return slash <= 0 || segments[slash - 1] === '/' ? segments : segments.slice(0, slash + 1)
}

/** Adds spaces up to `width` columns. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'right' ? spaces + text : text + spaces
}
