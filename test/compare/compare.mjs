/** Compares what two builds answered to the same call. */

/** The parts of an answer, in the order in which they are compared. */
const PARTS = ['code', 'stdout', 'stderr', 'files']
/** Characters of a line that are shown around its first difference. */
const BEFORE = 40
const AFTER = 120
/** A string of JSON, with the colon behind a key; or space between the tokens. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|\s+|[,[{]/g

/** What a terminal shows as colours, in a pattern. */
const COLOURS = '(?:\\x1b\\[\\d+m)*'

/**
 * Renames that do not count as differences: each an object from the old name to the new one.
 *
 *     keys       keys of JSON documents, and columns of CSV
 *     values     texts in JSON and CSV that are this value alone, such as states
 *     words      whole cells of tables, as their headers are
 *     arguments  commands and options: applied to the calls of the new build
 *     commands   the same again for one command: {"ls": {"keys": …}}
 */
export class Names {
  constructor({ commands = {}, ...all } = {}) {
    this.all = all
    this.commands = commands
    this.some = Object.keys(all).length + Object.keys(commands).length > 0
  }

  /** The renames of a kind for a command. */
  of(kind, command) {
    return new Map(Object.entries({ ...this.all[kind], ...this.commands[command]?.[kind] }))
  }

  /** The arguments of a call as the new build takes them. */
  renamedCall(argv) {
    const names = this.of('arguments', argv[0])
    return names.size === 0 ? argv : argv.map((word) => names.get(word) ?? word)
  }
}

/** The format of a call's output. */
export function formatOf({ argv, columns }) {
  const at = argv.indexOf('--format')
  if (at >= 0) return argv[at + 1] ?? 'none'
  if (argv.includes('--json')) return 'json'
  return columns === undefined ? 'pipe' : `${columns} columns`
}

/**
 * The first difference of two answers; undefined if they are the same.
 * @param folders the working folder of each build, and its checkout, which are left out of texts
 */
export function difference(call, old, now, names, folders) {
  for (const part of PARTS) {
    const [a, b] = [old, now].map((answer, i) => withoutPlaces(answer[part], folders[i]))
    if (a === b) continue
    const lines = firstDifference(a, b, call, names)
    if (lines) return { part, ...lines }
  }
  return undefined
}

/** All that depends on where and when a build runs is left out here: the clock and the time are set in the worker. */
function withoutPlaces(text, [folder, checkout]) {
  return text.replaceAll(folder, '.').replaceAll(checkout, 'CHECKOUT')
}

function firstDifference(a, b, call, names) {
  const format = formatOf(call)
  const kind = /^(?:json|ndjson|sarif)$/.test(format) ? 'json' : /^[ct]sv$/.test(format) ? 'separated' : 'text'
  const forms = FORMS[kind]
  const [x, y] = [forms(a, names, call.argv[0], true), forms(b, names, call.argv[0], false)]
  if (x !== y) return firstLines(x, y)
  return names.some ? undefined : { ...firstLines(a, b), layout: true }
}

/** A text in the form in which it is compared: with the new names if it is the old text. */
const FORMS = {
  json(text, names, command, isOld) {
    const keys = names.of('keys', command)
    const values = names.of('values', command)
    return text.replace(TOKENS, (token, colon) => {
      if (token[0] !== '"') return token.trim() === '' ? '' : `${token}\n`
      const string = colon === undefined ? token : token.slice(0, -colon.length)
      const renamed = isOld ? (colon === undefined ? values : keys).get(string.slice(1, -1)) : undefined
      return (renamed === undefined ? string : JSON.stringify(renamed)) + (colon === undefined ? '' : ': ')
    })
  },

  separated(text, names, command, isOld) {
    if (!isOld || !names.some) return text
    const keys = names.of('keys', command)
    const values = names.of('values', command)
    const line = (one) => {
      // Only headers have nothing but names.
      const table = /^[A-Za-z_][\w.]*(?:[,\t][A-Za-z_][\w.]*)*\r?$/.test(one) ? new Map([...values, ...keys]) : values
      return one.replace(/[^,\t\r]+/g, (cell) => table.get(cell) ?? cell)
    }
    return text.split('\n').map(line).join('\n')
  },

  text(text, names, command, isOld) {
    if (!names.some) return text
    let out = text
    for (const [from, to] of isOld ? names.of('words', command) : []) {
      const word = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      const cell = new RegExp(`(?<=(?:^|  |│ *)${COLOURS})${word}(?=${COLOURS}(?:$|  | *│))`, 'gm')
      out = out.replace(cell, () => to)
    }
    // New names change the widths of columns.
    return withoutWidths(out)
  },
}

/** A text without the widths of columns. */
function withoutWidths(text) {
  // Colours may stand between the spaces.
  return text.replace(/(?:[ ─]|(?<=[ ─])\x1b\[\d+m(?=[ ─]))+/g, ' ').replace(/ +$/gm, '')
}

/** The first lines that differ, around their first difference. */
function firstLines(a, b) {
  const [x, y] = [a.split('\n'), b.split('\n')]
  const same = (form) => x.findIndex((line, i) => y[i] === undefined || form(line) !== form(y[i]))
  // If a column is wider, other lines than its border say more.
  const [worded, any] = [same(withoutWidths), same((line) => line)]
  const at = worded >= 0 ? worded : any >= 0 ? any : x.length
  // A text that ends early.
  const [old, now] = [x[at] ?? '(end)', y[at] ?? '(end)']
  let from = 0
  while (old[from] === now[from] && from < old.length) from++
  const begin = from < BEFORE ? 0 : from - BEFORE
  return { line: at + 1, old: old.slice(begin, from + AFTER), now: now.slice(begin, from + AFTER) }
}

/** What differences of one kind have in common: without numbers and names of a single array. */
export function kindOf(call, found, target) {
  const text = (line) => {
    const plain = target === undefined ? line : line.replaceAll(target, 'TARGET')
    return plain
      .replace(/[0-9a-f]{32}/g, 'ID')
      .replace(/-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?/g, 'N')
      .replace(/[ ─]+/g, ' ')
  }
  const command = /^[a-z-]+$/.test(call.argv[0] ?? '') ? call.argv[0] : '(no command)'
  const what = found.layout ? `${found.part}, layout only` : found.part
  return `${command}, ${formatOf(call)}, ${what}\n  old  ${text(found.old)}\n  new  ${text(found.now)}`
}
