import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { nameOf } from '../base/paths.ts'
import { VERSION } from '../base/version.ts'
import { packText } from '../calls/packed-text.ts'
import type { PagePlaces } from '../calls/page-data.ts'
import { nodeCodecs } from '../node/node-codecs.ts'
import { builtBytes, packagedBytes } from '../node/packaged.ts'
import type { Target } from '../objects/target.ts'
import type { Folder } from '../storage/source.ts'

/**
 * Makes pages from the parts of one, which the build makes and compresses (tools/page-pack.mjs). The policy of a page, which
 * browsers enforce, says what it may connect to.
 */

/** Where the build puts the parts, in dist/. */
const PACK = 'page/page.pack'
/** Mark in the page that stands where its scripts go. */
const SCRIPTS_PLACE = '<!--scripts-->\n'

/** Mark in the page that stands where data goes. */
const DATA_PLACE = '<!--data-->'
const BODY_END = '</body>'
/** Type of the elements with data. Browsers do not run elements of this type. */
const DATA_TYPE = 'type="application/octet-stream"'
/** Largest number of base64 characters in one element: the page draws after each. A multiple of 4 characters is whole bytes. */
const PIECE = 1 << 18
/** What the policy of the built page allows: connections to anywhere, because the user may give any URL. */
const CONNECT_ANYWHERE = 'connect-src http: https:'
/** The scripts with which a page and its workers begin. */
const FIRST: ReadonlySet<string> = new Set(['main', 'worker'])
/** Whether a page in one piece needs a script, by the name of the script. It has every script that is not named here. */
const NEEDED: { readonly [script: string]: (needs: ReportNeeds) => boolean } = {
  layers: ({ layers }) => layers,
  webp: ({ webp }) => webp,
  'aes-gcm': ({ encryption }) => encryption,
  'other-places': ({ places }) => places,
  genomicsdb: ({ genomicsdb }) => genomicsdb,
  workspace: ({ genomicsdb }) => genomicsdb,
}
/** The elements with wasm files, deflated, in base64. */
const WASM_IN_PAGE = /<script type="application\/octet-stream" class="wasm" id="([\w.]+)">([^<]*)<\/script>\n/g

/** Scripts that are compressed together, one after another. */
interface PackedScripts {
  /** Names of the scripts, and the characters of each. */
  scripts: readonly (readonly [name: string, length: number])[]
  /** Bytes of their text. */
  undone: number
  /** Their text, as a zstd frame. */
  bytes: Uint8Array
}

/** The parts of a page: the HTML around its scripts, and these. */
function builtPage(): { html: string; packed: readonly PackedScripts[] } {
  const pack = builtBytes(PACK)
  if (pack === undefined) throw new TypeError(`expected dist/${PACK}, which npm run build makes, found none`)
  const end = pack.indexOf(0x0a)
  const head: readonly (Omit<PackedScripts, 'bytes'> & { size: number })[] = JSON.parse(
    Buffer.from(pack.subarray(0, end)).toString(),
  )
  let at = end + 1
  const [html, ...packed] = head.map(({ scripts, undone, size }) => {
    const bytes = pack.subarray(at, at + size)
    at += size
    return { scripts, undone, bytes }
  })
  return { html: html ? inflateRawSync(html.bytes).toString() : '', packed }
}

async function scriptTexts({ scripts, undone, bytes }: PackedScripts): Promise<{ name: string; text: string }[]> {
  const text = Buffer.from((await nodeCodecs.zstd()).decompress(bytes, undone)).toString()
  let at = 0
  return scripts.map(([name, length]) => {
    const from = at
    at += length
    return { name, text: text.slice(from, at) }
  })
}

/** The element with a script, which src/page/loader.ts runs when it is needed. */
function scriptElement({ name, text }: { name: string; text: string }): string {
  return `<script type="text/plain" id="part-${name}">${text}</script>\n`
}

/** The page without data. The user drops a folder on it, or gives it a URL. */
export function emptyPage(): string {
  return packedPage(ALL)
}

function withScripts(html: string, elements: readonly string[]): string {
  // A function, because `$` has a meaning in the text of a replacement.
  return html.replace(SCRIPTS_PLACE, () => elements.join(''))
}

/** A page in one piece, without data. Its program stays compressed. */
function packedPage(needs: ReportNeeds): string {
  const { html, packed } = builtPage()
  const elements = packed
    .filter(({ scripts }) => scripts.some(([name]) => NEEDED[name]?.(needs) !== false))
    .map(({ scripts, undone, bytes }) =>
      packedElement(`data-scripts="${scripts.flat().join(' ')}" data-undone="${undone}"`, bytes),
    )
  return withScripts(html, elements).replace(WASM_IN_PAGE, (_, name: string, base64: string) =>
    packedElement(`class="wasm" id="${name}"`, Buffer.from(base64, 'base64')),
  )
}

/** What a page in one piece needs besides the program that every report has. */
export interface ReportNeeds {
  layers: boolean
  genomicsdb: boolean
  webp: boolean
  encryption: boolean
  /** Whether its bytes are elsewhere. */
  places: boolean
}

