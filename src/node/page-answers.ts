import { attempt, hasCode } from '../base/errors.ts'
import { isWithinFolder } from '../base/paths.ts'
import { resolvedPath } from '../storage/rooted.ts'
import type { ByteSource, Storage } from '../storage/source.ts'
import { LINKED } from '../storage/walk.ts'

/*
 * Answers what a page asks for: listings and bytes of one folder. page-server.ts has the questions from a browser, page-stdio.ts from
 * another program. The answers have the statuses and headers of HTTP. Nothing can be written.
 *
 * - `list?PATH`: `{"kind": "folder", "entries": [{"name", "kind", "size"}]}`, or `{"kind": "file"}`; 404 if there is nothing
 * - `file?PATH`: the bytes of a file, or a range of them
 *
 * PATH is a path of the page as percent-encoded JSON, because names that are not UTF-8 have lone surrogates.
 */

/** The files that are served. */
export interface Served {
  storage: Storage
  /** Path in the storage of the folder with all files. */
  folder: string
  /** Path of the folder in the page. */
  top: string
  /** The only file in it that is served; undefined if all are. */
  only: string | undefined
}

export interface PageQuestion {
  /** `list` or `file`. */
  what: string
  /** `?` and the path. */
  search: string
  /** As the header `Range` has it. */
  range: string | undefined
}

export interface PageAnswer {
  status: number
  headers: Readonly<Record<string, string | number>>
  /** Reads the bytes of the answer, at most {@link PIECE} at once. Undefined if there are none. */
  body?: () => AsyncIterable<Uint8Array>
  /** To be called when the answer was given. */
  close?: () => Promise<void>
}

/** Bytes that are read at once for an answer. */
const PIECE = 4 * 2 ** 20

/** @throws InspectError if the storage cannot read: {@link statusOf} has its status */
export async function answerTo({ what, search, range }: PageQuestion, served: Served): Promise<PageAnswer> {
  const place = placeOf(search, served)
  if (place === undefined) return { status: 403, headers: {} }
  if (what === 'list') return listAnswer(place, served)
  if (what === 'file') return fileAnswer(place, served.storage, range)
  return { status: 404, headers: {} }
}

/** The status of an answer that cannot be given. */
export function statusOf(error: unknown): number {
  if (hasCode(error, 'NOT_FOUND')) return 404
  return hasCode(error, 'NO_PERMISSION') ? 403 : 500
}

/** The path in the storage of what a request names; undefined if it is not served. */
function placeOf(search: string, { storage, folder, top, only }: Served): string | undefined {
  const path = parsedPath(search)
  if (path === undefined || !isWithinFolder(path, top)) return undefined
  const below = path.slice(top.length)
  const names = below.split('/')
  if (names.slice(1).some((name) => ['', '.', '..'].includes(name) || /[\\\0]/.test(name))) return undefined
  const isTarget = only !== undefined && below !== ''
  if (isTarget && below !== `/${only}`) return undefined
  return isTarget || isInside(storage, folder, names) ? folder + below : undefined
}

/** Whether a path stays in the folder after its links. Links may lead out only where commands follow them: {@link LINKED}. */
function isInside(storage: Storage, folder: string, names: readonly string[]): boolean {
  const real = resolvedPath(storage, folder + names.join('/'))
  const isBelow = (path: string): boolean => isWithinFolder(real, resolvedPath(storage, path))
  if (isBelow(folder)) return true
  const at = names.findLastIndex((name) => LINKED.has(name))
  return at >= 0 && isBelow(folder + names.slice(0, at + 1).join('/')) && isInside(storage, folder, names.slice(0, at))
}

/** The path in a query; undefined if it is not valid. */
function parsedPath(search: string): string | undefined {
  const path: unknown = attempt(() => JSON.parse(decodeURIComponent(search.slice(1))))
  return typeof path === 'string' ? path : undefined
}

async function listAnswer(place: string, { storage, folder, only }: Served): Promise<PageAnswer> {
  const kind = await storage.kind(place)
  if (kind === undefined) return { status: 404, headers: {} }
  const all = kind === 'folder' ? (storage.listSized?.(place) ?? (await storage.list(place))) : []
  const entries = only !== undefined && place === folder ? all.filter(({ name }) => name === only) : all
  const found = entries.map(({ name, kind, size }) => ({ name, kind, size }))
  const bytes = Buffer.from(JSON.stringify(kind === 'folder' ? { kind, entries: found } : { kind }))
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    async *body() {
      yield bytes
    },
  }
}

async function fileAnswer(place: string, storage: Storage, asked: string | undefined): Promise<PageAnswer> {
  const kind = await storage.kind(place)
  if (kind !== 'file') return { status: kind === undefined ? 404 : 400, headers: {} }
  const source = storage.open(place)
  const close = () => source.close()
  try {
    const size = await source.size()
    // Browsers report 416 as an error, so ranges of an empty file are ignored.
    const range = size === 0 ? undefined : rangeOf(asked, size)
    const etag = `"${source.stamp ?? size}"`
    const common = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', etag }
    if (range === 'none') return { status: 416, headers: { ...common, 'content-range': `bytes */${size}` }, close }
    const [from, end] = range ?? [0, size]
    const headers = {
      ...common,
      'content-length': end - from,
      ...(range && { 'content-range': `bytes ${from}-${end - 1}/${size}` }),
    }
    return { status: range ? 206 : 200, headers, body: () => pieces(source, from, end), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function* pieces(source: ByteSource, from: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < end; at += PIECE)
    // A copy, because the storage may use the memory again.
    yield Buffer.from(await source.read(at, Math.min(PIECE, end - at)))
}

/** The range `[from, end)` of a request. `none` if the file ends before it. Undefined for no range, or several, which the whole file answers. */
function rangeOf(header: string | undefined, size: number): [number, number] | 'none' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined || (first === '' && last === '')) return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  return from < end ? [from, end] : 'none'
}
