import { faultOf, InspectError } from '../base/errors.ts'
import { lastNotAfter } from '../base/last-not-after.ts'
import { CountedBytes, type Memory } from '../base/memory.ts'
import type { Prose } from '../base/prose.ts'
import { CALLSET_FILE, VIDMAP_FILE } from '../format/genomicsdb/names.ts'
import { type Folder, readAll, withSource } from '../storage/source.ts'
import { smallFile } from './whole-file.ts'

/*
 * The maps of a GenomicsDB workspace: which sample a row is, which contig a column, and what the fields are.
 *
 * The importer writes 64-bit numbers as text; maps made by hand have numbers. Lists may be objects, with names as keys.
 *
 * Source: GenomicsDB, src/resources/genomicsdb_vid_mapping.proto and genomicsdb_callsets_mapping.proto; workspaces that it wrote.
 */

/** A sample: all cells of one row. */
export interface VcfSample {
  name: string
  row: number
}

/** A contig: a run of columns. */
export interface Contig {
  name: string
  /** First column. */
  offset: number
  /** Number of columns. */
  length: number
}

/** A field of the imported files. */
export interface VcfField {
  name: string
  /** Types of its elements, as the map has them: `Integer`, `Float`, `String`, `Flag`, and others. */
  types: readonly string[]
  /** `INFO`, `FORMAT` and `FILTER`. */
  classes: readonly string[]
  /** How many values it has: a number, or `A`, `R`, `G`, `P`, `PP`, `VAR`; one for each level of a nested list. */
  lengths: readonly string[]
}

/** A fault in a map, in words. */
export interface MapFault {
  /** Where: `callsets.3.row_idx`. */
  field: string
  expected: Prose
  found: Prose
}

export interface Callset {
  /** In the order of the file. */
  samples: readonly VcfSample[]
  faults: readonly MapFault[]
}

export interface Vidmap {
  /** By their columns. */
  contigs: readonly Contig[]
  /** In the order of the file: the numbers of FILTER are indexes of this list. */
  fields: readonly VcfField[]
  faults: readonly MapFault[]
}

const decoder = new TextDecoder()

/** Memory of the lines of a file, at most: a multiple of its bytes. */
const TIMES_LINES = 16
/** Memory of a map without its values: a multiple of its bytes. It is held as bytes, as text, and in its strings. */
const TIMES_TEXT = 4
/** Bytes of memory of a list or an object, at most: those of an object with keys that no other object has. */
const NODE_BYTES = 96
/** Bytes of memory of a string beside its characters, at most. */
const STRING_BYTES = 32
/** Bytes of memory of an entry of a list or an object, at most. */
const ENTRY_BYTES = 16

/** Most faults that are kept of a map. */
const MAX_FAULTS = 100

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
type JsonObject = { readonly [key: string]: Json }

/**
 * The text of a file of a workspace.
 * @param times the memory that it takes, as a multiple of its bytes
 * @throws InspectError TOO_LARGE; those of the storage
 */
async function fileText(folder: Folder, name: string, memory: Memory, times: number): Promise<string> {
  const counted = new CountedBytes(memory, 'text', times)
  const path = `${folder.path}/${name}`
  const small = smallFile(folder, name)
  if (small) {
    counted.add(small.length, path)
    return decoder.decode(small)
  }
  return withSource(folder.file(name), async (source) => {
    counted.add(await source.size(), path)
    return decoder.decode(await readAll(source))
  })
}

/** The lines of a file of a workspace that are not empty. @throws InspectError TOO_LARGE; those of the storage */
export async function fileLines(folder: Folder, name: string, memory: Memory): Promise<string[]> {
  const text = await fileText(folder, name, memory, TIMES_LINES)
  return text.split('\n').filter((line) => line !== '')
}

/** Bytes of memory of a map, at most. Brackets and commas within its strings count, too: that is quicker than to tell them apart. */
function bytesAsValues(text: string): number {
  let bytes = text.length * TIMES_TEXT
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '{' || character === '[') bytes += NODE_BYTES
    else if (character === '"') bytes += STRING_BYTES / 2
    else if (character === ',' || character === ':') bytes += ENTRY_BYTES
  }
  return bytes
}

