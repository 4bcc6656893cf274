import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { licences } from './build-licences.mjs'

/**
 * Copies the built program and what it needs into another package: the wheel for Python, and the extension of VS Code.
 *
 * The program is dist/cli as npm's package has it. Modules of its dependencies become one file each, below the names by which the program
 * asks for them; of wasm files only those are taken that it names.
 */

const ROOT = resolve(import.meta.dirname, '..')
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const scripts = readdirSync(join(ROOT, 'dist/cli')).filter((name) => name.endsWith('.cjs'))

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

/** To be called in the folder of the project. @param folder where it goes; what is there is replaced @param licencesFile the file that gets the licences */
export async function copyProgram(folder, licencesFile) {
  rmSync(folder, { recursive: true, force: true })
  for (const name of scripts) cpSync(join('dist/cli', name), join(folder, 'dist/cli', name))
  cpSync('dist/page/page.pack', join(folder, 'dist/page/page.pack'))
  cpSync('bin', join(folder, 'bin'), { recursive: true })

  const wanted = specifiers()
  const [wasm, modules] = [true, false].map((is) => wanted.filter((name) => name.endsWith('.wasm') === is))
  await bundleModules(modules, join(folder, 'node_modules'))
  for (const file of wasm) copyWasm(file, join(folder, 'node_modules'))

  const taken = [...new Set(wanted.map(packageOf))].map((name) => join('node_modules', name))
  const inDist = readFileSync('THIRD_PARTY_LICENSES', 'utf8').trimEnd()
  const [, ...inNodeModules] = licences(taken).split(/(?=\n\n-{80}\n\n)/)
  writeFileSync(licencesFile, inDist + inNodeModules.join(''))
}
