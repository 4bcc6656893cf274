/**
 * Writes many samples and shows them again with our own reader, in one process: `node driver.mjs CASES.json`.
 *
 * CASES.json is a list of {dir, args, key}. For each one `dir` is made, and `dir.ours.json` beside it says what write-sample,
 * schema, ls, rtree and decode say. The program is put together from its sources here, so that nothing has to be built before.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const built = `${root}build/write-test`

const bundle = await rolldown({
  cwd: root,
  input: { cli: 'src/cli/cli.ts', file: 'src/node/file.ts' },
  external: (id) => id.startsWith('node:') || !/^[./]/.test(id),
  platform: 'node',
})
await bundle.write({
  dir: built,
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
  cleanDir: true,
})
const load = (name) => import(pathToFileURL(`${built}/${name}.mjs`).href)
const { main } = await load('cli')
const { localFiles } = await load('file')

async function run(args) {
  const parts = []
  let stderr = ''
  const code = await main({
    argv: args,
    env: { DEBUG: process.env.DEBUG },
    stdout: { write: (chunk) => void parts.push(Buffer.from(chunk)), columns: undefined, color: false, isTTY: false },
    stderr: (text) => {
      stderr += text
    },
    storage: localFiles,
  })
  return { code, stderr, text: Buffer.concat(parts).toString().trim() }
}

/** Text of the report on one sample. JSON is passed on as text: parsing it would round integers. */
async function report({ dir, args, key }) {
  const secret = key ? ['--key', key] : []
  const written = await run(['write-sample', dir, ...args, ...secret, '--format', 'ndjson'])
  const head = `"code":${written.code},"stderr":${JSON.stringify(written.stderr)}`
  if (written.code !== 0) return `{${head}}`
  const shown = async (...command) => {
    const { code, stderr, text } = await run([...command, ...secret, '--raw', '--quiet'])
    if (code !== 0 || stderr !== '') throw new Error(`${command.join(' ')}: ${code} ${stderr}`)
    return text
  }
  try {
    const [schema, ls] = [await shown('schema', dir, '--json'), await shown('ls', dir, '--json')]
    const { code: verified, text: checksums } = await run([
      'verify-checksums',
      dir,
      ...secret,
      '--json',
      '--deep',
      '--quiet',
    ])
    if (verified !== 0) throw new Error(`verify-checksums: ${checksums}`)
    const fragments = []
    for (const { name } of JSON.parse(written.text).fragments) {
      const old = Number(name.split('_').at(-1)) || 0
      const path = `${dir}/${old >= 12 && name.split('_').length === 6 ? '__fragments/' : ''}${name}`
      const cells = (await shown('decode', path, '--format', 'ndjson')).split('\n').join(',')
      fragments.push(`${JSON.stringify(name)}:{"cells":[${cells}],"rtree":${await shown('rtree', path, '--json')}}`)
    }
    return `{${head},"schema":${schema},"ls":${ls},"fragments":{${fragments.join(',')}}}`
  } catch (error) {
    return `{"code":99,"stderr":${JSON.stringify(String(error))}}`
  }
}

for (const sample of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  writeFileSync(`${sample.dir}.ours.json`, await report(sample))
}
