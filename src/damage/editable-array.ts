import { TileFile, type TileRole } from '../cells/tile-files.ts'
import { fieldTileFile } from '../cells/tile-places.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import {
  FRAGMENT_METADATA_FILE,
  type FragmentFooter,
  footerLengthIsStored,
  fragmentFooter,
} from '../format/fragment-footer.ts'
import { type Describe, decode, encode } from '../format/io.ts'
import { type SectionContents, sectionContent, sectionPlaces } from '../format/metadata-sections.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { type Fragment, sizesOf } from '../objects/fragment.ts'
import { openGenericTile } from '../objects/generic-tile.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { openTarget } from '../objects/target.ts'
import { MemoryStorage } from '../storage/memory.ts'
import { genericTileWriter, type WriteContext } from '../write/generic-tile-writer.ts'
import { bytes, u64Bytes } from './bytes.ts'

/** Writes without encryption. */
export function plainWriting(codecs: Codecs): WriteContext {
  const randomBytes = (): never => {
    throw new TypeError('nothing that is damaged on purpose is encrypted')
  }
  return { codecs, key: undefined, randomBytes }
}

/** Called with a value: changes it, or returns another one. */
type Edit<T> = ((value: T) => T) | ((value: T) => void)

/** An edit, or new values of some fields. */
export type StructureChange<T extends object> = Partial<T> | Edit<T>

function changed<T extends object>(value: T, change: StructureChange<T>): T {
  if (typeof change !== 'function') return Object.assign(value, change)
  return (change as (value: T) => T)(value) ?? value
}

/** The files of an array or group in memory, and edits that damage them on purpose but keep everything else correct. */
export class EditableArray {
  /** Absolute path of its folder. */
  readonly root: string
  readonly files: Map<string, Uint8Array>
  readonly newContext: () => ReadContext

  /** @param newContext called once per read, because a context keeps what it has read */
  constructor(root: string, files: ReadonlyMap<string, Uint8Array>, newContext: () => ReadContext) {
    this.root = root
    // Copies, because edits write to values that are views of the files.
    this.files = new Map(Array.from(files, ([path, content]) => [path, content.slice()]))
    this.newContext = newContext
  }

  storage(): MemoryStorage {
    return new MemoryStorage(this.files)
  }

  /** The first path that matches. */
  first(pattern: RegExp): string {
    const [path] = this.matching(pattern)
    if (path === undefined) throw new TypeError(`nothing matches ${pattern}`)
    return path
  }

  removeAll(pattern: RegExp): void {
    for (const path of this.matching(pattern)) this.files.delete(path)
  }

  /** The only path that matches. */
  find(pattern: RegExp): string {
    const found = this.matching(pattern)
    if (found.length !== 1) throw new TypeError(`${pattern} matches ${found.length} files: ${found.join(', ')}`)
    return found[0]
  }

  get(path: string): Uint8Array {
    const found = this.files.get(path)
    if (!found) throw new TypeError(`no file ${path}`)
    return found
  }

  /** Replaces bytes. @param offset from the end if negative */
  patch(path: string, offset: number, replacement: Uint8Array | readonly number[]): void {
    const out = this.get(path).slice()
    out.set(replacement, offset < 0 ? out.length + offset : offset)
    this.files.set(path, out)
  }

  flip(path: string, offset: number): void {
    const at = offset < 0 ? this.get(path).length + offset : offset
    this.patch(path, at, [this.get(path)[at] ^ 0x40])
  }

  cut(path: string, length: number): void {
    this.files.set(path, this.get(path).slice(0, length))
  }

  append(path: string, more: Uint8Array | readonly number[]): void {
    this.files.set(path, bytes(this.get(path), more))
  }

  add(path: string, content: Uint8Array | readonly number[] = []): void {
    this.files.set(`${this.root}/${path}`, Uint8Array.from(content))
  }

  remove(path: string): void {
    if (!this.files.delete(path)) throw new TypeError(`no file ${path}`)
  }

  /** Moves a file, or a folder with its contents. */
  move(from: string, to: string): void {
    for (const [path, content] of [...this.files]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      this.files.delete(path)
      this.files.set(to + path.slice(from.length), content)
    }
  }

  /** Changes the content of a file that is one generic tile, and writes it without filters. */
  async rewrite<T extends object>(path: string, describe: Describe<T>, change: StructureChange<T>): Promise<void> {
    const { payload, header } = await openGenericTile(this.get(path), this.newContext(), { file: path, offset: 0 })
    const value = decode(payload, describe)
    this.files.set(path, await this.genericTile(changed(value, change), describe, header.format_version))
  }

  /** {@link rewrite} for bytes of the content that no structure can have. */
  async rewriteContent(path: string, change: (content: Uint8Array) => void): Promise<void> {
    const { payload, header } = await openGenericTile(this.get(path), this.newContext(), { file: path, offset: 0 })
    const content = payload.slice()
    change(content)
    const describe: Describe<{ content: Uint8Array }> = (io) => ({ content: io.rest('content', 'all of it') })
    this.files.set(path, await this.genericTile({ content }, describe, header.format_version))
  }

  /** Makes a generic tile of a structure, without encryption. */
  async genericTile<T>(value: T, describe: Describe<T>, formatVersion = NEWEST_STABLE): Promise<Uint8Array> {
    const write = await genericTileWriter(formatVersion, plainWriting(this.newContext().codecs))
    return write(encode(value, describe))
  }

  /** All paths that match, in order. Patterns match what follows the path of the array's folder. */
  matching(pattern: RegExp): string[] {
    return [...this.files.keys()].filter((path) => pattern.test(path.slice(this.root.length))).sort()
  }

