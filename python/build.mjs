import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { rolldown } from 'rolldown'
import { licences } from '../tools/build-licences.mjs'

/**
 * `npm run wheel`: puts the built program and what it needs into the Python package, and makes its wheel in build/wheel. Needs `npm run
 * build` before, and a Python with pip, which fetches the build backend: $PYTHON, or python3.
 *
 * The program is dist/cli as npm's package has it. Modules of its dependencies become one file each, below the names by which the program
 * asks for them; of wasm files only those are taken that it names.
 */

const ROOT = resolve(import.meta.dirname, '..')
const PROGRAM = join(ROOT, 'python/tiledb_inspect/program')
process.chdir(ROOT)

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const scripts = readdirSync('dist/cli').filter((name) => name.endsWith('.cjs'))

/** What the program asks for by a package's name: modules and wasm files. */
function specifiers() {
  const named = new RegExp(`["'\`]((?:${Object.keys(dependencies).join('|')})(?:/[\\w./-]+)?)["'\`]`, 'g')
  const texts = scripts.map((name) => readFileSync(join('dist/cli', name), 'utf8'))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(named)].map(([, specifier]) => specifier)))]
}

const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

async function bundleModules(modules, folder) {
  const build = await rolldown({
    input: Object.fromEntries(modules.map((name) => [name.replace(/\.js$/, ''), name])),
    platform: 'node',
  })
  await build.write({
    dir: folder,
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    minify: true,
  })
  await build.close()
}

/** Some packages let nothing be found but their entry: so the file is that. */
function copyWasm(file, folder) {
  const name = packageOf(file)
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  cpSync(join('node_modules', file), join(folder, file))
  writeFileSync(join(folder, name, 'package.json'), `${JSON.stringify({ main: file.slice(name.length + 1) })}\n`)
}

rmSync(PROGRAM, { recursive: true, force: true })
for (const name of scripts) cpSync(join('dist/cli', name), join(PROGRAM, 'dist/cli', name))
for (const name of ['page.pack', 'widget.js']) cpSync(join('dist/page', name), join(PROGRAM, 'dist/page', name))
cpSync('bin', join(PROGRAM, 'bin'), { recursive: true })

const wanted = specifiers()
const [wasm, modules] = [true, false].map((is) => wanted.filter((name) => name.endsWith('.wasm') === is))
await bundleModules(modules, join(PROGRAM, 'node_modules'))
for (const file of wasm) copyWasm(file, join(PROGRAM, 'node_modules'))

const taken = [...new Set(wanted.map(packageOf))].map((name) => join('node_modules', name))
const inDist = readFileSync('THIRD_PARTY_LICENSES', 'utf8').trimEnd()
const [, ...inNodeModules] = licences(taken).split(/(?=\n\n-{80}\n\n)/)
writeFileSync('python/THIRD_PARTY_LICENSES', inDist + inNodeModules.join(''))
cpSync('LICENSE', 'python/LICENSE')

rmSync('build/wheel', { recursive: true, force: true })
const pip = [
  '-m',
  'pip',
  'wheel',
  '--quiet',
  '--disable-pip-version-check',
  '--no-deps',
  './python',
  '-w',
  'build/wheel',
]
const { status } = spawnSync(process.env.PYTHON ?? 'python3', pip, { stdio: 'inherit' })
process.exit(status ?? 1)
