import { TileFile, type TileRole } from '../cells/tile-files.ts'
import { type FragmentFooter, footerLengthIsStored, fragmentFooter } from '../format/fragment-footer.ts'
import { type Describe, decode, encode } from '../format/io.ts'
import { tileOffsets } from '../format/tile-offsets.ts'
import { MemoryStorage } from '../source/memory.ts'
import type { Fragment } from '../store/fragment.ts'
import { openGenericTile, type ReadContext } from '../store/generic-tile.ts'
import { openTarget } from '../store/target.ts'
import { writeGenericTile } from '../write/generic-tile-writer.ts'
import { NEWEST_STABLE } from '../write/schema-check.ts'
import { bytes, u64 } from './bytes.ts'

const noVector = (): never => {
  throw new TypeError('nothing that is damaged on purpose is encrypted')
}

/** Changes a value in place, or returns another one. */
export type Change<T> = ((value: T) => T) | ((value: T) => void)

/** An array or group in memory that is damaged on purpose: its files by path, and edits that keep everything else correct. */
export class EditableArray {
  /** Absolute path of its folder. */
  readonly root: string
  readonly files: Map<string, Uint8Array>
  private readonly newContext: () => ReadContext

  /** @param newContext makes a fresh context for each read, because a context remembers what it read */
  constructor(root: string, files: ReadonlyMap<string, Uint8Array>, newContext: () => ReadContext) {
    this.root = root
    // Copies: parsed values are views of the files, and edits write to the files.
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

  /** Replaces bytes at an offset. */
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

  /** Reads the payload of a file that is one generic tile, changes it, and writes it without filters. */
  async rewrite<T>(path: string, describe: Describe<T>, change: Change<T>): Promise<void> {
    const { payload, header } = await openGenericTile(this.get(path), this.newContext(), { file: path, offset: 0 })
    const value = decode(payload, describe)
    this.files.set(path, await this.genericTile(change(value) ?? value, describe, header.format_version))
  }

  /** A structure as a generic tile, never encrypted. */
  genericTile<T>(value: T, describe: Describe<T>, formatVersion = NEWEST_STABLE): Promise<Uint8Array> {
    const { codecs } = this.newContext()
    return writeGenericTile(encode(value, describe), formatVersion, { codecs, key: undefined, randomBytes: noVector })
  }

  /** Paths below the folder that match, in order. */
  matching(pattern: RegExp): string[] {
    return [...this.files.keys()].filter((path) => pattern.test(path.slice(this.root.length))).sort()
  }

  /** Folder of the fragment whose name starts like this; by default of the only one. */
  fragmentPath(start = '__'): string {
    const folders = new Set(
      [...this.files.keys()]
        .filter((path) => path.endsWith('/__fragment_metadata.tdb'))
        .map((path) => path.slice(0, path.lastIndexOf('/'))),
    )
    const found = [...folders].filter((path) => path.slice(path.lastIndexOf('/') + 1).startsWith(start))
    if (found.length !== 1) throw new TypeError(`${found.length} fragments start with ${start}`)
    return found[0]
  }

  async fragment(path = this.fragmentPath()): Promise<Fragment> {
    const target = await openTarget(this.storage(), path, this.newContext())
    if (target.type !== 'fragment') throw new TypeError(`${path} is a ${target.type}`)
    await target.fragment.info()
    return target.fragment
  }

  /**
   * Writes the fragment's metadata again, with another payload for one section or other fields in the footer. Offsets are
   * adjusted.
   */
  async editMetadata(
    edit: {
      footer?: (footer: FragmentFooter) => void
      sections?: readonly { offset: number; payload: Uint8Array }[]
    },
    path = this.fragmentPath(),
  ): Promise<void> {
    const fragment = await this.fragment(path)
    const info = await fragment.info()
    const { footer } = info
    if (!footer) throw new TypeError('no footer')
    const file = `${path}/__fragment_metadata.tdb`
    const old = this.get(file)
    const starts = await fragment.metadataOffsets()
    const moved = new Map<number, number>()
    const parts: Uint8Array[] = []
    let at = 0
    for (const [i, start] of starts.entries()) {
      const changed = edit.sections?.find(({ offset }) => offset === start)
      const part = changed ? changed.payload : old.subarray(start, starts[i + 1] ?? footer.offset)
      moved.set(start, at)
      parts.push(part)
      at += part.length
    }
    const now: Record<string, unknown> = { ...footer }
    const to = (offset: number): number => moved.get(offset) ?? offset
    for (const [key, value] of Object.entries(footer)) {
      if (value instanceof Float64Array) now[key] = key.endsWith('_offsets') ? value.map(to) : value.slice()
      else if (typeof value === 'number' && key.endsWith('_offset')) now[key] = to(value)
    }
    const edited = now as unknown as FragmentFooter
    edit.footer?.(edited)
    const stored = encode(edited, fragmentFooter(info.schema))
    const length = footerLengthIsStored(info.format_version, info.schema) ? u64(stored.length) : []
    this.files.set(file, bytes(...parts, stored, length))
  }

  editFooter(change: (footer: FragmentFooter) => void, path = this.fragmentPath()): Promise<void> {
    return this.editMetadata({ footer: change }, path)
  }

  /** Changes one section, which is identified by its offset in the footer. */
  async editSection<T>(
    offsetOf: (footer: FragmentFooter) => number | undefined,
    describe: Describe<T>,
    change: Change<T>,
    path = this.fragmentPath(),
  ): Promise<void> {
    const fragment = await this.fragment(path)
    const { footer } = await fragment.info()
    const offset = footer && offsetOf(footer)
    if (offset === undefined) throw new TypeError('no such section')
    const value = decode((await fragment.genericTileAt(offset, '')).payload, describe)
    const payload = await this.genericTile(change(value) ?? value, describe)
    await this.editMetadata({ sections: [{ offset, payload }] }, path)
  }

  /**
   * Undoes the filters of a tile, changes its bytes, and filters them again. Checksums are correct, and lists are adjusted.
   */
  async editTile(
    field: string,
    role: TileRole,
    tile: number,
    change: Change<Uint8Array>,
    path = this.fragmentPath(),
  ): Promise<void> {
    const file = await this.tileFile(field, role, path)
    const { data } = await file.read(tile)
    const copy = data.slice()
    const changed = change(copy) ?? copy
    const pipeline = await file.pipeline(false)
    await this.replaceTile(file, tile, pipeline.forwardTile(changed, [changed.length]), path)
  }

  /** Replaces the stored bytes of a tile. Lists are adjusted. */
  async editStored(
    field: string,
    role: TileRole,
    tile: number,
    change: (stored: Uint8Array) => Uint8Array,
    path = this.fragmentPath(),
  ): Promise<void> {
    const file = await this.tileFile(field, role, path)
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
    const list =
      role === 'var'
        ? 'tile_var_offsets_offsets'
        : role === 'validity'
          ? 'tile_validity_offsets_offsets'
          : 'tile_offsets_offsets'
    const sizes = role === 'var' ? 'file_var_sizes' : role === 'validity' ? 'file_validity_sizes' : 'file_sizes'
    const { footer } = await (await this.fragment(path)).info()
    const offset = footer?.[list]?.[slot]
    if (offset === undefined) throw new TypeError('no list')
    const values = file.offsets.map((start, i) => (i > tile ? start + more : start))
    await this.editMetadata(
      {
        sections: [{ offset, payload: await this.genericTile({ values }, tileOffsets) }],
        footer: (edited) => {
          const list = edited[sizes]
          if (list) list[slot] += more
        },
      },
      path,
    )
  }
}
