import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGE = 'tiledb-inspect'

/** A module's own place, which it loses in the bundle. */
const ownPlace = {
  name: 'own-place',
  transform: (code, id) =>
    id.startsWith(ROOT) && code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : undefined,
}

/**
 * A TypeScript module of this folder and all that it imports as one script, run. An `import()` through a loader in TypeScript's way
 * takes half of a fuzzer's time.
 * @param {string} name file name in this folder
 * @param {object[]} [plugins] of the bundler
 */
export async function bundled(name, plugins = []) {
  const build = await rolldown({
    input: fileURLToPath(new URL(name, import.meta.url)),
    platform: 'node',
    external: (id) => /^[^./\0]/.test(id) && id !== PACKAGE,
    resolve: { alias: { [PACKAGE]: join(ROOT, 'src/index.ts') } },
    plugins: [ownPlace, ...plugins],
    onLog: () => {},
  })
  // Below the root: packages are found from there.
  mkdirSync(join(ROOT, 'build'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, 'build/fuzz-'))
  try {
    await build.write({ file: join(folder, 'bundle.mjs'), format: 'esm', codeSplitting: false })
    await build.close()
    return await import(pathToFileURL(join(folder, 'bundle.mjs')).href)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