const ALL: ReportNeeds = { layers: true, genomicsdb: true, webp: true, encryption: true, places: true }

/**
 * A report, in pieces.
 * @param data text without `<`, which goes in front of the program
 * @param rest base64 text that goes after the program, in several elements
 */
export function reportPage(data: string, rest: string, needs: ReportNeeds): readonly string[] {
  return pageWith(packedPage(needs), data, "'none'", rest)
}

/** The page for a frame of another page. It has all of the program, and asks the other page for bytes. @param data text without `<` */
export function framedPage(data: string): string {
  return reportPage(data, '', ALL).join('')
}

/** A page whose server has the rest of its program. */
export interface ServedPage {
  page: string
  /** By name: the scripts that the page loads later, and the wasm files. */
  files: ReadonlyMap<string, () => Uint8Array>
}

/** The page that is served. @param data text without `<`; undefined for a page without a target, which connects to anywhere */
export async function servedPage(data: string | undefined): Promise<ServedPage> {
  const files = new Map<string, () => Uint8Array>()
  const { html, packed } = builtPage()
  const scripts = (await Promise.all(packed.map(scriptTexts))).flat()
  const first = scripts.filter(({ name }) => FIRST.has(name))
  for (const { name, text } of scripts) if (!FIRST.has(name)) files.set(`part-${name}.js`, () => Buffer.from(text))
  const page = withScripts(html, first.map(scriptElement)).replace(WASM_IN_PAGE, (_, name: string, base64: string) => {
    files.set(name, () => inflateRawSync(Buffer.from(base64, 'base64')))
    return ''
  })
  for (const specifier of Object.values(WASM)) files.set(nameOf(specifier), () => packagedBytes(specifier))
  return { page: data === undefined ? page : pageWith(page, data, "'self'").join(''), files }
}

/** An element with data, in pieces. */
function element(name: string, text: string): string[] {
  return [`<script ${DATA_TYPE} ${name}>`, text, '</script>']
}

/** An element that src/page/loader.ts or src/page/place.ts unpacks. */
function packedElement(attributes: string, bytes: Uint8Array): string {
  return `${element(`${attributes} data-size="${bytes.length}"`, packText(bytes)).join('')}\n`
}

function deflated(bytes: Uint8Array): string {
  return deflateRawSync(bytes, { level: 9 }).toString('base64')
}

/** @param connections what the page may connect to, in the words of a policy */
function pageWith(built: string, data: string, connections: "'none'" | "'self'", rest = ''): readonly string[] {
  const page = built.replace(CONNECT_ANYWHERE, `connect-src ${connections}`)
  const [at, end] = [page.indexOf(DATA_PLACE), page.lastIndexOf(BODY_END)]
  const later: string[] = []
  for (let from = 0; from < rest.length; from += PIECE)
    later.push(...element('class="rest"', rest.slice(from, from + PIECE)))
  return [
    page.slice(0, at),
    ...element('id="data"', data),
    page.slice(at + DATA_PLACE.length, end),
    ...later,
    page.slice(end),
  ]
}

/** Wasm files that are not in the built page, by the filter that needs them. */
const WASM = { BZIP2: 'bzip2-wasm/bzip2-1.0.8/bzip2.wasm', WEBP: '@jsquash/webp/codec/dec/webp_dec.wasm' }

/** Those that a report needs, by specifier: deflated, in base64. @param needs whether the page may meet a filter */
export function pageWasm(needs: (filter: string) => boolean): Record<string, string> {
  const files: Record<string, string> = {}
  for (const [filter, specifier] of Object.entries(WASM))
    if (needs(filter)) files[specifier] = deflated(packagedBytes(specifier))
  return files
}

/** The files that a page of a target needs. */
export interface PageTree {
  folder: Folder
  /** The only file that is needed; undefined if everything below the folder is. */
  only: string | undefined
}

/** What a page shows. */
export interface PageSubject extends PageTree {
  path: string
  /** Undefined for a workspace of GenomicsDB, and for its arrays. */
  target: Target | undefined
}

/** The files of the array around a target. Without an array: the files of the target. */
export function pageTree(target: Target): PageTree {
  if (target.type === 'group') return { folder: target.group.folder, only: undefined }
  if (target.type === 'array') return { folder: target.array.folder, only: undefined }
  if (target.array) return { folder: target.array.folder, only: undefined }
  if (target.type === 'fragment') return { folder: target.fragment.folder, only: undefined }
  return { folder: target.folder, only: target.fragment ? undefined : target.name }
}

/**
 * Where a page finds the target. The paths do not tell where on this machine the target is: only `shown` does, which is what
 * the user wrote.
 */
export function pagePlaces<Kind extends PagePlaces['kind']>(
  kind: Kind,
  { folder, path: target }: Pick<PageSubject, 'folder' | 'path'>,
  { shown, made, wasm }: Pick<PagePlaces, 'shown' | 'wasm'> & { made: bigint },
): PagePlaces & { kind: Kind } {
  const top = `/${folder.name || 'target'}`
  const path = top + target.slice(folder.path.length)
  return { kind, top, path, shown, version: VERSION, made: Number(made), wasm }
}
