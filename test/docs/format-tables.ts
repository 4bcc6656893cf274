import { readdirSync } from 'node:fs'
import { aboutOf } from '../../src/format/about.ts'
import { DATATYPES, datatypeSize } from '../../src/format/datatype.ts'
import type { FileRole } from '../../src/format/field-files.ts'
import { compressorNumber, FILTER_TYPES } from '../../src/format/filter-pipeline.ts'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { FRAGMENT_METADATA_FILE, SLOT_SECTIONS } from '../../src/format/fragment-footer.ts'
import { readBy, writtenBy } from '../../src/format/releases.ts'
import { childrenOf, type Span } from '../../src/format/span.ts'
import { collectFooters, collectSpecimens } from '../helpers/collect-specimens.ts'
import { FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import type { Specimen } from '../helpers/specimen.ts'

/**
 * The generated parts of docs/format.md: every structure as traces of the fixtures show it, and the constants of the code.
 * A part lies between `<!-- table NAME -->` and `<!-- end -->`. The rest of the page is written by hand.
 */

/** The content of a file of each role. */
const ROLE_MEANINGS: Readonly<Record<FileRole, string>> = {
  data: 'values; of var-sized fields the offsets',
  offsets: 'where each var-sized value starts',
  var: 'var-sized values',
  validity: 'one byte a cell, 0 for null',
  coords: 'coordinates of all dimensions, sparse fragments',
  timestamps: 'timestamp of each cell, milliseconds',
  delete_timestamps: 'timestamp at which each cell was deleted; all bits set: it was not',
  delete_condition_index: 'which of the processed conditions deleted it; all bits set: none',
  metadata: 'see [fragment metadata](#fragment-metadata)',
  unknown: 'no field of the fragment has a file of this name',
}

/** Number of occurrences, by format version. */
class Occurrences {
  private readonly byVersion = new Map<number, number>()

  add(version: number, times = 1): void {
    this.byVersion.set(version, this.of(version) + times)
  }

  of(version: number): number {
    return this.byVersion.get(version) ?? 0
  }

  get versions(): number[] {
    return [...this.byVersion.keys()].sort((a, b) => a - b)
  }
}

interface Field {
  types: Set<string>
  seen: Occurrences
  /** Path of the list or structure that holds the field; empty for the outermost structure. */
  parent: string
  /** Meaning of the field, from its description. */
  about: string | undefined
}

/** The fields of a structure in stored order, merged from all traces. */
class Structure {
  readonly seen = new Occurrences()
  readonly fields = new Map<string, Field>()
  private order: string[] = []

  /** Adds a field after `previous`, the field before it in these bytes. */
  add(
    path: string,
    previous: string | undefined,
    parent: string,
    { type, about }: Pick<Span, 'type' | 'about'>,
    version: number,
  ): void {
    let field = this.fields.get(path)
    if (!field) {
      field = { types: new Set(), seen: new Occurrences(), parent, about }
      this.fields.set(path, field)
      const at =
        previous === undefined ? (parent === '' ? 0 : this.order.indexOf(parent) + 1) : this.lastOf(previous) + 1
      this.order.splice(at, 0, path)
    }
    field.types.add(type)
    field.about ??= about
    field.seen.add(version)
  }

  /** Position of a field, or of the last field inside it. */
  private lastOf(path: string): number {
    return this.order.findLastIndex((one) => one === path || one.startsWith(`${path}.`) || one.startsWith(`${path}[`))
  }

  get paths(): readonly string[] {
    return this.order
  }
}

/** Structures with their own table, and the fields by which they are recognized. */
function structureOf(names: ReadonlySet<string>): string | undefined {
  if (names.has('max_chunk_size')) return 'filter pipeline'
  if (names.has('null_count') && names.has('min_length')) return 'slot statistics'
  if (names.has('min') && names.has('max')) return 'range'
  if (names.has('node')) return 'condition'
  return undefined
}

/** Placeholders for names that differ from array to array. */
const NAMED_BY_SCHEMA: Readonly<Record<string, string>> = { range: '<dimension>', 'slot statistics': '<slot>' }

/** Lists whose elements have their own table. */
const ELEMENTS: Readonly<Record<string, string>> = {
  'array schema.domain.dimensions': 'dimension',
  'array schema.attributes': 'attribute',
  'array schema.dimension_labels': 'dimension label',
  'filter pipeline.filters': 'filter',
  'group details.members': 'group member',
}

/** Structures with the same fields. */
const ALIASES: Readonly<Record<string, string>> = {
  'generic tile chunks': 'tile chunks',
  ...Object.fromEntries(
    SLOT_SECTIONS.map(({ name, content }) => {
      const first = SLOT_SECTIONS.find((one) => one.content === content)
      return [name, first?.name ?? name].map((one) => one.replaceAll('_', ' '))
    }),
  ),
  'global order bounds': 'tile mins',
  'delete condition': 'condition',
}

/** The options of filters, by name. */
type FilterOptions = Map<string, { fields: string[]; seen: Occurrences }>

class Traces {
  readonly structures = new Map<string, Structure>()
  readonly filters: FilterOptions = new Map()

  add(name: string, span: Span, version: number): void {
    const structure = this.structure(name, span)
    structure.seen.add(version)
    this.fields(structure, span, '', version)
  }

  private structure(name: string, span: Span): Structure {
    const full = name === 'condition' ? `condition ${nodeKind(span)}` : name
    let structure = this.structures.get(full)
    if (!structure) {
      structure = new Structure()
      this.structures.set(full, structure)
    }
    if (name === 'filter') this.filter(span)
    return structure
  }

  private filter(span: Span): void {
    const [name, , ...options] = [...childrenOf(span)]
    const key = String(name.value)
    const known = this.filters.get(key) ?? { fields: [], seen: new Occurrences() }
    this.filters.set(key, known)
    for (const option of options) {
      const text = `\`${option.name}\` ${wireOf(option.type)}`
      if (!known.fields.includes(text)) known.fields.push(text)
    }
  }

  private fields(structure: Structure, span: Span, prefix: string, version: number): void {
    const parent = prefix.replace(/\.$/, '')
    let previous: string | undefined
    for (const child of childrenOf(span)) {
      // Another table has the options of each filter.
      if (previous === 'options_length' && this.nameOf(structure) === 'filter') return
      const inner = new Set(Array.from(childrenOf(child), ({ name }) => name))
      const own = child.type === 'struct' ? structureOf(inner) : undefined
      const path = prefix + ((own && NAMED_BY_SCHEMA[own]) ?? child.name)
      const element = child.type === 'list' ? ELEMENTS[`${this.nameOf(structure)}.${path}`] : undefined
      const elements = child.type === 'list' ? [...childrenOf(child)] : []
      const conditions = elements.length > 0 && [...childrenOf(elements[0])].some(({ name }) => name === 'node')
      const type = own
        ? link(own)
        : element
          ? `list of ${link(element)}`
          : conditions
            ? 'list of conditions'
            : child.type
      structure.add(path, previous, parent, { type, about: child.about }, version)
      previous = path
      if (own) this.add(own, child, version)
      else if (element) for (const one of elements) this.add(element, one, version)
      else if (conditions) for (const one of elements) this.add('condition', one, version)
      else if (child.type === 'list') this.list(structure, elements, `${path}[]`, version)
      else if (child.type === 'struct') this.fields(structure, child, `${path}.`, version)
    }
  }

  private list(structure: Structure, elements: readonly Span[], path: string, version: number): void {
    for (const one of elements) {
      if (one.type !== 'struct') {
        // Texts, each after its length.
        const length = `${path}.length`
        if (one.name.endsWith('_length')) structure.add(length, undefined, parentOf(path), one, version)
        else structure.add(path, length, parentOf(path), one, version)
        continue
      }
      structure.add(path, undefined, parentOf(path), { type: 'struct' }, version)
      this.fields(structure, one, `${path}.`, version)
    }
  }

  private nameOf(structure: Structure): string {
    for (const [name, one] of this.structures) if (one === structure) return name
    return ''
  }
}

/** The list that holds an element. */
function parentOf(path: string): string {
  return path.slice(0, -'[]'.length)
}

function nodeKind(span: Span): string {
  const [node] = childrenOf(span)
  return String(node.value)
}

function link(structure: string): string {
  return `[${structure}](#${structure.replaceAll(' ', '-')})`
}

/** The stored type, with the meaning of its number. */
function wireOf(type: string): string {
  const [meaning, wire] = type.split(':')
  if (wire !== undefined) return meaning === 'cell_val_num' ? wire : `${wire} (${meaning})`
  if (type === 'bool') return 'uint8 (0, 1)'
  return type
}

/** Versions in words: `5 to 23`, `22`. */
function range(versions: readonly number[]): string {
  const [first, last] = [versions[0], versions[versions.length - 1]]
  return first === last ? String(first) : `${first} to ${last}`
}

/** The versions that have a field, compared with those of the structure around it. */
function versionsText({ seen, parent }: Field, structure: Structure): string {
  const holder = parent === '' ? structure.seen : (structure.fields.get(parent)?.seen ?? structure.seen)
  const all = holder.versions
  const versions = seen.versions
  const always = versions.every((version) => seen.of(version) >= holder.of(version))
  const run = all.filter((version) => version >= versions[0] && version <= versions[versions.length - 1])
  if (!always || run.length !== versions.length) return 'some'
  if (versions.length === all.length) {
    const within = structure.fields.get(parent)
    return within ? versionsText(within, structure) : 'all'
  }
  if (versions[0] === all[0]) return `until ${versions[versions.length - 1]}`
  return versions[versions.length - 1] === all[all.length - 1] ? `since ${versions[0]}` : 'some'
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** What docs/format.md and the schemas say of a field. */
export interface FieldRow {
  field: string
  type: string
  versions: string
  meaning: string
}

/** The fields of a structure, without those that only contain others. */
function fieldRows(name: string, structure: Structure): FieldRow[] {
  const shown = structure.paths.filter((path) => {
    const types = structure.fields.get(path)?.types
    return !(types?.has('struct') || (types?.has('list') && structure.paths.some((one) => one.startsWith(`${path}[]`))))
  })
  return shown.map((path) => {
    const field = structure.fields.get(path)
    if (!field) throw new Error(`${name}: no field ${path}`)
    const { unit, meaning } = aboutOf(field.about ?? inherited(field, path, structure))
    const joint = /^(?:of|before|after|in|that|below)\b/.test(meaning ?? '') ? ' ' : ': '
    const note = [unit, meaning].filter((part) => part !== undefined).join(joint)
    const type = [...field.types].map(wireOf).join(' or ')
    return { field: path, type, versions: versionsText(field, structure), meaning: note }
  })
}

function structureTable(name: string, structure: Structure): string {
  const rows = fieldRows(name, structure).map(({ field, type, versions, meaning }) => [
    `\`${field}\``,
    type,
    versions,
    meaning,
  ])
  return `Traced in format versions ${range(structure.seen.versions)}.\n\n${table(['field', 'type', 'versions', 'meaning'], rows)}`
}

/** The meaning that a field takes from its list, or from the range around it. */
function inherited(field: Field, path: string, structure: Structure): string | undefined {
  if (!path.endsWith('[]') && !path.endsWith('>')) return undefined
  for (let parent = field.parent; parent !== ''; parent = structure.fields.get(parent)?.parent ?? '') {
    const about = structure.fields.get(parent)?.about
    if (about !== undefined) return about
  }
  return undefined
}

/** Says which filters are in no fixture. An option that only they have is never printed: test/schemas/documents.test.ts then fails. */
function filterTable(filters: FilterOptions): string {
  const rows = Object.entries(FILTER_TYPES).map(([name, number]) => {
    const compressor = String(compressorNumber(name) ?? '')
    return [String(number), `\`${name}\``, compressor, filters.get(name)?.fields.join(', ') ?? 'in no fixture']
  })
  return table(
    ['number', 'filter', 'compressor', 'options'],
    rows.map((row) => row.map((cell) => (cell === '' ? '-' : cell))),
  )
}

function datatypeTable(): string {
  const rows = DATATYPES.map((name, number) => [String(number), `\`${name}\``, String(datatypeSize(name))])
  const columns = 3
  const height = Math.ceil(rows.length / columns)
  const merged = Array.from({ length: height }, (_, i) =>
    Array.from({ length: columns }, (_, c) => rows[c * height + i] ?? ['', '', '']).flat(),
  )
  const header = Array.from({ length: columns }, () => ['number', 'datatype', 'bytes']).flat()
  return table(header, merged)
}

function versionTable(): string {
  const rows = Array.from({ length: NEWEST_FORMAT_VERSION }, (_, i) => i + 1).map((version) => [
    String(version),
    writtenBy(version) ?? 'no release',
    readBy(version) ?? 'no release',
  ])
  return table(['format version', 'written by TileDB', 'read by TileDB'], rows)
}

/** Names of files and folders, without the parts that differ from array to array. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/__\d+_\d+_[0-9a-f]{32}_\d+/g, '__<t1>_<t2>_<uuid>_<version>'],
  [/__\d+_\d+_[0-9a-f]{32}/g, '__<t1>_<t2>_<uuid>'],
  [/__[0-9a-f]{32}_\d{2,}_\d{2,}/g, '__<uuid>_<t2>_<t1>'],
  [/__[0-9a-f]{32}_\d{2,}/g, '__<uuid>_<t>'],
  [/__[0-9a-f]{32}_0/g, '__<uuid>_0'],
]

function folderTable(): string {
  const seen = new Map<string, Occurrences>()
  for (const folder of fixtureFolders()) {
    for (const path of pathsBelow(folder.path)) {
      if (folder.name.split('/').length > 2) continue
      let name = path
      for (const [pattern, put] of PATTERNS) name = name.replace(pattern, put)
      const known = seen.get(name) ?? new Occurrences()
      seen.set(name, known)
      known.add(versionOf(folder))
    }
  }
  const rows = [...seen].map(([name, occurrences]) => [name, occurrences.versions] as const)
  rows.sort(([a, x], [b, y]) => x[0] - y[0] || (a < b ? -1 : 1))
  return table(
    ['path in the array or group', 'seen in format versions'],
    rows.map(([name, versions]) => [`\`${name}\``, range(versions)]),
  )
}

/** Paths of the files of an array, without those in fragments. */
function* pathsBelow(root: string, inside = ''): Generator<string> {
  for (const entry of readdirSync(`${root}/${inside}`, { withFileTypes: true })) {
    const path = `${inside}${entry.name}`
    if (entry.isFile()) yield path
    else if (/^__labels$|^[^_]/.test(entry.name)) continue
    else if (readdirSync(`${root}/${path}`).includes('__fragment_metadata.tdb')) yield `${path}/`
    else yield* pathsBelow(root, `${path}/`)
  }
}

/** Names of data files by version, from fixtures whose fields have no numbers as names. */
function fileTable(): string {
  const names = new Map<string, Occurrences>()
  for (const { path, name: array } of fixtureFolders()) {
    const version = Number(array.split('/')[0])
    const schema = new Set<string>()
    for (const file of filesOfFragments(path)) {
      if (file.startsWith('__')) schema.add(file)
      else if (version >= 9) schema.add(file.replace(/^([ad])\d+/, (_, kind) => (kind === 'a' ? 'a<i>' : 'd<j>')))
      else schema.add(file.replace(/^.*?(?=(_var|_validity)?\.tdb$)/, '<field>'))
    }
    for (const file of schema) {
      const known = names.get(file) ?? new Occurrences()
      names.set(file, known)
      known.add(version)
    }
  }
  const rows = [...names].map(([name, seen]) => [name, seen.versions] as const)
  rows.sort(([a, x], [b, y]) => x[0] - y[0] || (a < b ? -1 : 1))
  return table(
    ['file in a fragment', 'seen in format versions', 'holds'],
    rows.map(([name, versions]) => {
      return [`\`${name}\``, range(versions), ROLE_MEANINGS[roleOf(name)]]
    }),
  )
}

function roleOf(file: string): FileRole {
  if (file === FRAGMENT_METADATA_FILE) return 'metadata'
  if (file.endsWith('_validity.tdb')) return 'validity'
  if (file.endsWith('_var.tdb')) return 'var'
  return INTERNAL_FILES[file] ?? 'data'
}

const INTERNAL_FILES: Readonly<Record<string, FileRole>> = {
  '__coords.tdb': 'coords',
  't.tdb': 'timestamps',
  'dt.tdb': 'delete_timestamps',
  'dci.tdb': 'delete_condition_index',
}

function* filesOfFragments(array: string): Generator<string> {
  for (const inside of ['', '__fragments/']) {
    for (const name of inside === '' || readdirSync(array).includes('__fragments')
      ? readdirSync(`${array}/${inside}`)
      : []) {
      if (!/^__.*\d$/.test(name)) continue
      const files = readdirSync(`${array}/${inside}${name}`)
      if (files.includes('__fragment_metadata.tdb')) yield* files
    }
  }
}

function tracesOf(specimens: readonly Specimen[]): Traces {
  const traces = new Traces()
  for (const { structure, version, spans } of specimens) traces.add(ALIASES[structure] ?? structure, spans(), version)
  return traces
}

/** The fields of the footer in stored order: the table of docs/format.md, and the descriptions of the keys in schemas. */
export async function footerRows(): Promise<FieldRow[]> {
  const [[name, structure]] = tracesOf(await collectFooters()).structures
  return fieldRows(name, structure)
}

/** Makes every generated part of the page, by name. */
export async function formatTables(): Promise<Map<string, string>> {
  const traces = tracesOf(await collectSpecimens())
  const parts = new Map<string, string>([
    ['versions', versionTable()],
    ['datatypes', datatypeTable()],
    ['filters', filterTable(traces.filters)],
    ['folders', folderTable()],
    ['files', fileTable()],
  ])
  for (const [name, structure] of traces.structures) parts.set(name, structureTable(name, structure))
  return parts
}

const PART = /(<!-- table (.+?) -->\n)[\s\S]*?(<!-- end -->)/g

/** Renews the generated parts of the page. @throws Error if the page names an unknown part, or lacks one */
export async function formatPage(page: string): Promise<string> {
  const parts = await formatTables()
  const used = new Set<string>()
  const made = page.replace(PART, (_, begin: string, name: string, end: string) => {
    const text = parts.get(name)
    if (text === undefined) throw new Error(`the page wants a table ${name}; there are ${[...parts.keys()].join(', ')}`)
    used.add(name)
    return `${begin}${text}\n${end}`
  })
  const unused = [...parts.keys()].filter((name) => !used.has(name))
  if (unused.length > 0) throw new Error(`the page leaves out: ${unused.join(', ')}`)
  return made
}

export const FORMAT_PAGE = `${FIXTURES}/../../docs/format.md`
