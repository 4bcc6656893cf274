import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { transformSync } from 'rolldown/utils'

/*
 * Loads TypeScript modules in the thread that runs the tests. Node's own loader hooks run in a second thread, and the first one waits
 * for it: of 25 runs of all tests with Node 20, three waited forever. This loader needs `node --experimental-vm-modules`.
 */

const ROOT = new URL('../..', import.meta.url).href
const PACKAGE_ENTRY = /^tiledb-inspect(?:\/(format|browser))?$/
const TEST_FUNCTIONS = new URL('./jest-globals.mjs', import.meta.url).href

if (!vm.SourceTextModule)
  throw new Error('run the tests with `npm test`, which gives Node the option --experimental-vm-modules')

/** Modules by URL. Each is loaded once per process. */
const modules = new Map()
/** Resolves when the last graph is linked. Two graphs that share a module must not be linked at the same time. */
let lastLink = Promise.resolve()

/** Imports a module and all that it imports. Returns its exports. */
export async function importModule(url, attributes) {
  const module = await evaluatedModule(url, attributes)
  return module.namespace
}

async function evaluatedModule(url, attributes) {
  const linked = lastLink.then(async () => {
    const module = await load(url, attributes)
    if (module.status === 'unlinked') await module.link(loadImport)
    return module
  })
  lastLink = linked.catch(() => {})
  const module = await linked
  await module.evaluate()
  return module
}

function loadImport(specifier, { identifier }, { attributes }) {
  return load(resolve(specifier, identifier), attributes)
}

function resolve(specifier, from) {
  if (specifier === '@jest/globals') return TEST_FUNCTIONS
  const entry = PACKAGE_ENTRY.exec(specifier)
  if (entry) return new URL(`src/${entry[1] ?? 'index'}.ts`, ROOT).href
  return specifier.startsWith('.') ? new URL(specifier, from).href : specifier
}

function load(url, attributes) {
  const known = modules.get(url)
  if (known) return known
  const isOwn = url.startsWith(ROOT) && !url.includes('/node_modules/') && attributes?.type === undefined
  const module = isOwn ? sourceModule(url) : nativeModule(url, attributes)
  modules.set(url, module)
  return module
}

function sourceModule(url) {
  const path = fileURLToPath(url)
  const text = readFileSync(path, 'utf8')
  return new vm.SourceTextModule(url.endsWith('.ts') ? javaScript(path, text) : text, {
    identifier: url,
    initializeImportMeta(meta) {
      meta.url = url
      meta.filename = path
      meta.dirname = dirname(path)
      meta.resolve = (specifier) => {
        const resolved = resolve(specifier, url)
        return resolved.includes(':') ? resolved : pathToFileURL(createRequire(url).resolve(resolved)).href
      }
    },
    importModuleDynamically: (specifier, _, attributes) => evaluatedModule(resolve(specifier, url), attributes),
  })
}

function javaScript(path, text) {
  const { code, errors } = transformSync(path, text)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return code
}

/** A module that Node loads itself: one of its own, of a package, or JSON. */
async function nativeModule(url, attributes) {
  const namespace = await import(url, { with: attributes })
  const names = Object.keys(namespace)
  const module = new vm.SyntheticModule(
    names,
    () => {
      for (const name of names) module.setExport(name, namespace[name])
    },
    { identifier: url },
  )
  return module
}
