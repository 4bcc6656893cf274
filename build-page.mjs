import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { minifySync } from 'rolldown/experimental'

/**
 * Builds dist/page: `index.html`, one file with program and style, which can be published as it is; and the same compressed, which the
 * package has.
 */

/** Of src, what a page does not have: commands that it runs import these, and do not come so far. */
const LEFT_OUT = [/^\.\.?\/(?:.*\/)?(?:node|threads)\//, /^@jsquash\/webp\/(?:codec\/enc|meta)/]
/** Loaded only to print tables and other formats, or to plan. */
const NOT_LOADED =
  /render\/(?:views\/|arrow|cell-lines|csv|ndjson|json|progress)|check-plan|decode-arrow|rtree-svg|schema-python|stats-read|cell-places|tile-at-offset|^\.\/hex\.ts$/
/** Codecs that a page has in another form, or not: src/page/codecs.ts. */
const OTHER_CODECS = /\/(?:gzip|zstd|lz4-compress)\.ts$|\.wasm\.js$|^@noble\/hashes/
/** What wasm files are loaded from beside a published page. */
const BESIDE = ['bzip2-wasm/bzip2-1.0.8/bzip2.wasm', '@jsquash/webp/codec/dec/webp_dec.wasm']

const withoutNode = {
  name: 'without-node',
  setup(bundler) {
    const none = ({ path }) => ({ path, namespace: 'none' })
    bundler.onResolve({ filter: /^node:/ }, none)
    for (const filter of LEFT_OUT) bundler.onResolve({ filter }, none)
    bundler.onResolve({ filter: OTHER_CODECS }, (found) =>
      /src\/filters\/codecs\//.test(found.importer) ? none(found) : undefined,
    )
    bundler.onResolve({ filter: /#later$/ }, ({ path, resolveDir, importer, kind }) => {
      const wanted = path.replace('#later', '')
      return NOT_LOADED.test(wanted) ? none({ path: wanted }) : bundler.resolve(wanted, { resolveDir, importer, kind })
    })
    // Of CommonJS any name can be imported; what uses it fails.
    bundler.onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** The wasm file that the package has as text in its script. */
function zstdDecoder() {
  const script = readFileSync('node_modules/zstddec/dist/zstddec.mjs', 'utf8')
  const [, base64] = /const wasm = "([A-Za-z0-9+/=]+)"/.exec(script)
  const text = deflateRawSync(Buffer.from(base64, 'base64'), { level: 9 }).toString('base64')
  writeFileSync('src/page/zstddec.wasm.js', `export const DEFLATED = '${text}'\n`)
}

/** Of commands, a page needs what they find, not options, help, tables and columns of CSV: biome's indentation tells where those end. */
const NOT_FOUND = [
  /^ {2}about:\n? .*?',\n/ms,
  /^ {2}examples: \[\n.*?^ {2}\],\n/ms,
  /^ {2}configure\(command\) \{\n.*?^ {2}\},\n/ms,
  /^ {2}(?:formats|ownOutput): .*,\n/gm,
  /^ +table: async \(out\) => \(await import\(.*,\n/gm,
  /^ {4}columns: \(\) => .*,\n/gm,
]

/** A page is one file: what is imported later is in it anyway, and costs a tenth more by the wrappers that begin it then. */
const inOneFile = {
  name: 'in-one-file',
  setup(bundler) {
    bundler.onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
      const short = /src\/commands\/[\w-]+\.ts$/.test(path)
        ? NOT_FOUND.reduce((left, part) => left.replace(part, ''), code)
        : code
      const later = new Map()
      const body = short.replace(/\bimport\('([^']+)'\)/g, (_, name) => {
        if (!later.has(name)) later.set(name, `later${later.size}`)
        return later.get(name)
      })
      const imports = [...later].map(([name, as]) => `import * as ${as} from '${name}#later'\n`)
      return { contents: imports.join('') + body, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}

/** The kernels are wasm as text, which a page's compression makes little smaller: deflated first, they take half. */
const smallKernels = {
  name: 'small-kernels',
  setup(bundler) {
    bundler.onLoad({ filter: /src\/filters\/kernels\/binary\.ts$/ }, ({ path }) => {
      const [, base64] = /'([A-Za-z0-9+/=]+)'/.exec(readFileSync(path, 'utf8'))
      const wasm = Buffer.from(base64, 'base64')
      const deflated = deflateSync(wasm, { level: 9 }).toString('base64')
      const contents = `import { inflateZlib } from '../codecs/inflate.ts'
        const deflated = Uint8Array.from(atob('${deflated}'), (character) => character.charCodeAt(0))
        const wasm = inflateZlib(deflated, ${wasm.length})
        export const KERNELS_WASM = btoa(Array.from(wasm, (byte) => String.fromCharCode(byte)).join(''))`
      return { contents, loader: 'ts', resolveDir: dirname(path) }
    })
  },
}

/** What is slow in tiles is part of `stats`, of which the page draws the sizes alone; it would read more for it, too. */
const withoutAdvice = {
  name: 'without-advice',
  setup(bundler) {
    const contents = 'export const arrayFindings = async () => [], fragmentFindings = arrayFindings'
    bundler.onLoad({ filter: /src\/advice\/findings\.ts$/ }, () => ({ contents }))
  },
}

/** A page has no compressors. pako's would stay in the bundle, because a table keeps it: it is half of the package. */
const withoutCompressors = {
  name: 'without-compressors',
  setup(bundler) {
    bundler.onLoad({ filter: /pako\/dist\/pako\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('new Config(', '/* @__PURE__ */ new Config('),
    }))
  },
}

const sha256 = (text) => createHash('sha256').update(text).digest('base64')

/** @returns the folders of the packages whose code is in the page */
export async function buildPage() {
  zstdDecoder()
  const { outputFiles, metafile } = await build({
    entryPoints: { main: 'src/page/main.tsx', style: 'src/page/style.css' },
    outdir: 'dist/page',
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [withoutNode, withoutAdvice, smallKernels, withoutCompressors, inOneFile],
    metafile: true,
    write: false,
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const [bundle, style] = ['main.js', 'style.css'].map((name) =>
    outputFiles.find(({ path }) => path.endsWith(name)).text.trim(),
  )
  // Rolldown's minifier after esbuild's: 11 KB less of 300.
  const { code: script } = minifySync('main.js', bundle, { compress: true, mangle: true, codegen: true })
  // Functions, because `$` means something in a replacement's text.
  const page = readFileSync('src/page/index.html', 'utf8')
    .replace('SCRIPT', () => sha256(script))
    .replace('STYLE', () => sha256(style))
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`)
  mkdirSync('dist/page', { recursive: true })
  writeFileSync('dist/page/index.html', page)
  const packed = brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: page.length } })
  writeFileSync('dist/page/index.html.br', packed)
  for (const file of BESIDE) copyFileSync(join('node_modules', file), join('dist/page', basename(file)))
  if (process.env.PAGE_SIZES) {
    console.log(page.length, gzipSync(page, { level: 9 }).length, packed.length)
    writeFileSync('build/page-meta.json', JSON.stringify(metafile))
  }
  const folders = Object.keys(metafile.inputs).map(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
  )
  return [...new Set(folders.filter((folder) => folder !== undefined))].map((folder) => resolve(folder))
}
