import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Finds arrays and groups, what is in them, and makes damaged copies of them. */

const METADATA = '__fragment_metadata.tdb'

/**
 * Every array and group below a folder.
 * @param root the folder on disk @param name the folder's name in calls
 */
export function targetsIn(root, name) {
  const out = []
  walk(root, name, out)
  return out
}

function walk(path, name, out) {
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  const names = new Set(entries.map((entry) => entry.name))
  if (names.has('__schema') || names.has('__array_schema.tdb')) out.push({ kind: 'array', path, name })
  else if (names.has('__tiledb_group.tdb')) out.push({ kind: 'group', path, name })
  for (const entry of entries) {
    if (entry.isDirectory() && (!entry.name.startsWith('__') || entry.name === '__labels'))
      walk(`${path}/${entry.name}`, `${name}/${entry.name}`, out)
  }
}

/** The encryption key of an array, which the file of expected values beside it or beside its group holds. */
export function keyOf(path) {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const file = `${folder}.expected.json`
    if (existsSync(file)) return /^\s*"key": ?"([^"]*)"|\{"key": ?"([^"]*)"/m.exec(readFileSync(file, 'utf8'))?.[1]
  }
  return undefined
}

/** Paths of the files and folders below a folder, relative to it, and the sizes of files. */
export function filesAndFolders(path) {
  const folders = []
  const sizes = new Map()
  for (const name of readdirSync(path, { recursive: true }).sort()) {
    const status = statSync(`${path}/${name}`)
    if (status.isFile()) sizes.set(name, status.size)
    else folders.push(name)
  }
  return { files: [...sizes.keys()], sizes, folders }
}

/** Folders of fragments among the folders of an array. */
export function fragmentsAmong(folders) {
  return folders.filter((name) => /^(?:__fragments\/)?__[^/]*_\d+(?:_\d+)?$|^__fragments\/[^/]+$/.test(name))
}

/** A file of each kind, as far as its name tells. */
export function filesOfEachKind(files, choices) {
  const kinds = new Map()
  for (const file of files) {
    const kind = kindOf(file)
    kinds.set(kind, [...(kinds.get(kind) ?? []), file])
  }
  return Array.from(kinds.values(), (some) => choices.pick(some))
}

function kindOf(file) {
  const last = basename(file)
  if (last === METADATA) return last
  const [, folder] =
    /(?:^|\/)(__schema|__meta|__group|__fragment_meta|__enumerations|__commits)\/[^/]*$/.exec(file) ?? []
  const [extension] = /\.[a-z]+$/.exec(last) ?? ['']
  if (folder) return folder + extension
  const [, role = 'data'] = /(_var|_validity)\.tdb$|^(?:dt|t|dci)\.tdb$/.exec(last) ?? []
  return extension === '.tdb' ? role : last.startsWith('__') ? extension : last
}

/** Copies an array, and cuts, changes or removes one of its files. */
export function breakCopy(from, to, choices) {
  cpSync(from, to, { recursive: true })
  const { files, sizes } = filesAndFolders(to)
  const picked = choices.pick(filesOfEachKind(files, choices))
  const size = sizes.get(picked)
  const file = `${to}/${picked}`
  const how = size === 0 ? 0 : choices.below(4)
  if (how === 0) rmSync(file)
  else if (how === 1) truncateSync(file, choices.below(size))
  else {
    const bytes = readFileSync(file)
    bytes[choices.below(size)] ^= 1 << choices.below(8)
    writeFileSync(file, bytes)
  }
}
