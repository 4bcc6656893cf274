import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { licences } from './build-licences.mjs'
import { buildMan } from './build-man.mjs'
import { buildPage } from './build-page.mjs'
import { generateAll, WASM } from './generated.mjs'

/**
 * Builds THIRD_PARTY_LICENSES and dist/:
 *
 * - `cli`: the program, as CommonJS, which Node starts faster than ES modules
 * - `lib`: the entries of the library as ES modules, with their types
 * - `page`: the page of `page` (tools/build-page.mjs)
 * - `man`: the manual page (tools/build-man.mjs)
 */

/** The dependencies of the package are not bundled. They are large, or loaded only if a filter needs them. */
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const EXTERNAL = new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
const packageOf = (id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/')
const external = (id) => (id.startsWith('node:') && id !== 'node:child_process') || EXTERNAL.has(packageOf(id))
/** The library has the code of all filters in it, so that a page can load it as it is from a plain server. */
const externalOfLibrary = (id) => id.startsWith('node:') || packageOf(id) === '@aws-sdk/credential-provider-node'
/** Bundles @jsquash/webp: Node's `require` gives the default exports of its ES modules another shape than the bundler expects. */
const externalOfCli = (id) => external(id) && packageOf(id) !== '@jsquash/webp'

/** Keeps commander from loading node:child_process, which takes 1.5 ms at every start. Only executable subcommands need it. */
const withoutChildProcess = {
  name: 'without-child-process',
  resolveId: (id) => (id === 'node:child_process' ? '\0child-process' : undefined),
  load: (id) => (id === '\0child-process' ? 'export default {}' : undefined),
}

/** Keeps of the 90 spinners that ora brings those that it uses by default: 25 KB less. */
const fewSpinners = {
  name: 'few-spinners',
  load(id) {
    if (!/cli-spinners[/\\]spinners\.json$/.test(id)) return undefined
    const { dots, line } = JSON.parse(readFileSync(id, 'utf8'))
    return { code: JSON.stringify({ dots, line }), moduleType: 'json' }
  },
}

/**
 * The most frequent calls use one file, `core`, whose compiled code is cached. It has these modules and all that they import, except
 * by `import()`. Other modules are loaded when they are needed.
 */
const EVERY_DAY = [
  'main',
  ...['ls', 'schema', 'footer', 'rtree', 'metadata'].flatMap((name) => [`commands/${name}`, `render/views/${name}`]),
  ...['codecs/zstd-frame', 'codecs/portable'].map((name) => `filters/${name}`),
  // Small ones that many commands need: they would otherwise load `overview` or `stats` for them.
  ...['dataset', 'object-files', 'shard'].map((name) => `objects/${name}`),
  'storage/memory',
].map((name) => resolve(`src/${name}.ts`))
/**
 * Seven more files have cached code: what `read`, Arrow, a call with only a target, `check`, `stats` and GenomicsDB need besides `core`, and
 * what both `read` and a call with only a target need.
 */
const OVERVIEW = ['commands/overview', 'render/views/overview', 'advice/footer-findings', 'advice/filter-sizes'].map(
  (name) => resolve(`src/${name}.ts`),
)
const READ = [
  // `verify-checksums` needs the last two: without them, it would load `check` and what that needs.
  ...['commands/read', 'rows/cell-lines', 'node/packaged', 'calls/unit-runner', 'check/undo'],
  ...['codecs/zstd', 'codecs/lz4', 'kernels/kernels'].map((name) => `filters/${name}`),
].map((name) => resolve(`src/${name}.ts`))
const ARROW = [resolve('src/calls/cell-records.ts')]
const CHECK = [
  ...['commands/check', 'render/views/check'],
  ...['data-files', 'fragment-metadata', 'consolidated-metadata', 'written-twice'].map((name) => `check/${name}`),
].map((name) => resolve(`src/${name}.ts`))
const GENOMICSDB = [
  ...['cli/genomicsdb-commands', 'render/views/genomicsdb-workspace'],
  ...['overview', 'ls'].map((name) => `commands/genomicsdb-${name}`),
].map((name) => resolve(`src/${name}.ts`))
const STATS = ['commands/stats', 'render/views/stats'].map((name) => resolve(`src/${name}.ts`))

/** The files that `roots` import, directly or indirectly, but not by `import()`. */
async function importsOf(roots) {
  const importedBy = new Map()
  const note = { name: 'note', moduleParsed: ({ id, importedIds }) => void importedBy.set(id, importedIds) }
  const build = await rolldown({
    input: roots,
    external: externalOfCli,
    plugins: [withoutChildProcess, note],
    platform: 'node',
    onLog,
  })
  await build.generate()
  await build.close()
  const found = new Set(roots)
  for (const id of found) for (const imported of importedBy.get(id) ?? []) found.add(imported)
  return found
}

/** Warnings that are no problem: Node never calls the wasm reader for browsers; some commands import others statically. */
const EXPECTED = new Set(['EMPTY_IMPORT_META', 'INEFFECTIVE_DYNAMIC_IMPORT'])
const onLog = (level, log) => level === 'warn' && !EXPECTED.has(log.code) && console.warn(log.message)

/** Folders of the packages with code in dist/. The kernels contain parts of AssemblyScript's library, and chunks contain helpers of the bundler. */
const bundled = new Set(
  ['assemblyscript', 'rolldown', ...Object.values(WASM).map(packageOf)].map((name) => resolve('node_modules', name)),
)
async function bundle(input, external, plugins, output) {
  const build = await rolldown({ input, external, plugins, platform: 'node', onLog })
  const written = await build.write(output)
  await build.close()
  for (const id of written.output.flatMap(({ moduleIds = [] }) => moduleIds)) {
    const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
    if (folder) bundled.add(folder)
  }
}

/** Writes the types of the entries: one file for each entry, and one with the shared types. */
async function bundleTypes(names) {
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, `build/types/${name}.d.ts`])),
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    onLog,
  })
  await build.write({
    dir: 'dist/lib',
    format: 'esm',
    entryFileNames: '[name].ts',
    chunkFileNames: 'types-[hash].d.ts',
  })
  await build.close()
}

