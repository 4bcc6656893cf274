import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, deflateRawSync } from 'node:zlib'
import { packagedFile } from '../node/node-codecs.ts'

/**
 * The page that the build makes: `dist/page/index.html`, which has all of its program, and of which the package has the compressed
 * form. What the page may do beside showing itself stands in its policy, which browsers hold it to.
 */

/** From the built program, and from the sources. */
const PLACES = ['../page/index.html.br', '../../dist/page/index.html.br']

/** Where the build leaves room for data. The first of its kind in the page. */
const DATA_PLACE = '<!--data-->'
/** What the policy says of connections, as the build writes it: any, because the user may give any URL. */
const CONNECT_ANYWHERE = 'connect-src http: https:'

/** The page without data, on which a folder is dropped, or which is given a URL. */
export function emptyPage(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path))
  if (found === undefined) throw new TypeError('expected dist/page, which npm run build makes, found none')
  return brotliDecompressSync(readFileSync(found)).toString('utf8')
}

/**
 * The page with data in front of its program.
 * @param data text without `<`
 * @param connections what the page may connect to, in the words of a policy
 */
export function pageWith(
  data: string,
  connections: "'none'" | "'self'",
): [before: string, data: string, after: string] {
  const page = emptyPage().replace(CONNECT_ANYWHERE, `connect-src ${connections}`)
  const at = page.indexOf(DATA_PLACE)
  const begin = '<script type="application/octet-stream" id="data">'
  return [`${page.slice(0, at)}${begin}`, data, `</script>${page.slice(at + DATA_PLACE.length)}`]
}

/** Wasm files that a page has not in its program, and the filters that need them. */
const WASM = { BZIP2: 'bzip2-wasm/bzip2-1.0.8/bzip2.wasm', WEBP: '@jsquash/webp/codec/dec/webp_dec.wasm' }

/** Those files for a page, each deflated, in base64, by its specifier. @param wants whether a filter may be met */
export async function pageWasm(wants: (filter: string) => boolean): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const [filter, specifier] of Object.entries(WASM))
    if (wants(filter))
      files[specifier] = deflateRawSync(readFileSync(await packagedFile(specifier)), { level: 9 }).toString('base64')
  return files
}
