import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'

/** The files below src/ that are made of others: kernels, and wasm files as text. git ignores them, and much of src/ imports them. */

/** The wasm files that pages need, by the name of the codec. src/filters/codecs/wasm-file.ts loads them. */
export const WASM = {
  zstd: '@foxglove/wasm-zstd/dist/wasm-zstd.wasm',
  bzip2: 'bzip2-wasm/bzip2-1.0.8/bzip2.wasm',
  webp: '@jsquash/webp/codec/dec/webp_dec.wasm',
}

const GENERATED = [
  ...Object.entries(WASM).map(([name, file]) => ({
    file: `src/filters/codecs/${name}.wasm.js`,
    sources: [],
    make: () => {
      const text = deflateRawSync(readFileSync(join('node_modules', file)), { level: 9 }).toString('base64')
      return `export const DEFLATED = '${text}'\n`
    },
  })),
  ...['src/filters/kernels', 'src/rows/kernels'].map((folder) => ({
    file: `${folder}/binary.js`,
    sources: readdirSync(`${folder}/assembly`).map((name) => `${folder}/assembly/${name}`),
    make: () => kernels(`${folder}/assembly/index.ts`),
  })),
]

/** Compiles kernels, and returns a module that has them as text, so that no separate file has to be loaded. */
export async function kernels(source) {
  const { default: asc } = await import('assemblyscript/asc')
  const options = ['-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd', '--outFile', 'kernels.wasm']
  let binary
  const writeFile = (_name, contents) => {
    binary = contents
  }
  const { error, stderr } = await asc.main([source, ...options], { writeFile })
  if (error) throw new Error(`${error.message}\n${stderr}`)
  const text = Buffer.from(binary).toString('base64')
  return `/** What the build makes of assembly/. */\nexport const KERNELS_WASM =\n  '${text}'\n`
}

/** Makes every file. */
export async function generateAll() {
  for (const { file, make } of GENERATED) writeFileSync(file, await make())
}

/** Makes the files that are missing, or older than what they are made of. */
export async function generateOld() {
  // Packages have no useful times, but the list of their versions has.
  for (const { file, sources, make } of GENERATED)
    if (isOlder(file, [...sources, 'package-lock.json', 'tools/generated.mjs'])) writeFileSync(file, await make())
}

function isOlder(file, sources) {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  return made === undefined || sources.some((source) => statSync(source).mtimeMs > made)
}
