import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'
import { copyProgram } from '../tools/copy-program.mjs'

/** Builds the extension into vscode/out: its two scripts, and the program. Needs `npm run build` of the project before. */

const HERE = import.meta.dirname
const OUT = join(HERE, 'out')
process.chdir(resolve(HERE, '..'))

rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
// For the package.
mkdirSync('build/vscode', { recursive: true })
const common = { bundle: true, minify: true, logLevel: 'warning', charset: 'utf8' }
await build({
  ...common,
  entryPoints: [join(HERE, 'src/extension.ts')],
  outfile: join(OUT, 'extension.cjs'),
  platform: 'node',
  format: 'cjs',
  target: 'node18',
  external: ['vscode'],
})
await build({
  ...common,
  entryPoints: [join(HERE, 'src/webview.ts')],
  outfile: join(OUT, 'webview.js'),
  format: 'iife',
  target: 'chrome110',
})
await copyProgram(join(OUT, 'program'), join(HERE, 'THIRD_PARTY_LICENSES'))
copyFileSync('LICENSE', join(HERE, 'LICENSE'))
