import { brotliDecompressSync, deflateRawSync } from 'node:zlib'
import { builtBytes, packagedBytes } from '../node/packaged.ts'

/**
 * The page that the build makes: `dist/page/index.html`, which has all of its program, and of which the package has the compressed
 * form. What the page may do beside showing itself stands in its policy, which browsers hold it to.
 */

/** Where the build leaves room for data. The first of its kind in the page. */
const DATA_PLACE = '<!--data-->'
const BODY_END = '</body>'
/** Of an element that browsers do not run. */
const DATA_TYPE = 'type="application/octet-stream"'
/** Characters of base64 in an element: what a page decodes before it draws again. Each four of them are three bytes. */
const PIECE = 1 << 18
/** What the policy says of connections, as the build writes it: any, because the user may give any URL. */
const CONNECT_ANYWHERE = 'connect-src http: https:'

/** The page without data, on which a folder is dropped, or which is given a URL. */
export function emptyPage(): string {
  const page = builtBytes('page/index.html.br')
  if (page === undefined) throw new TypeError('expected dist/page, which npm run build makes, found none')
  return brotliDecompressSync(page).toString('utf8')
}

/**
 * The page with data in front of its program, in pieces.
 * @param data text without `<`
 * @param connections what the page may connect to, in the words of a policy
 * @param rest base64, which stands behind the program in elements of some length
 */
export function pageWith(data: string, connections: "'none'" | "'self'", rest = ''): readonly string[] {
  const page = emptyPage().replace(CONNECT_ANYWHERE, `connect-src ${connections}`)
  const [at, end] = [page.indexOf(DATA_PLACE), page.lastIndexOf(BODY_END)]
  const element = (name: string, text: string): string[] => [`<script ${DATA_TYPE} ${name}>`, text, '</script>']
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

/** Wasm files that a page has not in its program, and the filters that need them. */
const WASM = { BZIP2: 'bzip2-wasm/bzip2-1.0.8/bzip2.wasm', WEBP: '@jsquash/webp/codec/dec/webp_dec.wasm' }

/** Those files for a page, each deflated, in base64, by its specifier. @param wants whether a filter may be met */
export async function pageWasm(wants: (filter: string) => boolean): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const [filter, specifier] of Object.entries(WASM))
    if (wants(filter)) files[specifier] = deflateRawSync(packagedBytes(specifier), { level: 9 }).toString('base64')
  return files
}
