import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { copyProgram } from '../tools/copy-program.mjs'

/**
 * `npm run wheel`: puts the built program and what it needs into the Python package, and makes its wheel in build/wheel. Needs `npm run
 * build` before, and a Python with pip, which fetches the build backend: $PYTHON, or python3.
 */

const ROOT = resolve(import.meta.dirname, '..')
const PROGRAM = join(ROOT, 'python/tiledb_inspect/program')
process.chdir(ROOT)

await copyProgram(PROGRAM, 'python/THIRD_PARTY_LICENSES')
cpSync('dist/page/widget.js', join(PROGRAM, 'dist/page/widget.js'))
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
