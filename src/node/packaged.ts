import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Worker, WorkerOptions } from 'node:worker_threads'

/**
 * Files that the program needs beside its scripts. They are where npm put them. In the single executable
 * (executable/build.mjs) they are assets with the same names.
 */

/** Name of the asset that loads the scripts of the single executable. */
const LOADER = 'loader.cjs'

/** The assets of the single executable; undefined if this is not one. */
function assets(): typeof import('node:sea') | undefined {
  const sea = process.getBuiltinModule('node:sea')
  return sea?.isSea() ? sea : undefined
}

/** The bytes of an asset; undefined if there is none with this name. */
function assetBytes(name: string): Uint8Array<ArrayBuffer> | undefined {
  const asset = assets()?.getAsset(name)
  return asset && new Uint8Array(asset)
}

/** A file of a package, by its specifier: `package/folder/name.wasm`. */
export function packagedBytes(specifier: string): Uint8Array<ArrayBuffer> {
  return assetBytes(specifier) ?? new Uint8Array(readFileSync(createRequire(import.meta.url).resolve(specifier)))
}

/** {@link packagedBytes} for a package that exports only its entry. The file must be beside the entry. */
export function bytesBesideEntry(specifier: string): Uint8Array<ArrayBuffer> {
  const asset = assetBytes(specifier)
  if (asset) return asset
  const [scope, name, ...path] = specifier.split('/')
  const entry = createRequire(import.meta.url).resolve(`${scope}/${name}`)
  return new Uint8Array(readFileSync(join(dirname(entry), path[path.length - 1])))
}

/** A file that the build makes, by its path in dist/; undefined if it was not built. */
export function builtBytes(path: string): Uint8Array | undefined {
  const asset = assetBytes(path)
  if (asset) return asset
  // The folders as seen from the built program and from the sources.
  for (const folder of ['../', '../../dist/']) {
    try {
      return readFileSync(fileURLToPath(new URL(folder + path, import.meta.url)))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  return undefined
}

/** A thread that runs a script of the built program. */
export function scriptThread(name: string, options: WorkerOptions): Worker {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const sea = assets()
  if (!sea) return new Worker(join(__dirname, name), options)
  return new Worker(`${sea.getAsset(LOADER, 'utf8')}\nload('${name}')`, { ...options, eval: true })
}
