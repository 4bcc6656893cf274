/**
 * Makes build/executable/tiledb-inspect: one file with the program and the Node that runs this script. It needs no other Node and no
 * npm. On Linux it needs glibc and libstdc++, like Node.
 *
 *     npm run executable
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { inject } from 'postject'

const scripts = 'dist/cli'
const folder = 'build/executable'
const file = join(folder, process.platform === 'win32' ? 'tiledb-inspect.exe' : 'tiledb-inspect')

if (!existsSync(scripts)) throw new Error('expected dist/cli, which npm run build makes, found none')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const assets = {}
const text = []
for (const name of readdirSync(scripts)) {
  const path = join(scripts, name)
  if (name.endsWith('.cjs')) {
    assets[name] = path
    text.push(readFileSync(path, 'utf8'))
  }
  // A code cache works only with the release of V8 that made it.
  const compiled = /^(.*\.cjs)\.(.*)\.(.*)\.cache$/.exec(name)
  if (compiled && name.endsWith(`.${process.versions.v8}.${process.arch}.cache`))
    assets[`${name.split('.cjs')[0]}.cjs.cache`] = path
}

/** Bundles each package that the scripts load into one script. A module of a package runs when it is first required. */
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const program = text.join('\n')
const required = [...new Set(Array.from(program.matchAll(/\brequire\(["'`]([@a-z][^"'`]*)["'`]\)/g), ([, id]) => id))]
const packages = {}
const bundled = new Set()
for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
  const ids = required.filter((id) => id === name || id.startsWith(`${name}/`))
  if (ids.length === 0) continue
  const parts = ids.map((id) => `${JSON.stringify(id)}: () => require(${JSON.stringify(id)})`)
  const outfile = join(folder, 'packages', `${name}.cjs`)
  const { metafile } = await build({
    stdin: { contents: `module.exports = { ${parts} }`, resolveDir: '.' },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
    metafile: true,
  })
  for (const path of Object.keys(metafile.inputs)) {
    const [inPackage] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    if (inPackage) bundled.add(inPackage)
  }
  assets[`${name}.cjs`] = outfile
  for (const id of ids) packages[id] = `${name}.cjs`
}

/** Other files, under the names by which src/node/packaged.ts loads them. */
for (const specifier of new Set(program.match(/[@a-z][\w./@-]*\/[\w.-]+\.wasm/g)))
  assets[specifier] = join('node_modules', specifier)
const page = 'page/page.pack'
assets[page] = join('dist', page)

const loader = `const PACKAGES = ${JSON.stringify(packages)}\n${readFileSync('executable/loader.cjs', 'utf8')}`
assets['loader.cjs'] = join(folder, 'loader.cjs')
writeFileSync(assets['loader.cjs'], loader)
const main = join(folder, 'main.cjs')
writeFileSync(main, `${loader}\nload('main.cjs').run()\n`)

const config = join(folder, 'sea.json')
const blob = join(folder, 'sea.blob')
writeFileSync(
  config,
  JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets }),
)
run(process.execPath, '--experimental-sea-config', config)

copyFileSync(process.execPath, file)
chmodSync(file, 0o755)
const isMac = process.platform === 'darwin'
if (isMac) run('codesign', '--remove-signature', file)
// Removes symbols that only debuggers need: a tenth of the file.
if (process.platform === 'linux' && spawnSync('strip', ['--version']).status === 0) run('strip', file)
// postject warns about every note section of the Node binary.
console.warn = () => {}
await inject(file, 'NODE_SEA_BLOB', readFileSync(blob), {
  // The marker that Node searches for, according to its documentation.
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
})
if (isMac) run('codesign', '--sign', '-', file)
writeFileSync(join(folder, 'LICENSES'), licences())
console.log(
  `${file}: ${statSync(file).size} bytes, ${statSync(blob).size} of them the program; Node ${process.version}`,
)

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: 'ignore' })
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}`)
}

/** The licence texts that have to be distributed with the file. */
function licences() {
  const known = readFileSync('THIRD_PARTY_LICENSES', 'utf8')
  const parts = [...bundled].flatMap((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    if (known.includes(`\n${name} ${version} (`)) return []
    const files = readdirSync(path).filter((one) => /^(?:licen[cs]e|notice)/i.test(one))
    // Some packages under Apache-2.0 have no licence file. Other packages include that text.
    if (files.length === 0 && license !== 'Apache-2.0') throw new Error(`expected a licence in ${path}, found none`)
    const texts = files.map((one) => readFileSync(join(path, one), 'utf8').trim())
    return [[`${name} ${version} (${license})`, ...texts].join('\n\n')]
  })
  const node = `Node.js ${process.version}: its licence, and those of what it contains, are the file LICENSE of that release of nodejs/node.`
  return `${[readFileSync('LICENSE', 'utf8').trim(), node, known.trim(), ...parts.sort()].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