/** Runs a script with Node. Ends the build if it fails. */
function run(stdout, ...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] })
  if (status !== 0) process.exit(1)
}

/** The calls that define what a file of the program exports, one after the other. */
const EXPORTS =
  /(?:Object\.defineProperty\(exports,"[^"]+",\{enumerable:!0,get:function\(\)\{return [\w$]+\}\}\)[,;]?)+/g

/** Writes the exports of a file as one list: 65 bytes less for each of 900, and less code to compile at every start. */
function shortExports(code) {
  return code.replace(EXPORTS, (calls) => {
    const list = Array.from(
      calls.matchAll(/exports,("[^"]+").*?return ([\w$]+)/g),
      ([, name, value]) => `${name}:()=>${value}`,
    )
    const end = /[,;]?$/.exec(calls)[0]
    return `(e=>{for(const k in e)Object.defineProperty(exports,k,{enumerable:!0,get:e[k]})})({${list.join(',')}})${end}`
  })
}

/** Writes the other characters of strings as escapes. V8 keeps text with any of them in two bytes a character, and reads it slower. */
function asciiOnly(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

await generateAll()
const core = await importsOf(EVERY_DAY)
const [read, overview, arrow] = [await importsOf(READ), await importsOf(OVERVIEW), await importsOf(ARROW)]
const [check, stats, genomicsdb] = [await importsOf(CHECK), await importsOf(STATS), await importsOf(GENOMICSDB)]
const cells = new Set([...read].filter((id) => overview.has(id) && !core.has(id)))
rmSync('dist', { recursive: true, force: true })
const threads = { 'unit-worker': 'src/threads/unit-worker.ts', 'tile-worker': 'src/threads/tile-worker.ts' }
await bundle({ main: 'src/main.ts', ...threads }, externalOfCli, [withoutChildProcess, fewSpinners], {
  dir: 'dist/cli',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  dynamicImportInCjs: false,
  minify: true,
  codeSplitting: {
    groups: [
      { name: 'core', test: (id) => core.has(id) },
      { name: 'cells', test: (id) => cells.has(id) },
      { name: 'read', test: (id) => read.has(id) && !core.has(id) && !cells.has(id) },
      { name: 'overview', test: (id) => overview.has(id) && !core.has(id) && !cells.has(id) },
      { name: 'arrow', test: (id) => arrow.has(id) && ![core, read, overview].some((one) => one.has(id)) },
      { name: 'check', test: (id) => check.has(id) && ![core, read, overview, arrow].some((one) => one.has(id)) },
      {
        name: 'stats',
        test: (id) => stats.has(id) && ![core, read, overview, arrow, check].some((one) => one.has(id)),
      },
      {
        name: 'genomicsdb',
        test: (id) => id.includes('genomicsdb') && genomicsdb.has(id),
      },
    ],
  },
})
for (const name of readdirSync('dist/cli').filter((one) => one.endsWith('.cjs'))) {
  const file = join('dist/cli', name)
  writeFileSync(file, asciiOnly(shortExports(readFileSync(file, 'utf8'))))
}
const ENTRIES = ['index', 'format', 'browser']
await bundle(Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])), externalOfLibrary, [], {
  dir: 'dist/lib',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Names of functions and classes are kept, and lines, so that stack traces can be read. Node prints the line of an error that nobody
  // catches. With `--enable-source-maps` it names the line of the source, whose text is not in the package.
  sourcemap: true,
  minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: false } },
})