/** @throws InspectError TOO_LARGE; BAD_VALUE if the file is no JSON object; those of the storage */
async function jsonObject(folder: Folder, name: string, memory: Memory): Promise<JsonObject> {
  const text = await fileText(folder, name, memory, TIMES_TEXT)
  const file = `${folder.path}/${name}`
  new CountedBytes(memory, 'values in memory').add(bytesAsValues(text), file)
  const json = parsed(text)
  if (isObject(json)) return json
  const found = text === '' ? 'an empty file' : `${text.length} characters that are none`
  throw new InspectError('BAD_VALUE', { expected: 'a JSON object', found }, { file })
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** A whole number of JSON, or of text in it. Undefined for all else. */
export function wholeNumber(json: Json | undefined): number | undefined {
  const number = typeof json === 'string' && /^\d{1,16}$/.test(json) ? Number(json) : json
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** Reads the entries of a map, and keeps what is wrong with them. */
class Entries {
  private readonly kept: MapFault[] = []
  private more = 0

  /** The first faults; the last one says how many more there are. */
  get faults(): readonly MapFault[] {
    if (this.more === 0) return this.kept
    return [...this.kept, { field: '', expected: 'entries that are whole', found: `${this.more} more faults` }]
  }

  /** A whole number of an entry; undefined, with a fault, if it has none. */
  number(entry: JsonObject, key: string, at: string): number | undefined {
    const value = wholeNumber(entry[key])
    if (value === undefined) this.add(`${at}.${key}`, 'a whole number', shown(entry[key]))
    return value
  }

  /** The entries of a list, or of an object with their names as keys. @param nameKey the key of the name in a list */
  *of(map: JsonObject, key: string, nameKey: string): Generator<{ name: string; entry: JsonObject; at: string }> {
    const list = map[key]
    if (!Array.isArray(list) && !isObject(list)) {
      this.add(key, 'a list or an object', list === undefined ? 'no such key' : 'something else')
      return
    }
    for (const [i, entry] of entriesOf(list)) {
      const at = `${key}.${i}`
      const name = Array.isArray(list) && isObject(entry) ? entry[nameKey] : i
      if (!isObject(entry)) this.add(at, 'an object', 'something else')
      else if (typeof name !== 'string') this.add(`${at}.${nameKey}`, 'a name', name === undefined ? 'none' : 'no text')
      else yield { name, entry, at }
    }
  }

  private add(field: string, expected: Prose, found: Prose): void {
    if (this.kept.length < MAX_FAULTS) this.kept.push({ field, expected, found })
    else this.more++
  }
}

/** The entries of a list or an object, without a list of all of them. */
function* entriesOf(map: readonly Json[] | JsonObject): Generator<[key: string, entry: Json | undefined]> {
  if (Array.isArray(map)) {
    for (let i = 0; i < map.length; i++) yield [String(i), map[i]]
  } else {
    for (const key of Object.keys(map)) yield [key, (map as JsonObject)[key]]
  }
}

/** Most characters of a value that a message has. */
const MAX_SHOWN = 40

/** A value, in few characters. What is in a list or an object is not looked at: it may be nested deeper than the stack allows. */
function shown(json: Json | undefined): string {
  if (json === undefined) return 'none'
  if (Array.isArray(json)) return 'a list'
  if (isObject(json)) return 'an object'
  return JSON.stringify(typeof json === 'string' ? json.slice(0, MAX_SHOWN) : json).slice(0, MAX_SHOWN)
}

/**
 * The samples, by `callset.json`.
 * @throws InspectError NOT_FOUND, TOO_LARGE; BAD_VALUE if it is no JSON object
 */
export async function readCallset(folder: Folder, memory: Memory): Promise<Callset> {
  const map = await jsonObject(folder, CALLSET_FILE, memory)
  const entries = new Entries()
  const samples: VcfSample[] = []
  for (const { name, entry, at } of entries.of(map, 'callsets', 'sample_name')) {
    const row = entries.number(entry, 'row_idx', at)
    if (row !== undefined) samples.push({ name, row })
  }
  return { samples, faults: entries.faults }
}

/** The contigs and fields, by `vidmap.json`. @throws InspectError as {@link readCallset} */
export async function readVidmap(folder: Folder, memory: Memory): Promise<Vidmap> {
  const map = await jsonObject(folder, VIDMAP_FILE, memory)
  const entries = new Entries()
  const contigs: Contig[] = []
  for (const { name, entry, at } of entries.of(map, 'contigs', 'name')) {
    const offset = entries.number(entry, 'tiledb_column_offset', at)
    const length = entries.number(entry, 'length', at)
    if (offset !== undefined && length !== undefined) contigs.push({ name, offset, length })
  }
  const fields: VcfField[] = []
  for (const { name, entry } of entries.of(map, 'fields', 'name')) {
    const { type, vcf_field_class, length } = entry
    fields.push({ name, types: texts(type), classes: texts(vcf_field_class), lengths: lengthsOf(length) })
  }
  return { contigs: contigs.sort((a, b) => a.offset - b.offset), fields, faults: entries.faults }
}

/** The texts of a list, or the only one. */
function texts(json: Json | undefined): string[] {
  return (Array.isArray(json) ? json : [json]).filter((one) => typeof one === 'string')
}

/** Lengths are numbers or texts, or objects with one of two keys. */
function lengthsOf(json: Json | undefined): string[] {
  return (Array.isArray(json) ? json : [json]).flatMap((one) => {
    const value = isObject(one) ? (one.variable_length_descriptor ?? one.fixed_length) : one
    return typeof value === 'string' || typeof value === 'number' ? String(value).toUpperCase() : []
  })
}

/** Where a column lies: the contig, and the position in it, from 1 on. Undefined outside of all contigs. */
export function placeOfColumn(contigs: readonly Contig[], column: number): { contig: Contig; pos: number } | undefined {
  const contig = contigs[lastNotAfter(contigs.length, (i) => contigs[i]?.offset ?? 0, column)]
  if (!contig || column >= contig.offset + contig.length) return undefined
  return { contig, pos: column - contig.offset + 1 }
}

/** A file of what an import wrote to an interval: one for each batch of samples. */
export interface BatchFile {
  name: string
  /** The last row that readers look at; undefined if the file does not say it. */
  lastRow: number | undefined
}

/** What the folder `genomicsdb_meta_dir` of an interval says. */
export interface IntervalMeta {
  batches: readonly BatchFile[]
  /** First and last column; undefined if the importer was too old to write them. */
  bounds: readonly [first: number, last: number] | undefined
  faults: readonly (MapFault & { file: string })[]
}

/** What the first releases wrote in place of the folder. */
export const OLD_META_FILE = 'genomicsdb_meta.json'

export const BOUNDS_FILE = 'genomicsdb_column_bounds.json'

/** Names of the files in an interval's folder of metadata; none without one. @throws InspectError of listing it */
export async function metaFiles(folder: Folder): Promise<string[]> {
  const entries = await folder.listIfThere()
  return entries.flatMap(({ name, kind }) => (kind === 'file' && name.endsWith('.json') ? name : []))
}

/** Whether a file in that folder is of a batch. */
export function isBatchFile(name: string): boolean {
  return name.startsWith('genomicsdb_meta_')
}

/**
 * What an interval's folder of metadata says. A file that cannot be read is a fault.
 * @param names those of {@link metaFiles}
 */
export async function readIntervalMeta(
  folder: Folder,
  names: readonly string[],
  memory: Memory,
): Promise<IntervalMeta> {
  const batches: BatchFile[] = []
  const faults: (MapFault & { file: string })[] = []
  let bounds: IntervalMeta['bounds']
  for (const name of names) {
    const file = `${folder.path}/${name}`
    const map = await jsonObject(folder, name, memory).catch(faultOf)
    const numberOf = (key: string): number | undefined => {
      if (map instanceof InspectError) return undefined
      const value = wholeNumber(map[key])
      if (value === undefined) faults.push({ file, field: key, expected: 'a whole number', found: shown(map[key]) })
      return value
    }
    if (map instanceof InspectError) {
      const { expected = 'what can be read', found = map.message } = map
      faults.push({ file, field: '', expected, found })
    }
    if (name === BOUNDS_FILE) {
      const [first, last] = [numberOf('min_column'), numberOf('max_column')]
      if (first !== undefined && last !== undefined) bounds = [first, last]
    } else if (isBatchFile(name)) {
      batches.push({ name, lastRow: numberOf('max_valid_row_idx_in_array') })
    }
  }
  return { batches, bounds, faults }
}
