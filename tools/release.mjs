import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'

/**
 * `npm run release`: makes all that a release has in build/release: the package of npm, the wheel, the executable of this system, and
 * SHA256SUMS, which `sha256sum --check` reads. Needs a Python with pip, as `npm run wheel` does.
 */
export const RELEASE = 'build/release'

/** What is made: a command, and the files that it leaves. @param version of package.json */
export function partsOf(version, { platform, arch }) {
  const executable = platform === 'win32' ? 'tiledb-inspect.exe' : 'tiledb-inspect'
  return [
    {
      command: ['npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', RELEASE],
      files: { [`${RELEASE}/tiledb-inspect-${version}.tgz`]: `tiledb-inspect-${version}.tgz` },
    },
    {
      command: [process.execPath, 'python/build.mjs'],
      files: {
        [`build/wheel/tiledb_inspect-${version}-py3-none-any.whl`]: `tiledb_inspect-${version}-py3-none-any.whl`,
      },
    },
    {
      command: [process.execPath, 'executable/build.mjs'],
      files: {
        [`build/executable/${executable}`]: `${executable.replace('tiledb-inspect', `tiledb-inspect-${version}-${platform}-${arch}`)}`,
        'build/executable/LICENSES': `tiledb-inspect-${version}-${platform}-${arch}-LICENSES`,
      },
    },
  ]
}

/** The text of SHA256SUMS about the files of a folder, by name. */
export function sumsOf(folder) {
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS')
  const line = (name) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')}  ${name}\n`
  return names.sort().map(line).join('')
}

function release() {
  process.chdir(join(import.meta.dirname, '..'))
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  rmSync(RELEASE, { recursive: true, force: true })
  mkdirSync(RELEASE, { recursive: true })
  for (const { command, files } of partsOf(version, process)) {
    const [program, ...args] = command
    const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error(`${[basename(program), ...args].join(' ')} ended with ${status}`)
    for (const [file, name] of Object.entries(files))
      if (file !== join(RELEASE, name)) copyFileSync(file, join(RELEASE, name))
  }
  writeFileSync(join(RELEASE, 'SHA256SUMS'), sumsOf(RELEASE))
  process.stdout.write(readFileSync(join(RELEASE, 'SHA256SUMS')))
}

if (process.argv[1] === import.meta.filename) release()
