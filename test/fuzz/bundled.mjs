import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGE = 'tiledb-inspect'

/** Replaces `import.meta.url` by the URL of the module, because the bundle has another one. */
const ownUrl = {
  name: 'own-url',
  transform: (code, id) =>
    id.startsWith(ROOT) && code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : undefined,
}

/**
 * Bundles a TypeScript module of this folder with all that it needs, and imports the bundle. To load each module by itself would take
 * half of the fuzzer's time.
 * @param {string} name file name in this folder
 * @param {object[]} [plugins] plugins of the bundler
 */
export async function bundled(name, plugins = []) {
  const build = await rolldown({
    input: fileURLToPath(new URL(name, import.meta.url)),
    platform: 'node',
    // Packages are not bundled, but for this one.
    external: (id) => /^[^./\0]/.test(id) && id !== PACKAGE,
    resolve: { alias: { [PACKAGE]: join(ROOT, 'src/index.ts') } },
    plugins: [ownUrl, ...plugins],
    onLog: () => {},
  })
  // Inside the repository, so that imports of packages resolve.
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
