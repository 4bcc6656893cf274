import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * The rooms of the house: the folders of `src/`, from the one that knows least to the one that knows most. A file may import only from
 * its own room and from rooms earlier in the list.
 *
 *     node tools/rooms.mjs            says which imports break that rule, whether the picture is out of date, and which README of a room
 *                                     names what is not there
 *     node tools/rooms.mjs --write    draws the picture in docs/architecture.md anew
 */

const ROOMS = [
  'base',
  'format',
  'filters',
  'source',
  'store',
  'cells',
  'read',
  'explain',
  'why',
  'check',
  'anatomy',
  'write',
  'steps',
  'advice',
  'whatif',
  'damage',
  'recover',
  'plan',
]
ROOMS.push('documents', 'render', 'library', 'node', 'threads', 'commands', 'page', 'cli')
/** The files in `src/` itself start the program or are entries of the package. They may import from every room. */
const ENTRIES = 'entries'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = join(ROOT, 'src')
const PAGE = join(ROOT, 'docs/architecture.md')
const BEGIN = '<!-- rooms: drawn by tools/rooms.mjs -->'
const END = '<!-- /rooms -->'
/** `import … from '…'`, `export … from '…'`, `import('…')` and `import '…'` of relative paths. */
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'(\.[^']+)'/g

function roomOf(file) {
  const parts = relative(SOURCES, file).split(sep)
  return parts.length > 1 ? parts[0] : ENTRIES
}

/** Every import from one room into another: both files, and their rooms. */
function* imports() {
  for (const name of readdirSync(SOURCES, { recursive: true })) {
    const file = join(SOURCES, name)
    // Kernels are AssemblyScript. They import only their own files.
    if (!/\.tsx?$/.test(file) || file.includes(`${sep}assembly${sep}`)) continue
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = join(dirname(file), path)
      if (!target.startsWith(SOURCES)) continue
      const [from, to] = [roomOf(file), roomOf(target)]
      if (from !== to) yield { file, target, from, to }
    }
  }
}

const all = [...imports()]
const floor = (room) => (room === ENTRIES ? ROOMS.length : ROOMS.indexOf(room))
const unknown = new Set(all.flatMap(({ from, to }) => [from, to]).filter((room) => floor(room) < 0))
const upwards = all.filter(({ from, to }) => floor(to) >= floor(from))

/** The arrows between rooms. An arrow is left out if other arrows lead to the same room. */
function arrows() {
  const direct = new Map()
  for (const { from, to } of all) direct.set(from, (direct.get(from) ?? new Set()).add(to))
  const reaches = (from, to) => [...(direct.get(from) ?? [])].some((next) => next === to || reaches(next, to))
  return [...direct].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to) => [from, to]),
  )
}

function picture() {
  const lines = arrows()
    .sort(([a, b], [c, d]) => floor(c) - floor(a) || floor(d) - floor(b))
    .map(([from, to]) => `  ${from} --> ${to}`)
  return [BEGIN, '```mermaid', 'flowchart TD', ...lines, '```', END].join('\n')
}

/** What the README of a room names and the room does not have: where to enter, and what to read first. */
function* readmeFaults(room) {
  const folder = join(SOURCES, room)
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  const about = `src/${room}/README.md: `
  for (const part of ['Enter by', 'Read first', 'Example'])
    if (!page.includes(`\n- ${part}`)) yield `${about}expected ${part}`
  for (const [, name, file] of page.matchAll(/`(\w+)` in `([\w.-]+)`/g))
    if (!new RegExp(`^export .*\\b${name}\\b`, 'm').test(existing(join(folder, file))))
      yield `${about}no ${name} in ${file}`
  for (const [, file] of page.matchAll(/`([\w-]+\.tsx?)`/g))
    if (existing(join(folder, file)) === '' && existing(join(SOURCES, file)) === '') yield `${about}no ${file}`
}

/** The text of a file; empty if there is none. */
function existing(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

const faults = [
  ...ROOMS.flatMap((room) => [...readmeFaults(room)]),
  ...[...unknown].map((room) => `src/${room}: expected a room that tools/rooms.mjs lists`),
  ...upwards.map(({ file, target }) => `${relative(ROOT, file)}: must not import ${relative(ROOT, target)}`),
]
if (faults.length === 0) {
  const page = readFileSync(PAGE, 'utf8')
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) faults.push(`docs/architecture.md: expected the lines ${BEGIN} and ${END}`)
  else {
    const drawn = page.slice(0, begin) + picture() + page.slice(end + END.length)
    if (process.argv.includes('--write')) writeFileSync(PAGE, drawn)
    else if (drawn !== page)
      faults.push('docs/architecture.md: the picture is out of date; node tools/rooms.mjs --write')
  }
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
