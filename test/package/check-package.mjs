/**
 * Packs the package, installs the tarball into an empty folder, and uses it there as a newcomer would: the program on an
 * example array, and the library. Exits with 1 where anything is not as it should be.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tiledb-inspect-package-'))
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

const ALLOWED = /^(bin\/|dist\/|schemas\/|examples\/|README\.md$|CHANGELOG\.md$|LICENSE$|package\.json$)/

function check(ok, what) {
  if (!ok) throw new Error(what)
}

try {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root))
  const unwanted = packed.files.map(({ path }) => path).filter((path) => !ALLOWED.test(path))
  check(unwanted.length === 0, `unwanted files in the package: ${unwanted.join(', ')}`)
  check(packed.unpackedSize < 3_000_000, `expected at most 3 MB unpacked, found ${packed.unpackedSize}`)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, packed.filename)])

  for (const part of ['cli', 'lib']) {
    const kernels = packed.files.some(({ path, size }) => path.startsWith(`dist/${part}/binary`) && size > 5000)
    check(kernels, `expected the kernels' code in dist/${part}, found none`)
  }

  const flags = packed.files.filter(
    ({ path }) => path.startsWith('dist/lib/') && readFileSync(join(root, path), 'utf8').includes('setFlagsFromString'),
  )
  check(
    flags.length === 0,
    `expected a library that sets no flags of V8, found some in ${flags.map(({ path }) => path)}`,
  )

  const array = join(root, 'examples/arrays/places')
  const fragment = join(array, '__fragments', readdirSync(join(array, '__fragments'))[0])
  const footer = JSON.parse(run('npx', ['tiledb-inspect', 'footer', '--json', fragment]))
  check(footer.format_version === 22, `expected format version 22, found ${footer.format_version}`)
  const rows = run('npx', ['tiledb-inspect', 'decode', '--format', 'ndjson', fragment]).trim().split('\n')
  check(rows.length === 40, `expected 40 cells, found ${rows.length}`)

  writeFileSync(
    join(folder, 'use.js'),
    `import { createRequire } from 'node:module'
     import { openArray, openFragment } from 'tiledb-inspect'
     const array = await openArray(${JSON.stringify(array)})
     const [entry] = await array.fragments()
     const fragment = await openFragment(${JSON.stringify(fragment)})
     createRequire(import.meta.url)('tiledb-inspect/schemas/footer.json')
     console.log(entry.state, (await fragment.info()).tile_num)`,
  )
  const used = run('node', ['use.js']).trim()
  check(used === 'live 5', `expected the library to print "live 5", found ${JSON.stringify(used)}`)
  copyFileSync(join(root, 'examples/node/fragments.js'), join(folder, 'fragments.js'))
  const shown = run('node', ['fragments.js', array, '1'])
  check(shown.includes('"name":"Buenos Aires"'), `expected the example to print the first cell, found ${shown}`)
  console.log(`package: ${packed.files.length} files, ${packed.unpackedSize} bytes unpacked`)
} catch (error) {
  console.error(String(error))
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
