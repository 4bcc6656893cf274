import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { env, execPath } from 'node:process'

/**
 * Chromium from the npm package @sparticuz/chromium, which also brings the libraries that it needs. It has 70 MB, so `.ci/run`
 * installs it only for these tests.
 */
export const HOME = resolve('build/chromium')
const UNPACKED = join(HOME, 'unpacked')

/** Unpacks the package. It writes to the folder for temporary files, and unpacks the libraries only if it seems to run in AWS Lambda. */
function unpacked() {
  mkdirSync(UNPACKED, { recursive: true })
  const script = "import chromium from '@sparticuz/chromium'; console.log(await chromium.executablePath())"
  const options = { cwd: HOME, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  const machine = { TMPDIR: UNPACKED, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
  return execFileSync(execPath, ['--input-type=module', '--eval', script], {
    ...options,
    env: { ...env, ...machine },
  }).trim()
}

export const program = unpacked()
const FONTS = ['/etc/fonts', join(UNPACKED, 'fonts')].find((folder) => existsSync(folder))
/** Environment variables that name the folders of its libraries and fonts. */
export const environment = { ...env, LD_LIBRARY_PATH: join(UNPACKED, 'al2023/lib'), FONTCONFIG_PATH: FONTS }
