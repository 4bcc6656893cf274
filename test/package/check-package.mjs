/**
 * Packs the package, installs the tarball into an empty folder, and uses it there: the program on an example array, and the library
 * from JavaScript, from TypeScript and from a page that a bundler makes. Exits with 1 if anything is wrong.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { decompress, init } from '@bokuweb/zstd-wasm'
import { build as esbuild } from 'esbuild'
import { rolldown } from 'rolldown'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tiledb-inspect-package-'))
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

const ALLOWED = /^(bin\/|dist\/|schemas\/|examples\/|README\.md$|LICENSE$|THIRD_PARTY_LICENSES$|package\.json$)/

function check(ok, what) {
  if (!ok) throw new Error(what)
}

/** The code of a script without its comments, which name packages, too. */
const codeOf = (path) => readFileSync(path, 'utf8').replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '')

/** The package that an import names; undefined for files and for modules of Node. */
function packageOf(specifier) {
  if (/^[./#]/.test(specifier) || isBuiltin(specifier)) return undefined
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Checks that the published dependencies are exactly the packages that dist/ loads. */
async function checkDependencies(files, { dependencies, optionalDependencies }) {
  const scripts = files.map(({ path }) => join(root, path)).filter((path) => /\/dist\/.*js$/.test(path))
  const loaded = new Set()
  const note = {
    name: 'note',
    resolveId(id, importer) {
      const name = importer && packageOf(id)
      if (name === undefined) return undefined
      loaded.add(name)
      return { id, external: true }
    },
  }
  const build = await rolldown({ input: scripts, platform: 'node', plugins: [note], onLog: () => {} })
  await build.generate()
  await build.close()
  for (const script of scripts)
    for (const [, file] of codeOf(script).matchAll(/["'`]([@a-z][\w./@-]*\/[\w.-]+\.wasm)["'`]/g))
      loaded.add(packageOf(file))
  const [found, wanted] = [Object.keys({ ...dependencies, ...optionalDependencies }), [...loaded]].map((names) =>
    names.sort().join(', '),
  )
  check(found === wanted, `expected the dependencies that dist/ loads, ${wanted}; found ${found}`)
}

/** Checks that the licence of every bundled package is there. Bundled is what the sources import and the package does not depend on. */
function checkLicences({ dependencies, optionalDependencies }) {
  const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => /(?<!\.d)\.tsx?$/.test(name))
  const text = sources.map((name) => readFileSync(join(root, 'src', name), 'utf8')).join('\n')
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const lockOf = (name) => packages[`node_modules/${name}`]
  const published = { ...dependencies, ...optionalDependencies }
  const imported = [...text.matchAll(/\b(?:from|import) ?\(?'([^' ]+)'/g)].map(([, specifier]) => packageOf(specifier))
  // Some words in messages look like imports. They name no package.
  const bundled = new Set(imported.filter((name) => lockOf(name) && !(name in published)))
  for (const name of bundled) for (const below of Object.keys(lockOf(name).dependencies ?? {})) bundled.add(below)
  // The build packs the wasm files of these packages into scripts.
  for (const name of ['@foxglove/wasm-zstd', 'bzip2-wasm', '@jsquash/webp']) bundled.add(name)
  check(bundled.size > 4, `expected packages that are bundled, found only ${[...bundled]}`)
  const licences = readFileSync(join(folder, 'node_modules/tiledb-inspect/THIRD_PARTY_LICENSES'), 'utf8').split(
    /^-{80}$/m,
  )
  for (const name of bundled) {
    const isIn = (part) =>
      part
        .trim()
        .split('\n\n', 1)[0]
        .split('\n')
        .some((line) => line.startsWith(`${name} `))
    const one = licences.find(isIn) ?? ''
    check(/\bcopyright\b/i.test(one), `expected the licence of ${name} in THIRD_PARTY_LICENSES, found none`)
  }
}

/** Compiles the types strictly, without the types of Node or of browsers, with both ways of module resolution. */
function checkTypes() {
  writeFileSync(
    join(folder, 'types.ts'),
    `import { type InspectArray, InspectError, openArray, type OpenOptions, readArray, readCells } from 'tiledb-inspect'
     import { MemoryStorage, openArray as openInPage, openCells, type Storage } from 'tiledb-inspect/browser'
     import { type ArraySchema, arraySchema, decode, type Describe, type Io, trace } from 'tiledb-inspect/format'

     export async function names(path: string, options: OpenOptions): Promise<string[]> {
       const array: InspectArray = await openArray(path, { ...options, signRequests: false })
       const [{ path: first }] = await array.fragments()
       const found: string[] = []
       for await (const row of readCells(array.fragment(first), { raw: true })) found.push(String(row['name']))
       return found
     }
     export async function inPage(files: Map<string, Uint8Array>): Promise<number> {
       const storage: Storage = new MemoryStorage(files)
       const array = await openInPage('/array', { storage })
       const cells = await openCells(array.fragment('__fragments/__1'), { fields: ['a'] })
       return cells.columns.length
     }
     export const schemaOf = (bytes: Uint8Array): ArraySchema => decode(bytes, arraySchema)
     export const spans = (bytes: Uint8Array) => trace(bytes, arraySchema, 'schema').root.children?.map(({ about }) => about)
     export const pair: Describe<{ a: number }> = (io: Io<{ a: number }>) => ({ a: io.u32('a', 'cells') })
     // @ts-expect-error shows that the schema is typed
     export const wrong = (schema: ArraySchema) => schema.attribute
     export async function misspelt(path: string) {
       // @ts-expect-error no such option
       const array = await openArray(path, { keys: 'k' })
       // @ts-expect-error no such option
       await readArray(array, { filds: ['a'] })
       // @ts-expect-error no such order
       await readArray(array, { order: 'rowmajor' })
       // @ts-expect-error no time
       await readArray(array, { asOf: '2024-05-01' })
       // @ts-expect-error no list of names
       await readArray(array, { fields: 'a' })
       // @ts-expect-error a path, no number
       await openArray(5)
       const [entry] = await array.fragments()
       // @ts-expect-error no such state
       return entry.state === 'alive' || entry.nmae
     }
     export const code = new InspectError('USAGE', 'wrong').code satisfies string`,
  )
  writeFileSync(
    join(folder, 'page.ts'),
    `import { folderStorage, type Storage } from 'tiledb-inspect/browser'

     export const dropped = (handle: FileSystemDirectoryHandle): Storage => folderStorage(handle)
     export const chosen = (input: HTMLInputElement): Storage => folderStorage(input.files ?? [])`,
  )
  for (const [module, moduleResolution, file, lib] of [
    ['esnext', 'bundler', 'types.ts', ['es2023']],
    ['node16', 'node16', 'types.ts', ['es2023']],
    ['esnext', 'bundler', 'page.ts', ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable']],
  ]) {
    const options = {
      module,
      moduleResolution,
      target: 'es2022',
      lib,
      types: [],
      strict: true,
      noEmit: true,
    }
    const compilerOptions = { ...options, skipLibCheck: false, exactOptionalPropertyTypes: true }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
    run('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
  }
}

/** Checks that a bundler for pages finds no module of Node in the entries for browsers, nor in what they load later. */
async function checkBrowserEntries() {
  for (const entry of ['browser', 'format']) {
    const input = join(folder, `${entry}.js`)
    writeFileSync(input, `export * from 'tiledb-inspect/${entry}'`)
    const build = await rolldown({ input, platform: 'browser', onLog: () => {} })
    const { output } = await build.generate({ format: 'esm' })
    await build.close()
    const found = output.flatMap(({ code = '' }) => code.match(/["'`]node:[a-z/_]+["'`]/g) ?? [])
    check(found.length === 0, `expected no module of Node in tiledb-inspect/${entry}, found ${found}`)
  }
}

/** Limit on the size of the unpacked package. 2 MB of it are compiled code, which makes the program start faster; 0.4 MB are the page, 2 MB the library, which can be read, and its maps. */
const MAX_BYTES = 7_650_000
/** Limit on the compressed size of the whole page of `page`, without data. A served page begins with less: test/page/command.test.ts. */
const MAX_EMPTY_PAGE_BYTES = 387 * 1024

/** The texts of the scripts of the page, from the file of the package. src/commands/page-html.ts describes it. */
async function packedScripts() {
  await init()
  const pack = readFileSync(join(root, 'dist/page/page.pack'))
  const end = pack.indexOf(0x0a)
  const [html, ...groups] = JSON.parse(pack.subarray(0, end).toString())
  let at = end + 1 + html.size
  return groups.flatMap(({ size, scripts }) => {
    const text = Buffer.from(decompress(pack.subarray(at, at + size))).toString()
    at += size
    let from = 0
    return scripts.map(([, length]) => {
      from += length
      return text.slice(from - length, from)
    })
  })
}

/** Checks that the page is stored once, as one file. Its policy allows only its own scripts and style. */
async function checkPage(files) {
  const stored = files.map(({ path }) => path).filter((path) => path.startsWith('dist/page/'))
  check(String(stored) === 'dist/page/page.pack', `expected dist/page/page.pack, found ${stored}`)
  run('npx', ['tiledb-inspect', 'page', '-o', 'page.html'])
  const page = readFileSync(join(folder, 'page.html'), 'utf8')
  check(
    page === readFileSync(join(root, 'dist/page/index.html'), 'utf8'),
    'expected the page that was built, found another',
  )
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const inside = (tag) => page.slice(page.lastIndexOf(`<${tag}>`) + tag.length + 2, page.lastIndexOf(`</${tag}>`))
  const scripts = [inside('script'), ...(await packedScripts())].map(hash).join(' ')
  const policy = `default-src 'none'; script-src ${scripts} 'wasm-unsafe-eval'; style-src ${hash(inside('style'))}; `
  check(page.includes(`content="${policy}`), `expected the policy ${policy}, found another`)
  const bytes = gzipSync(page, { level: 9 }).length
  check(bytes <= MAX_EMPTY_PAGE_BYTES, `expected at most ${MAX_EMPTY_PAGE_BYTES} bytes for page, found ${bytes}`)
  return bytes
}

/** Checks that the entries for browsers work as they are from a server of plain files: their files import only files beside them. */
function checkPlainFiles() {
  const lib = join(root, 'dist/lib')
  const files = new Set(['browser.js', 'format.js'])
  for (const file of files) {
    const code = codeOf(join(lib, file))
    for (const [, from] of code.matchAll(/(?:^(?:import|export)\b[^'"`;]*?|\bimport\()["'`]([^"'`]+)["'`]/gm)) {
      check(/^\.\/[\w.-]+\.js$/.test(from), `expected ${file} to import only files beside it, found ${from}`)
      files.add(from.slice(2))
    }
  }
  check(files.size > 15, `expected the files of codecs among those that browser.js imports, found ${[...files]}`)
}

/** Checks that a program that catches no error shows its message with the path, also in a pipe, and no code of the library but one line. */
function checkUncaught() {
  writeFileSync(join(folder, 'uncaught.js'), `import { openArray } from 'tiledb-inspect'\nawait openArray('nowhere')`)
  const { stderr, status } = spawnSync('node', ['uncaught.js'], { cwd: folder, encoding: 'utf8' })
  const isRight = status === 1 && /^InspectError: nowhere: no such file or folder$/m.test(stderr)
  check(isRight && stderr.length < 2000, `expected an error that nobody catches in a few lines, found ${stderr}`)
}

/** Compiles the programs of docs/library.md as strictly as TypeScript can, as JavaScript. */
function checkPrograms() {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8')
  const programs = Array.from(page.matchAll(/^```js(?: page)?\n(.*?)^```$/gms), ([, program]) => program)
  check(programs.length > 7, `expected the programs of docs/library.md, found ${programs.length}`)
  const names = programs.map((_, i) => `program-${i}.mjs`)
  for (const [i, program] of programs.entries()) writeFileSync(join(folder, names[i]), program)
  // Types of Node, and of the library for Arrow that one of the programs uses.
  for (const name of ['@types', 'undici-types', '@uwdata'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const lib = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable']
  const types = { types: ['node'], skipLibCheck: true, module: 'node16', moduleResolution: 'node16' }
  const compilerOptions = { ...types, lib, target: 'es2023', strict: true, allowJs: true, checkJs: true, noEmit: true }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }))
  run('node', [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
}

/** Limit on what a page loads at first: the entry without codecs, minified and compressed. */
const MAX_PAGE_BYTES = 120_000
/** Packages and wasm files that a page loads only if a filter needs them. */
const CODECS = ['gzip', 'lz4', 'sha2', 'legacy', 'aes-gcm', 'webp'].map((name) => `lib/${name}-`)

/** Bundles for a page with esbuild, as its manual says. Checks that nothing of Node is inside, and that each codec has its own chunk. */
async function checkBrowserSize() {
  const { outputFiles, metafile } = await esbuild({
    stdin: { contents: "export * from 'tiledb-inspect/browser'", resolveDir: folder },
    absWorkingDir: folder,
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    write: false,
  })
  const { outputs } = metafile
  const left = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external))
  check(left.length === 0, `expected a bundle without imports, found ${left.map(({ path }) => path)}`)
  const [entry] = Object.keys(outputs).filter((name) => outputs[name].entryPoint === '<stdin>')
  const atFirst = new Set([entry])
  for (const name of atFirst)
    for (const { path, kind } of outputs[name].imports) if (kind === 'import-statement') atFirst.add(path)
  const packed = Object.keys(metafile.inputs).filter((file) => /\.wasm-/.test(file))
  check(packed.length === 3, `expected the files of ZSTD, BZIP2 and WEBP, found ${packed}`)
  for (const part of [...CODECS, ...packed]) {
    const [chunk, ...more] = Object.keys(outputs).filter((name) =>
      Object.keys(outputs[name].inputs).some((file) => file.includes(part)),
    )
    check(chunk !== undefined, `expected a chunk with ${part}, found none`)
    const first = [chunk, ...more].filter((name) => atFirst.has(name))
    check(first.length === 0, `expected ${part} to be loaded when a filter needs it, found it in ${first}`)
  }
  const bytes = outputFiles
    .filter(({ path }) => [...atFirst].some((name) => path.endsWith(name)))
    .reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)
  check(bytes <= MAX_PAGE_BYTES, `expected at most ${MAX_PAGE_BYTES} bytes for a page, found ${bytes}`)
  return bytes
}

try {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root))
  const unwanted = packed.files.map(({ path }) => path).filter((path) => !ALLOWED.test(path))
  check(unwanted.length === 0, `unwanted files in the package: ${unwanted.join(', ')}`)
  check(packed.unpackedSize < MAX_BYTES, `expected at most ${MAX_BYTES} bytes unpacked, found ${packed.unpackedSize}`)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, packed.filename)])

  for (const part of ['cli', 'lib']) {
    const kernels = packed.files.some(({ path, size }) => path.startsWith(`dist/${part}/binary`) && size > 5000)
    check(kernels, `expected the kernels' code in dist/${part}, found none`)
  }

  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await checkDependencies(packed.files, manifest)
  checkLicences(manifest)
  checkTypes()
  checkPrograms()
  checkUncaught()
  checkPlainFiles()
  await checkBrowserEntries()
  const pageBytes = await checkBrowserSize()
  const emptyPageBytes = await checkPage(packed.files)

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
  const picture = join(root, 'test/fixtures/22/filter_webp')
  const pixels = run('npx', ['tiledb-inspect', 'decode', '--format', 'ndjson', '--all-fragments', picture])
    .trim()
    .split('\n')
  check(pixels.length > 40, `expected the cells of a WebP picture, found ${pixels.length}`)

  writeFileSync(
    join(folder, 'use.js'),
    `import { createRequire } from 'node:module'
     import { InspectError, openArray, openFragment } from 'tiledb-inspect'
     import * as browser from 'tiledb-inspect/browser'
     import * as format from 'tiledb-inspect/format'
     const array = await openArray(${JSON.stringify(array)})
     const [entry] = await array.fragments()
     const fragment = await openFragment(${JSON.stringify(fragment)})
     createRequire(import.meta.url)('tiledb-inspect/schemas/footer.json')
     const webp = await openArray(${JSON.stringify(join(root, 'test/fixtures/22/filter_webp'))})
     const [{ path }] = await webp.fragments()
     const { done } = await browser.readCells(webp.fragment(path)).next()
     const inside = await import('tiledb-inspect/dist/lib/index.js').catch(({ code }) => code)
     const same = [browser, format].every((entry) => entry.InspectError === InspectError)
     console.log(entry.state, (await fragment.info()).tile_num, done, same, inside)`,
  )
  const used = run('node', ['use.js']).trim()
  const wanted = 'live 5 false true ERR_PACKAGE_PATH_NOT_EXPORTED'
  check(used === wanted, `expected the library to print "${wanted}", found ${JSON.stringify(used)}`)
  copyFileSync(join(root, 'examples/node/fragments.js'), join(folder, 'fragments.js'))
  const shown = run('node', ['fragments.js', array, '1'])
  check(shown.includes('"name":"Buenos Aires"'), `expected the example to print the first cell, found ${shown}`)
  console.log(
    `package: ${packed.files.length} files, ${packed.unpackedSize} bytes unpacked, ${pageBytes} for a page of the library, ${emptyPageBytes} for that of page`,
  )
} catch (error) {
  console.error(String(error), error.stdout ?? '')
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
