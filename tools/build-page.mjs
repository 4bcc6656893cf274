import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { minifySync } from '@swc/wasm'
import { build } from 'esbuild'
import { minifySync as rolldownMinify } from 'rolldown/experimental'
import { kernels } from './generated.mjs'
import { deflateRaw, deflateZlib, pagePack } from './page-pack.mjs'

/**
 * Builds dist/page: `page.pack`, program and style of the page in parts, compressed. `page` puts pages together from them.
 */

/** Modules that a page leaves out. The commands that it runs import them, but never use them there. */
const LEFT_OUT = [/^\.\.?\/(?:.*\/)?(?:node|threads)\//, /^@jsquash\/webp\/(?:codec\/enc|meta)/]
/** Modules that commands load only to print tables and other formats, or to plan. */
const NOT_LOADED =
  /render\/(?:views\/|progress)|rows\/(?:arrow|cell-lines|csv|ndjson|json|parquet|records|table-records)|check-plan|decode-all|cell-records|rtree-svg|schema-python|stats-read|work-size|cell-places|tile-at-offset|stats-group|calls\/sweep\.|sweep-check|calls\/hex\.ts$|sorted-cells/
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

/** The wasm file that the package zstddec has as text in its script. */
function zstdDecoder() {
  const script = readFileSync('node_modules/zstddec/dist/zstddec.mjs', 'utf8')
  const [, base64] = /const wasm = "([A-Za-z0-9+/=]+)"/.exec(script)
  return Buffer.from(base64, 'base64')
}

/** Parts of a command that a page does not need: options, help, tables and columns of CSV, and what its work is. The indentation tells where each ends. */
const PRINTED_PARTS = [
  /^ {2}about:\n? .*?',\n/ms,
  /^ {2}examples: \[\n.*?^ {2}\],\n/ms,
  /^ {2}configure\(command\) \{\n.*?^ {2}\},\n/ms,
  /^ {2}(?:gives|ownOutput|takes(?:With)?): .*,\n/gm,
  /\bhelp: '[^']*', /g,
  /(?<=^const TAKES = \{[^}]*: ')[^']+(?=')/gm,
  /^( +)table: async \(out\) =>(?: |\n\1 {2})\(await import\(.*(?:,|\(\n(?:\1 {4}.*\n)+\1 {2}\),)\n/gm,
  /^ {4}columns: \(\) => .*,\n/gm,
  /^ +(?:what: '\w+ing[ \w]*'|total: async \(\) => .*),\n/gm,
  /^ {4}async (?:table|cellLines|arrow|columns)\(.*?\) \{\n.*?^ {4}\},\n/gms,
  // Lines on stderr about a group. Its overview has the same as findings.
  /^ +(?:if \(.*\) )?await tellGroupNotOpened\(.*\)\n/gm,
  /^export async function tellGroupNotOpened\(.*?^\}\n/gms,
  // The page gives no two options that exclude each other.
  /^ +if \(.*\)(?: |\n +)throw usage\(.*\bfound:? .*\b(?:both|neither)\b.*\)\n/gm,
  // Nor values of these, which are no numbers.
  /(?<=\bthrow usage\()`--(?:jobs|tiles|depth|at) expects.*`(?=\)$)/gm,
  // Notes are for stderr.
  /(?<=\bcx\.note\()[`'].*(?=\)$)/gm,
  /^ {4}for \(const \[field, texts\] of this\.remarks\).*?^ {4}\}\n/ms,
  // Sums of groups and sweeps, whose modules a page does not load.
  /^async function\*? (?:groupOutcomes|sweptOutcome)\(.*?^\}\n/gms,
]

/** What only plans need of a finding. The page asks which findings lose a tile, and that is the way `drop`. */
const PLANNED_PARTS = [
  /^ +isRoot: true,\n/gm,
  /^ +lost:(?: |\n +).*,\n/gm,
  /^ +mend: '(?!drop|zeros|rewrite|leave)[\w-]+',\n/gm,
]

/** The direction of filters that writes. The indentation tells where each function ends. */
const WRITING_PARTS = [
  /^( +)(?:private )?forward(?:Tile|Chunk)?\([^\n]*\{\n.*?^\1\},?\n/gms,
  /^ +forward: .*,\n/gm,
  /^ +compress: .*,\n/gm,
  /\bcompress, (?=decompress)/g,
]

/** What commands alone ask of a layer: what an array is in it, and cells by conditions on other arrays. */
const ASKED_PARTS = [/^ {2}(?:words: wordsOf|select),\n/gm, /^ {2}async words\(.*?\) \{\n.*?^ {2}\},\n/gms]

/** The parts of modules that a page leaves out. */
const UNUSED_PARTS = [
  [/src\/filters\/[\w-]+\.ts$/, WRITING_PARTS],
  [/src\/(?:commands|calls)\/[\w-]+\.ts$/, PRINTED_PARTS],
  [/src\/check\/codes\/[\w-]+\.ts$/, PLANNED_PARTS],
  [/src\/layers\/[\w-]+\/[\w-]+\.ts$/, ASKED_PARTS],
]

/**
 * The files whose imports at run time stay such: what they import is loaded when it is needed. All imports of a file are one part of
 * the program if it has a name here; otherwise each is one, or each that the last expression tells.
 */
const LOADS_LATER = [
  [/src\/layers\/layers\.ts$/, 'layers'],
  [/src\/page\/engine\.ts$/, 'commands'],
  [/src\/page\/genomicsdb\.ts$/, 'genomicsdb'],
  [/src\/page\/(?:views|job|inspected|layer|tasks|place)\.tsx?$/, undefined],
  // A report of an array without pictures or encryption does without these, but not without the others.
  [/src\/filters\/codecs\/portable\.ts$/, undefined, /webp|aes-gcm/],
]
/** The parts that a page begins with: its workers', and its own. */
const FIRST = ['worker', 'main']
/** Views and others with fewer letters of code share one script: each costs a digest in the policy. */
const SMALL = 10_000
/** But not those that some reports leave out: src/commands/page-html.ts says which. */
const SOME = ['layers', 'webp', 'aes-gcm', 'other-places', 'genomicsdb', 'workspace']
/** How the names of parts begin that only other parts ask for. */
const SHARED = '_'
/** Modules with what all imports of one file give, by the names of their parts. */
const groups = new Map()

/** The imports at run time of a text: `(await import('x'))`, or `import('x')`. */
const IMPORTS = /\(await import\('([^']+)'\)\)(?=\.)|\bimport\('([^']+)'\)/g

/**
 * Turns imports at run time into plain ones, but for those of {@link LOADS_LATER}. The page has these modules anyway, and their wrappers
 * cost a tenth more.
 */
const inFewParts = {
  name: 'in-few-parts',
  setup(bundler) {
    bundler.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice('part:'.length), namespace: 'part' }))
    bundler.onLoad({ filter: /./, namespace: 'part' }, ({ path }) => groups.get(path))
    bundler.onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
      const [, left] = UNUSED_PARTS.find(([files]) => files.test(path)) ?? [undefined, []]
      const short = left.reduce((text, part) => text.replace(part, ''), code)
      const loader = path.endsWith('x') ? 'tsx' : 'ts'
      // What a part exports is handed over when it has run. So it may not change later.
      if (/^export let/m.test(code)) throw new Error(`${path} exports a variable`)
      const [file, name, some] = LOADS_LATER.find(([files]) => files.test(path)) ?? []
      if (file && name === undefined && !some) return { contents: short, loader }
      if (file && !some) {
        const lines = []
        const body = short.replace(/\(await import\('([^']+)'\)\)\.(\w+)/g, (_, from, one) => {
          lines.push(`export { ${one} as e${lines.length} } from '${from}'\n`)
          return `(await import('part:${name}')).e${lines.length - 1}`
        })
        groups.set(name, { contents: lines.join(''), resolveDir: dirname(path) })
        return { contents: body, loader }
      }
      const later = new Map()
      // Without `await` in front of a name, the bundler sees which names are used, and drops the others.
      const body = short.replace(IMPORTS, (text, named, whole) => {
        const name = named ?? whole
        if (some?.test(name)) return text
        if (!later.has(name)) later.set(name, `later${later.size}`)
        return later.get(name)
      })
      const imports = [...later].map(([name, as]) => `import * as ${as} from '${name}#later'\n`)
      return { contents: imports.join('') + body, loader }
    })
  },
}

/** Modules that a page has in a smaller form: the text of each from its path. */
const SMALLER = [
  // Wasm in base64 hardly gets smaller by the page's compression. Deflated first, it takes half.
  [
    /src\/filters\/kernels\/binary\.js$/,
    async (path) => {
      const [, base64] = /'([A-Za-z0-9+/=]+)'/.exec(await kernels(`${dirname(path)}/assembly/few.ts`))
      const wasm = Buffer.from(base64, 'base64')
      const deflated = Buffer.from(await deflateZlib(wasm)).toString('base64')
      return `import { inflateZlib } from '../codecs/inflate.ts'
        const deflated = Uint8Array.from(atob('${deflated}'), (character) => character.charCodeAt(0))
        const wasm = inflateZlib(deflated, ${wasm.length})
        export const KERNELS_WASM = btoa(Array.from(wasm, (byte) => String.fromCharCode(byte)).join(''))`
    },
  ],
  // `stats` has advice about slow tiles. The page draws only its sizes, and would read more for the advice.
  [/src\/advice\/findings\.ts$/, () => 'export const arrayFindings = async () => [], fragmentFindings = arrayFindings'],
  // The cells that a page asks for are those of an array by its own ranges.
  [/src\/calls\/layer-selection\.ts$/, () => 'export const layerSelection = async () => undefined'],
  // Progress is for stderr.
  [/src\/calls\/telling-members\.ts$/, () => 'export const tellingMembers = (cx, target, members) => members'],
  // Nor does a page share the work on an array.
  [
    /src\/objects\/shard\.ts$/,
    () => `export const parseShard = () => undefined, shardText = parseShard, isFirst = () => true
      export const shardOf = async (array, entries) => {
        if (array.folder.isRemote && entries.length > 1) await array.listFragmentsAhead()
        return entries
      }`,
  ],
  // A page sees nothing around its target.
  [/src\/calls\/layer-place\.ts$/, () => 'export const layerPlace = async () => undefined'],
  // The page says what is slow. What to do is Python: it only asks whether there are lines of advice.
  [
    /src\/advice\/lines\.ts$/,
    () => `export const vacuumLine = () => ({ does: 'vacuum', code: '' }), pathOf = () => ''
      export const consolidationLines = () => [vacuumLine()]
      export const modeLines = consolidationLines, rewriteLines = consolidationLines`,
  ],
  // Nothing in a page is read without waiting, as footers and R-trees of local arrays are.
  [
    /src\/objects\/laid-out-info\.ts$/,
    () => 'export class LaidOutInfo {}\nexport class FooterLayouts { learn() {} info() {} }',
  ],
  [/src\/objects\/small-sections\.ts$/, () => 'export class SmallSections {}'],
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
      bundler.onLoad({ filter }, async ({ path }) => ({ contents: await contentsOf(path), resolveDir: dirname(path) }))
  },
}

const sha256 = (text) => createHash('sha256').update(text).digest('base64')

const COMMON = {
  bundle: true,
  platform: 'browser',
  target: ['chrome110', 'firefox115', 'safari16.4'],
  charset: 'utf8',
  write: false,
  logLevel: 'warning',
  // What only Node and workers have: packages ask for it.
  define: {
    'process.env.NODE_ENV': '"production"',
    process: 'undefined',
    importScripts: 'undefined',
    'import.meta.url': '""',
    'globalThis.ServiceWorkerGlobalScope': 'undefined',
  },
}

/** The program in parts, and what it is made of. */
async function bundled() {
  const { outputFiles, metafile } = await build({
    ...COMMON,
    entryPoints: { main: 'src/page/main.tsx', worker: 'src/page/worker-main.ts', style: 'src/page/style.css' },
    outdir: 'dist/page',
    splitting: true,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [withoutNode, smallerModules, inFewParts],
    metafile: true,
  })
  const text = (name) => outputFiles.find(({ path }) => basename(path) === name).text
  return { text, metafile }
}

/** Names of the parts, by their files: those that pages and workers begin with, and what is loaded later. */
function partNames(outputs) {
  const names = new Map()
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    const file = basename(path)
    if (!file.endsWith('.js')) continue
    const entry = entryPoint?.replace(/^part:/, '')
    names.set(
      file,
      entry
        ? basename(entry)
            .replace(/^worker-main/, 'worker')
            .replace(/\.\w+$/, '')
        : `${SHARED}${names.size.toString(36)}`,
    )
  }
  return names
}

/** Turns a module into the text of a part, which loader.ts runs. */
function partText(name, code, names) {
  const needs = []
  const taken = []
  let body = code.trim()
  const partOf = (path) => names.get(basename(path))
  body = body.replace(/\bimport(?:\{([^}]*)\}from)?"(\.[^"]*)";?/g, (_, list = '', path) => {
    // Modules of the page do nothing but define what they export, so an import of nothing needs nothing.
    if (list === '') return ''
    needs.push(partOf(path))
    taken.push(`{${list.replaceAll(' as ', ':')}}`)
    return ''
  })
  const given = []
  body = body.replace(/\bexport\{([^}]*)\};?/g, (_, list) => {
    given.push(...list.split(',').map((one) => one.split(' as ').reverse().join(':')))
    return ''
  })
  if (/^(?:import|export)\b(?!\()/m.test(body))
    throw new Error(`the part ${name} has an import or export that is not known here`)
  body = body.replace(/\bimport\("(\.[^"]*)"\)/g, (_, path) => `tiledbInspect.load("${partOf(path)}")`)
  return {
    needs,
    text: `tiledbInspect.add("${name}",${JSON.stringify(needs)},(${taken})=>{${body}\nreturn{${given}}})`,
  }
}

/** The text of a script, smaller. The two minifiers make 16 KB less of the 314 KB that esbuild's leaves. */
function smaller(name, text) {
  const { code } = rolldownMinify(`${name}.js`, text, { compress: true, mangle: true, codegen: true })
  return minifySync(code, { compress: { passes: 3, toplevel: true }, mangle: { toplevel: true } }).code.trim()
}

/** A part, and all that it needs. */
function withNeeds(parts, name, found = new Set()) {
  for (const needed of parts.get(name).needs) if (!found.has(needed)) withNeeds(parts, needed, found)
  return found.add(name)
}

/**
 * Puts parts together that are needed together: one script for what the page begins with, one for what its workers begin with, one
 * for each view, for commands and for layers, and one for what several of these share.
 * @returns names of the parts in each script, by its name
 */
function scriptsOf(parts) {
  const scripts = new Map()
  const placed = new Set()
  const place = (name, wanted) => {
    const left = [...wanted].filter((part) => !placed.has(part))
    for (const part of left) placed.add(part)
    if (left.length > 0) scripts.set(name, left)
  }
  for (const name of FIRST) place(name, withNeeds(parts, name))
  const later = [...parts.keys()].filter((name) => !name.startsWith(SHARED) && !placed.has(name))
  const users = (part) => later.filter((name) => withNeeds(parts, name).has(part))
  /** Number of letters of what only this one needs. */
  const ownSize = (name) =>
    [...withNeeds(parts, name)]
      .filter((part) => !placed.has(part) && users(part).length === 1)
      .reduce((sum, part) => sum + parts.get(part).text.length, 0)
  const small = later.filter((name) => ownSize(name) < SMALL && !SOME.includes(name))
  place(
    'more',
    [...parts.keys()].filter((part) => users(part).length > 1),
  )
  place(
    'small',
    small.flatMap((name) => [...withNeeds(parts, name)]),
  )
  for (const name of later) place(name, withNeeds(parts, name))
  return scripts
}

/** The script that loads the others. @param scripts the scripts that each part needs that is loaded by its name */
async function loaderText(scripts) {
  const { outputFiles } = await build({
    ...COMMON,
    entryPoints: ['src/page/loader.ts'],
    format: 'iife',
    define: { ...COMMON.define, SCRIPTS: JSON.stringify(scripts) },
  })
  return smaller('loader', outputFiles[0].text)
}

/** The page's frame in notebooks: one module, which the Python package takes. */
async function buildWidget() {
  const { outputFiles } = await build({
    ...COMMON,
    entryPoints: ['src/page/widget.ts'],
    minify: true,
    format: 'esm',
  })
  writeFileSync('dist/page/widget.js', outputFiles[0].text)
}

/** Builds the page. @returns folders of the packages whose code is in the page */
export async function buildPage() {
  const zstd = zstdDecoder()
  const { text, metafile } = await bundled()
  const names = partNames(metafile.outputs)
  const parts = new Map(Array.from(names, ([file, name]) => [name, partText(name, text(file), names)]))
  const scripts = scriptsOf(parts)
  const scriptOf = new Map(Array.from(scripts, ([script, inside]) => inside.map((part) => [part, script])).flat())
  const scriptsFor = (name) => [...new Set(Array.from(withNeeds(parts, name), (part) => scriptOf.get(part)))]
  const loaded = [...parts.keys()].filter((name) => !name.startsWith(SHARED))
  const loader = await loaderText(Object.fromEntries(loaded.map((name) => [name, scriptsFor(name)])))
  const texts = new Map(
    Array.from(scripts, ([name, inside]) => [
      name,
      `"use strict";${smaller(name, [...inside.map((part) => parts.get(part).text), `tiledbInspect.ran("${name}")`].join('\n'))}`,
    ]),
  )
  const style = text('style.css').trim()
  for (const [name, text] of texts)
    if (/<\/script|<!--/i.test(text)) throw new Error(`the script ${name} has the end of an element in it`)
  const wasm = Buffer.from(await deflateRaw(zstd)).toString('base64')
  const wasmElement = `<script type="application/octet-stream" class="wasm" id="zstddec.wasm">${wasm}</script>\n`
  const together = [...texts.keys()].filter((name) => !FIRST.includes(name) && !SOME.includes(name))
  // What every report has is compressed together, but for what only workers have: the page begins before it is unpacked.
  const groups = [['worker'], ['main', ...together], ...SOME.map((name) => [name])]
  const digestOf = (text) => `'sha256-${sha256(text)}'`
  const digests = [loader, ...groups.flat().map((name) => texts.get(name))].map(digestOf)
  // Functions, because `$` has a meaning in the text of a replacement.
  const html = readFileSync('src/page/index.html', 'utf8')
    .replace("'sha256-SCRIPTS'", () => digests.join(' '))
    .replace('STYLE', () => sha256(style))
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<!--scripts-->\n', () => `<!--scripts-->\n${wasmElement}`)
    .replace('<script></script>', () => `<script>${loader}</script>`)
  const pack = await pagePack(html, texts, groups)
  mkdirSync('dist/page', { recursive: true })
  await buildWidget()
  writeFileSync('dist/page/page.pack', pack)
  writeFileSync('dist/page/zstddec.wasm', zstd)
  for (const file of BESIDE) copyFileSync(join('node_modules', file), join('dist/page', basename(file)))
  if (process.env.PAGE_SIZES) {
    console.log(pack.length)
    for (const [name, text] of texts) console.log(name, text.length, gzipSync(text, { level: 9 }).length)
    writeFileSync('build/page-meta.json', JSON.stringify(metafile))
  }
  const folders = Object.keys(metafile.inputs).map(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
  )
  return [...new Set(folders.filter((folder) => folder !== undefined))].map((folder) => resolve(folder))
}