  /** Folder of the only fragment whose name begins with `start`. */
  fragmentPath(start = '__'): string {
    const folders = this.matching(/\/__fragment_metadata\.tdb$/).map((path) => path.slice(0, path.lastIndexOf('/')))
    const found = folders.filter((path) => path.slice(path.lastIndexOf('/') + 1).startsWith(start))
    if (found.length !== 1) throw new TypeError(`${found.length} fragments start with ${start}`)
    return found[0]
  }

  async fragment(path = this.fragmentPath()): Promise<Fragment> {
    const target = await openTarget(this.storage(), path, this.newContext())
    if (target.type !== 'fragment') throw new TypeError(`${path} is a ${target.type}`)
    await target.fragment.info()
    return target.fragment
  }

  /** Changes the only schema of the array. Those of dimension labels do not count. */
  editSchema(change: StructureChange<ArraySchema>): Promise<void> {
    return this.rewrite(this.find(/^\/__schema\/__\d[^/]*$/), arraySchema, change)
  }

  /**
   * Changes the footer of a fragment.
   * @param section a new generic tile for the section at `offset`; the offsets in the footer are moved accordingly
   */
  async editFooter(
    change: StructureChange<FragmentFooter>,
    path = this.fragmentPath(),
    section?: { offset: number; stored: Uint8Array },
  ): Promise<void> {
    const fragment = await this.fragment(path)
    const { footer, schema, format_version } = await fragment.info()
    if (!footer) throw new TypeError('no footer')
    const file = `${path}/${FRAGMENT_METADATA_FILE}`
    const old = this.get(file)
    const starts = await fragment.metadataOffsets()
    const moved = new Map<number, number>()
    const parts: Uint8Array[] = []
    let at = 0
    for (const [i, start] of starts.entries()) {
      const part = start === section?.offset ? section.stored : old.subarray(start, starts[i + 1] ?? footer.offset)
      moved.set(start, at)
      parts.push(part)
      at += part.length
    }
    const to = (offset: number): number => moved.get(offset) ?? offset
    const now = Object.entries(footer).map(([key, value]): [string, unknown] => {
      if (key.endsWith('_offset') && typeof value === 'number') return [key, to(value)]
      return [key, key.endsWith('_offsets') && value instanceof Float64Array ? value.map(to) : value]
    })
    const edited = changed(Object.fromEntries(now) as unknown as FragmentFooter, change)
    const stored = encode(edited, fragmentFooter(schema, 'rounded'))
    const length = footerLengthIsStored(format_version, schema) ? u64Bytes(stored.length) : []
    this.files.set(file, bytes(...parts, stored, length))
  }

  /**
   * Changes a section of a fragment's metadata.
   * @param slot undefined for a section about the whole fragment
   * @param footer other changes of the footer
   */
  async editSection<Name extends keyof SectionContents>(
    name: Name,
    slot: number | undefined,
    change: StructureChange<SectionContents[Name]>,
    path = this.fragmentPath(),
    footer: StructureChange<FragmentFooter> = {},
  ): Promise<void> {
    const fragment = await this.fragment(path)
    const info = await fragment.info()
    const places = info.footer ? sectionPlaces(info.footer, info.slots) : []
    const place = places.find((one) => one.name === name && one.slot === slot)
    if (!place) throw new TypeError(`no section ${name}`)
    const { offset } = place
    const describe = sectionContent(name, info.format_version, info.schema, info.slots)
    const value = decode((await fragment.genericTileAt(offset, name)).payload, describe)
    await this.editFooter(footer, path, { offset, stored: await this.genericTile(changed(value, change), describe) })
  }

  /**
   * Undoes the filters of a tile, changes its bytes, and filters them again. Checksums, the offsets of later tiles and the size of
   * the file are made right.
   */
  async editTile(
    field: string,
    role: TileRole,
    tile: number,
    change: Edit<Uint8Array>,
    path = this.fragmentPath(),
  ): Promise<void> {
    const file = await this.tileFile(field, role, path)
    const data = (await file.read(tile)).data.slice()
    const now = change(data) ?? data
    const pipeline = await file.pipeline(false)
    await this.replaceTile(file, tile, pipeline.forwardTile(now, [now.length]), path)
  }

  /** Changes the stored bytes of a tile of fixed-sized cells. The offsets of later tiles and the size of the file are made right. */
  async editStored(field: string, tile: number, change: (stored: Uint8Array) => Uint8Array): Promise<void> {
    const path = this.fragmentPath()
    const file = await this.tileFile(field, 'data', path)
    await this.replaceTile(file, tile, change((await file.stored(tile)).slice()), path)
  }

  private async tileFile(field: string, role: TileRole, path: string): Promise<TileFile> {
    const fragment = await this.fragment(path)
    const { slots } = await fragment.info()
    const slot = slots.findIndex(({ name, phantom }) => name === field && !phantom)
    return TileFile.open(fragment, slot, role)
  }

  private async replaceTile(file: TileFile, tile: number, stored: Uint8Array, path: string): Promise<void> {
    const { slot, role } = file
    const place = file.place(tile)
    const name = `${path}/${file.name}`
    const old = this.get(name)
    const end = place.offset + place.size
    this.files.set(name, bytes(old.subarray(0, place.offset), stored, old.subarray(end)))
    const more = stored.length - place.size
    if (more === 0) return
    const { offsetsList } = fieldTileFile(await (await this.fragment(path)).info(), slot, role)
    const values = file.offsets.map((start, i) => (i > tile ? start + more : start))
    await this.editSection(offsetsList, slot, { values }, path, (footer) => {
      const sizes = sizesOf(footer, role)
      if (sizes) sizes[slot] += more
    })
  }
}
