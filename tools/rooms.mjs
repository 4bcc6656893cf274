import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * The rooms of the house: the folders of `src/`, from the one that knows least to the one that knows most. A file may import only from
 * its own room and from rooms earlier in the list.
 *
 * No file needs a value of a file that needs a value of it. A command takes nothing from another command but the whole command. Some file
 * imports every file, so that nobody forgets to enter a new command, view or filter in its list.
 *
 *     node tools/rooms.mjs            says which imports break these rules, whether the picture is out of date, and which README of a
 *                                     room names what is not there
 *     node tools/rooms.mjs --write    draws the picture in docs/architecture.md anew
 */

const ROOMS = [
  'base',
  'format',
  'filters',
  'storage',
  'objects',
  'cells',
  'genomicsdb',
  'read',
  'explain',
  'why',
  'check',
  'layers',
  'anatomy',
  'write',
  'steps',
  'advice',
  'whatif',
  'damage',
  'recover',
  'mend',
]
ROOMS.push('documents', 'rows', 'library', 'render', 'node', 'threads', 'calls', 'commands', 'page', 'cli')
/** Files that begin a program of their own: tools/build.mjs and tools/build-page.mjs name them. */
const STARTS = [
  'threads/tile-worker.ts',
  'threads/unit-worker.ts',
  'page/loader.ts',
  'page/main.tsx',
  'page/widget.ts',
  'page/worker-main.ts',
]
/** Its files may be imported by nobody: tools/schemas.mjs finds them by itself, and test/schemas fails for one that nothing prints. */
const FOUND_BY_NAME = 'documents'
/** The files in `src/` itself start the program or are entries of the package. They may import from every room. */
const ENTRIES = 'entries'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = join(ROOT, 'src')
const PAGE = join(ROOT, 'docs/architecture.md')
const BEGIN = '<!-- rooms: drawn by tools/rooms.mjs -->'
const END = '<!-- /rooms -->'
/** `import … from '…'`, `export … from '…'`, `import('…')` and `import '…'` of relative paths. */
const IMPORT = /(?:\b(?<what>(?:import|export)\s[^'";]*?)from\s+|\bimport\s*\(\s*|\bimport\s+)'(?<path>\.[^']+)'/g
/** What an import takes if it takes types only. */
const TYPES = /^(?:import|export)\s+(?:type\b|\{\s*(?:type\s+\w+[^,]*,?\s*)+\}\s*$)/

function roomOf(file) {
  const parts = relative(SOURCES, file).split(sep)
  return parts.length > 1 ? parts[0] : ENTRIES
}

/** Every source file. Kernels are left out: they are AssemblyScript, and import only their own files. */
const files = readdirSync(SOURCES, { recursive: true })
  .map((name) => join(SOURCES, name))
  .filter((file) => /\.tsx?$/.test(file) && !file.includes(`${sep}assembly${sep}`))

/** Every import: both files, their rooms, and whether it takes only types. */
function* imports() {
  for (const file of files) {
    for (const { groups } of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = join(dirname(file), groups.path)
      if (!target.startsWith(SOURCES)) continue
      const what = groups.what ?? ''
      yield { file, target, from: roomOf(file), to: roomOf(target), what, isType: TYPES.test(what) }
    }
  }
}

const inside = [...imports()]
const all = inside.filter(({ from, to }) => from !== to)
const rank = (room) => (room === ENTRIES ? ROOMS.length : ROOMS.indexOf(room))
const unknown = new Set(all.flatMap(({ from, to }) => [from, to]).filter((room) => rank(room) < 0))
const forbidden = all.filter(({ from, to }) => rank(to) >= rank(from))

/** The arrows between rooms. An arrow is left out if a way over other rooms leads there. */
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
    .sort(([a, b], [c, d]) => rank(c) - rank(a) || rank(d) - rank(b))
    .map(([from, to]) => `  ${from} --> ${to}`)
  return [BEGIN, '```mermaid', 'flowchart BT', ...lines, '```', END].join('\n')
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

/** Files that need values of each other, directly or through others. */
function* circles() {
  const needs = new Map()
  for (const { file, target, isType } of inside)
    if (!isType) needs.set(file, (needs.get(file) ?? new Set()).add(target))
  const done = new Set()
  const walk = function* (file, way) {
    if (way.includes(file)) yield [...way.slice(way.indexOf(file)), file]
    else if (!done.has(file)) for (const next of needs.get(file) ?? []) yield* walk(next, [...way, file])
    done.add(file)
  }
  for (const file of needs.keys()) yield* walk(file, [])
}

/** What a command takes from another command, except to run it as a whole. */
function borrowed() {
  const commands = new Set(
    inside.filter(({ file }) => file === join(SOURCES, 'cli/commands.ts')).map(({ target }) => target),
  )
  return inside.filter(
    ({ from, target, to, what }) =>
      from === 'commands' &&
      to === 'commands' &&
      commands.has(target) &&
      what !== '' &&
      !/^import \{ command as \w+ \}/.test(what),
  )
}

/** Files that no file imports: nothing of the program reaches them. */
function unused() {
  const used = new Set(inside.map(({ target }) => target))
  const isStart = (file) => roomOf(file) === ENTRIES || STARTS.some((start) => file === join(SOURCES, start))
  return files.filter(
    (file) => !used.has(file) && !isStart(file) && roomOf(file) !== FOUND_BY_NAME && !file.endsWith('.d.ts'),
  )
}

/** The text of a file; empty if there is none. */
function existing(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

const faults = [
  ...ROOMS.flatMap((room) => [...readmeFaults(room)]),
  ...[...unknown].map((room) => `src/${room}: expected a room that tools/rooms.mjs lists`),
  ...[...forbidden, ...borrowed()].map(
    ({ file, target }) => `${relative(ROOT, file)}: must not import ${relative(ROOT, target)}`,
  ),
  ...unused().map(
    (file) =>
      `${relative(ROOT, file)}: no file imports it: docs/architecture.md, "Adding something", says which list it belongs in`,
  ),
  ...[...circles()].map((files) => `a circle: ${files.map((file) => relative(ROOT, file)).join(' needs ')}`),
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
