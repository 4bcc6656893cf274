import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { minifySync } from '@swc/wasm'
import { build } from 'esbuild'
import { minifySync as rolldownMinify } from 'rolldown/experimental'

/**
 * Builds dist/page: `index.html`, one file with program and style, and the same file compressed. The first can be published as it
 * is; the second is in the package.
 */

/** Modules that a page leaves out. The commands that it runs import them, but never use them there. */
const LEFT_OUT = [/^\.\.?\/(?:.*\/)?(?:node|threads)\//, /^@jsquash\/webp\/(?:codec\/enc|meta)/]
/** Modules that commands load only to print tables and other formats, or to plan. */
const NOT_LOADED =
  /render\/(?:views\/|progress)|rows\/(?:arrow|cell-lines|csv|ndjson|json)|check-plan|decode-all|decode-arrow|rtree-svg|schema-python|stats-read|work-size|cell-places|tile-at-offset|stats-group|calls\/sweep\.|sweep-check|calls\/hex\.ts$/
/** Codecs that src/page/codecs.ts replaces. */
const OTHER_CODECS = /\/(?:gzip|zstd|lz4-compress)\.ts$|\.wasm\.js$|^@noble\/hashes/
/** Wasm files that a published page loads from its own folder. */
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
    // Any name can be imported from a CommonJS module. Using it fails.
    bundler.onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** Writes src/page/zstddec.wasm.js: the wasm file that the package zstddec has as text in its script. */
function writeZstdDecoder() {
  const script = readFileSync('node_modules/zstddec/dist/zstddec.mjs', 'utf8')
  const [, base64] = /const wasm = "([A-Za-z0-9+/=]+)"/.exec(script)
  const text = deflateRawSync(Buffer.from(base64, 'base64'), { level: 9 }).toString('base64')
  writeFileSync('src/page/zstddec.wasm.js', `export const DEFLATED = '${text}'\n`)
}

/** Parts of a command that a page does not need: options, help, tables and columns of CSV, and what its work is. The indentation tells where each ends. */
const PRINTED_PARTS = [
  /^ {2}about:\n? .*?',\n/ms,
  /^ {2}examples: \[\n.*?^ {2}\],\n/ms,
  /^ {2}configure\(command\) \{\n.*?^ {2}\},\n/ms,
  /^ {2}(?:gives|ownOutput|takes(?:With)?): .*,\n/gm,
  /\bhelp: '[^']*', /g,
  /(?<=^const TAKES = \{[^}]*: ')[^']+(?=')/gm,
  /^ +table: async \(out\) => \(await import\(.*,\n/gm,
  /^ {4}columns: \(\) => .*,\n/gm,
  /^ +(?:what: '\w+ing[ \w]*'|total: async \(\) => .*),\n/gm,
  /^ {4}async (?:table|cellLines|arrow|columns)\(.*?\) \{\n.*?^ {4}\},\n/gms,
]

/** What only plans need of a finding. The page asks which findings lose a tile, and that is the way `drop`. */
const PLANNED_PARTS = [
  /, error: '[^']*'(?= \})/g,
  /^ +lost:(?: |\n +).*,\n/gm,
  /^ +mend: '(?!drop|zeros|rewrite|leave)[\w-]+',\n/gm,
]

/** The direction of filters that writes. The indentation tells where each function ends. */
const WRITING_PARTS = [
  /^( +)forward(?:Tile)?\([^\n]*\{\n.*?^\1\},?\n/gms,
  /^ +forward: .*,\n/gm,
  /^ +compress: .*,\n/gm,
  /\bcompress, (?=decompress)/g,
]

/** The parts of modules that a page leaves out. */
const UNUSED_PARTS = [
  [/src\/filters\/[\w-]+\.ts$/, WRITING_PARTS],
  [/src\/(?:commands|calls)\/[\w-]+\.ts$/, PRINTED_PARTS],
  [/src\/check\/codes\/[\w-]+\.ts$/, PLANNED_PARTS],
]

/** Turns imports at run time into plain ones. A page is one file that has these modules anyway, and their wrappers cost a tenth more. */
const inOneFile = {
  name: 'in-one-file',
  setup(bundler) {
    bundler.onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
      const [, parts] = UNUSED_PARTS.find(([files]) => files.test(path)) ?? [undefined, []]
      const short = parts.reduce((left, part) => left.replace(part, ''), code)
      const later = new Map()
      // Without `await` in front of a name, the bundler sees which names are used, and drops the others.
      const body = short.replace(/\(await import\('([^']+)'\)\)(?=\.)|\bimport\('([^']+)'\)/g, (_, named, whole) => {
        const name = named ?? whole
        if (!later.has(name)) later.set(name, `later${later.size}`)
        return later.get(name)
      })
      const imports = [...later].map(([name, as]) => `import * as ${as} from '${name}#later'\n`)
      return { contents: imports.join('') + body, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}

/** Modules that a page has in a smaller form: the text of each from its path. */
const SMALLER = [
  // Wasm in base64 hardly gets smaller by the page's compression. Deflated first, it takes half.
  [
    /src\/filters\/kernels\/binary\.js$/,
    (path) => {
      const [, base64] = /'([A-Za-z0-9+/=]+)'/.exec(readFileSync(path, 'utf8'))
      const wasm = Buffer.from(base64, 'base64')
      const deflated = deflateSync(wasm, { level: 9 }).toString('base64')
      return `import { inflateZlib } from '../codecs/inflate.ts'
        const deflated = Uint8Array.from(atob('${deflated}'), (character) => character.charCodeAt(0))
        const wasm = inflateZlib(deflated, ${wasm.length})
        export const KERNELS_WASM = btoa(Array.from(wasm, (byte) => String.fromCharCode(byte)).join(''))`
    },
  ],
  // `stats` has advice about slow tiles. The page draws only its sizes, and would read more for the advice.
  [/src\/advice\/findings\.ts$/, () => 'export const arrayFindings = async () => [], fragmentFindings = arrayFindings'],
  // The page says what is slow. What to do is Python: it only asks whether there are lines of advice.
  [
    /src\/advice\/lines\.ts$/,
    () => `export const vacuumLine = () => ({ does: 'vacuum', code: '' }), pathOf = () => ''
      export const consolidationLines = () => [vacuumLine()]
      export const modeLines = consolidationLines, rewriteLines = consolidationLines`,
  ],
  // A page has no compressors, but a table would keep those of pako: half of the package.
  [
    /pako\/dist\/pako\.mjs$/,
    (path) => readFileSync(path, 'utf8').replaceAll('new Config(', '/* @__PURE__ */ new Config('),
  ],
  // The page gives the decoder its wasm, so nothing fetches it. The decoder has no wide strings, and nobody looks into
  // what it throws.
  [
    /webp\/codec\/dec\/webp_dec\.js$/,
    (path) =>
      readFileSync(path, 'utf8')
        .replace(/if\(ENVIRONMENT_IS_WEB\|\|ENVIRONMENT_IS_WORKER\)\{if.*?\}else\{\}(?=var out=)/s, '')
        .replace(/function getBinary\(.*?(?=function createWasm\()/s, '')
        .replace(/instantiateAsync\(wasmBinary,.*?;return\{\}/, '')
        .replace(/function ExceptionInfo\(.*?(?=var exceptionLast)/s, '')
        .replace('var info=new ExceptionInfo(ptr);info.init(type,destructor);', '')
        .replace(
          /(?<=function __embind_register_std_wstring\(\w+,\w+,\w+\)\{).*?(?=\}function __embind_register_void\()/s,
          '',
        ),
  ],
]

const smallerModules = {
  name: 'smaller-modules',
  setup(bundler) {
    for (const [filter, contentsOf] of SMALLER)
      bundler.onLoad({ filter }, ({ path }) => ({ contents: contentsOf(path), resolveDir: dirname(path) }))
  },
}

const sha256 = (text) => createHash('sha256').update(text).digest('base64')

/** Builds the page. @returns folders of the packages whose code is in the page */
export async function buildPage() {
  writeZstdDecoder()
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
    plugins: [withoutNode, smallerModules, inOneFile],
    metafile: true,
    write: false,
    logLevel: 'warning',
    // What only Node and workers have: packages ask for it.
    define: {
      'process.env.NODE_ENV': '"production"',
      process: 'undefined',
      importScripts: 'undefined',
      'globalThis.ServiceWorkerGlobalScope': 'undefined',
    },
  })
  const [bundle, style] = ['main.js', 'style.css'].map((name) =>
    outputFiles.find(({ path }) => path.endsWith(name)).text.trim(),
  )
  // The two minifiers make 16 KB less of the 314 KB that esbuild's leaves.
  const { code } = rolldownMinify('main.js', bundle, { compress: true, mangle: true, codegen: true })
  const { code: script } = minifySync(code, { compress: { passes: 3, toplevel: true }, mangle: { toplevel: true } })
  // Functions, because `$` has a meaning in the text of a replacement.
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
