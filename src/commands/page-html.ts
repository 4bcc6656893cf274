import { brotliDecompressSync, deflateRawSync, inflateRawSync } from 'node:zlib'
import { nameOf } from '../base/paths.ts'
import { VERSION } from '../base/version.ts'
import { packText, SEPARATOR } from '../calls/packed-text.ts'
import type { PagePlaces } from '../calls/page-data.ts'
import { builtBytes, packagedBytes } from '../node/packaged.ts'
import type { Target } from '../objects/target.ts'
import type { Folder } from '../storage/source.ts'

/**
 * Makes pages from `dist/page/index.html`, which the build makes. It holds the whole program of the page; the package has its
 * compressed form. Its policy, which browsers enforce, says what the page may connect to.
 */

/** Mark in the page that stands where data goes. */
const DATA_PLACE = '<!--data-->'
const BODY_END = '</body>'
/** Type of the elements with data. Browsers do not run elements of this type. */
const DATA_TYPE = 'type="application/octet-stream"'
/** Largest number of base64 characters in one element: the page draws after each. A multiple of 4 characters is whole bytes. */
const PIECE = 1 << 18
/** What the policy of the built page allows: connections to anywhere, because the user may give any URL. */
const CONNECT_ANYWHERE = 'connect-src http: https:'
/** The elements with the scripts of the program, which src/page/loader.ts runs when they are needed. */
const SCRIPT = /<script type="text\/plain" id="part-(\w[\w-]*)">(.*?)<\/script>\n/gs
/** How the script begins that loads the others. It is the only one without attributes. */
const LOADER = '<script>'
/** The scripts with which a page and its workers begin. */
const FIRST: ReadonlySet<string> = new Set(['main', 'worker'])
/** Whether a report has a script, by its name; it has all others. A report opens no other place. */
const NEEDED: { readonly [script: string]: (needs: ReportNeeds) => boolean } = {
  layers: ({ layers }) => layers,
  webp: ({ webp }) => webp,
  'aes-gcm': ({ encryption }) => encryption,
  'other-places': () => false,
}
/** How zlib makes the least of scripts: with less memory, it begins a new code sooner. */
const SMALLEST = { level: 9, memLevel: 7 }
/** The elements with wasm files, deflated, in base64. */
const WASM_IN_PAGE = /<script type="application\/octet-stream" class="wasm" id="([\w.]+)">([^<]*)<\/script>\n/g

/** The page without data. The user drops a folder on it, or gives it a URL. */
export function emptyPage(): string {
  const page = builtBytes('page/index.html.br')
  if (page === undefined) throw new TypeError('expected dist/page, which npm run build makes, found none')
  return brotliDecompressSync(page).toString('utf8')
}

/** What a report needs besides the program that every report has. */
export interface ReportNeeds {
  layers: boolean
  zstd: boolean
  webp: boolean
  encryption: boolean
}

/**
 * A report, in pieces. Its program is compressed.
 * @param data text without `<`, which goes in front of the program
 * @param rest base64 text that goes after the program, in several elements
 */
export function reportPage(data: string, rest: string, needs: ReportNeeds): readonly string[] {
  const later: { name: string; text: string }[] = []
  const page = emptyPage()
    .replace(SCRIPT, (_, name: string, text: string) => {
      if (FIRST.has(name)) return packedElement(`id="part-${name}"`, deflateRawSync(text, SMALLEST))
      if (NEEDED[name]?.(needs) !== false) later.push({ name, text })
      return ''
    })
    // Together they take less: what one has said, the next may copy.
    .replace(LOADER, () => {
      const names = later.map(({ name }) => name).join(' ')
      const text = later.map((one) => one.text).join(SEPARATOR)
      return `${packedElement(`id="parts" data-names="${names}"`, deflateRawSync(text, SMALLEST))}${LOADER}`
    })
    .replace(WASM_IN_PAGE, (_, name: string, base64: string) =>
      needs.zstd ? packedElement(`class="wasm" id="${name}"`, Buffer.from(base64, 'base64')) : '',
    )
  return pageWith(page, data, "'none'", rest)
}

/** A page whose server has the rest of its program. */
export interface ServedPage {
  page: string
  /** By name: the scripts that the page loads later, and the wasm files. */
  files: ReadonlyMap<string, () => Uint8Array>
}

/** The page that is served. @param data text without `<` */
export function servedPage(data: string): ServedPage {
  const files = new Map<string, () => Uint8Array>()
  const page = emptyPage()
    .replace(SCRIPT, (whole, name: string, text: string) => {
      if (FIRST.has(name)) return whole
      files.set(`part-${name}.js`, () => Buffer.from(text))
      return ''
    })
    .replace(WASM_IN_PAGE, (_, name: string, packed: string) => {
      files.set(name, () => inflateRawSync(Buffer.from(packed, 'base64')))
      return ''
    })
  for (const specifier of Object.values(WASM)) files.set(nameOf(specifier), () => packagedBytes(specifier))
  return { page: pageWith(page, data, "'self'").join(''), files }
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
  folder: Folder,
  target: Target,
  { shown, made, wasm }: Pick<PagePlaces, 'shown' | 'wasm'> & { made: bigint },
): PagePlaces & { kind: Kind } {
  const top = `/${folder.name || 'target'}`
  const path = top + target.path.slice(folder.path.length)
  return { kind, top, path, shown, version: VERSION, made: Number(made), wasm }
}