for (const name of readdirSync('dist/lib').filter((one) => one.endsWith('.map'))) {
  const file = join('dist/lib', name)
  const { sourcesContent: _, ...map } = JSON.parse(readFileSync(file, 'utf8'))
  if (map.sources.every((source) => source.includes('/node_modules/'))) {
    // Whoever looks for a line of another package looks there.
    rmSync(file)
    const script = file.slice(0, -'.map'.length)
    writeFileSync(script, readFileSync(script, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''))
  } else writeFileSync(file, JSON.stringify(map))
}

for (const folder of await buildPage()) bundled.add(folder)
buildMan()
// The page without a target, as it is published.
run('inherit', 'bin/tiledb-inspect.js', 'page', '-o', 'dist/page/index.html')

// Makes V8's code cache for this release of Node, by running the program on a real array. Node 22.1 and later can make one itself.
const places = 'examples/arrays/places'
const fragment = join(places, '__fragments', readdirSync(join(places, '__fragments'))[0])
const everyDay = ['footer', 'ls', 'schema', 'metadata', 'rtree'].flatMap((command) => {
  const target = command === 'ls' || command === 'schema' ? places : fragment
  return [
    [command, target],
    [command, target, '--json'],
  ]
})
// An array of many fragments uses more code. It has fewer than 200, because above that the program sets flags of V8 that make the cache useless.
const many = 'build/many'
rmSync(many, { recursive: true, force: true })
mkdirSync('build', { recursive: true })
const dimensions = ['x', 'y'].flatMap((name) => ['--dim', `${name}:INT64:0..99999:1000`])
const size = ['--fragments', '24', '--cells', '4800', '--capacity', '10000']
run('ignore', 'bin/tiledb-inspect.js', 'write-sample', many, ...dimensions, '--attr', 'a:FLOAT64', ...size)
const workspaces = 'build/workspaces'
rmSync(workspaces, { recursive: true, force: true })
mkdirSync(workspaces)
spawnSync('tar', ['-xzf', 'test/fixtures/genomicsdb/301.tar.gz', '-C', workspaces])
const workspace = join(workspaces, '301/ws')
const interval = join(workspace, readdirSync(workspace).find((name) => name.includes('$')) ?? '')
const point = ['read', many, '--range', 'x=500', '--range', 'y=777', '--json']
const each = [places, many]
const checks = each.flatMap((array) => [
  ['check', array],
  ['check', array, '--level', 'cells', '--json'],
])
const reads = each.map((array) => ['read', array, '--limit', '5'])
const callsOf = {
  'core.cjs': [...everyDay, ['ls', many, '--json'], [places], ['read', places, '--limit', '5']],
  'cells.cjs': [point, [places], ...reads],
  'read.cjs': [['read', places, '--range', 'lat=40..60', '--format', 'ndjson'], point, ...reads],
  'arrow.cjs': [['read', places, '--format', 'arrow']],
  'overview.cjs': [[places], [many], ...checks],
  'check.cjs': checks,
  'stats.cjs': each.map((array) => ['stats', array]),
  'genomicsdb.cjs': [[workspace], ['ls', workspace], ['ls', interval], ['ls', workspace, '--samples']],
}
for (const [file, calls] of Object.entries(callsOf)) {
  process.env.TILEDB_INSPECT_MAKE_CACHE = JSON.stringify({ file, calls })
  run('ignore', 'bin/tiledb-inspect.js')
}

rmSync('build/types', { recursive: true, force: true })
run('inherit', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json')
await bundleTypes(ENTRIES)
writeFileSync('THIRD_PARTY_LICENSES', licences([...bundled]))
