import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rolldown } from 'rolldown'

/**
 * Builds dist/: `cli` (CommonJS, because Node starts it faster than ES modules; one chunk a command), `lib` (the ES module
 * that `import 'tiledb-inspect'` gives) and `types`.
 */

/** Left in node_modules: large, loaded only when a filter needs them, or ES modules with assets of their own. */
const external = [/^node:/, /^@noble\//, 'pako', 'lz4js', 'zstd-codec', 'ora', /^@jsquash\//, /zstd/, /bz/, /arrow|flechette/]

rmSync('dist', { recursive: true, force: true })

async function bundle(input, output) {
  const build = await rolldown({ input, external, platform: 'node', onLog: (level, log) => level === 'warn' && console.warn(log.message) })
  await build.write(output)
  await build.close()
}

await bundle('src/main.ts', {
  dir: 'dist/cli',
  format: 'cjs',
  entryFileNames: 'main.cjs',
  chunkFileNames: '[name]-[hash].cjs',
  minify: false,
})
await bundle('src/index.ts', { dir: 'dist/lib', format: 'esm', entryFileNames: 'index.js', chunkFileNames: '[name]-[hash].js' })

const types = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (types.status !== 0) process.exit(1)
