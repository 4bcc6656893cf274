import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

/**
 * One build of the program: runs the calls that its parent sends, one after another, in this process.
 * Its argument is the checkout. Its working folder has the targets, and `out` for what calls write.
 */

const OUT = 'out'
/** Files that calls write are compared as text if they have these endings, else by their digests. */
const TEXT = /\.(?:ndjson|json|svg|csv|txt)$/
/** Milliseconds between two looks at the clock. whatif then measures each pipeline three times, and always the same speed. */
const TICK = 25
/** What a page holds besides its program: the documents and bytes of its target. */
const DATA = /<script type="application\/octet-stream"[^>]*>([^<]*)<\/script>/g

let clock = 0
performance.now = () => {
  clock += TICK
  return clock
}

const checkout = process.argv[2]
const load = (path) => import(pathToFileURL(`${checkout}/src/${path}`).href)
const [{ main }, { localFiles }] = await Promise.all([load('cli/cli.ts'), load('node/file.ts')])

async function run({ argv, columns, key }) {
  const parts = []
  let stderr = ''
  let code
  try {
    code = await main({
      argv,
      env: key === undefined ? {} : { TILEDB_INSPECT_KEY: key },
      stdout: {
        write: (chunk) => void parts.push(Buffer.from(chunk)),
        columns,
        color: false,
        isTTY: columns !== undefined,
      },
      stderr: (text) => {
        stderr += text
      },
      stderrColumns: columns,
      storage: localFiles,
    })
  } catch (error) {
    code = `thrown: ${error?.stack ?? error}`
  }
  return { code: String(code), stdout: shown(Buffer.concat(parts)), stderr, files: existsSync(OUT) ? written() : '' }
}

/** Bytes as text that can be compared. Of a page, only the data in it. */
function shown(bytes) {
  const text = bytes.toString('utf8')
  if (!text.startsWith('<!')) return text
  const data = Array.from(text.matchAll(DATA), ([, inside]) => `${inside.length} ${digest(inside)}\n`)
  return `a page with data:\n${data.join('')}`
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

/** What the call wrote, which is then removed. */
function written() {
  const lines = []
  for (const name of readdirSync(OUT, { recursive: true }).sort()) {
    const path = `${OUT}/${name}`
    const isFile = statSync(path).isFile()
    const bytes = isFile ? readFileSync(path) : Buffer.alloc(0)
    if (!isFile) lines.push(`${name}/`)
    else if (TEXT.test(name)) lines.push(`${name}:\n${bytes}`)
    else if (name.endsWith('.html')) lines.push(`${name}: ${shown(bytes)}`)
    else lines.push(`${name}: ${bytes.length} bytes, ${digest(bytes)}`)
  }
  rmSync(OUT, { recursive: true })
  return `${lines.join('\n')}\n`
}

// Calls run one at a time, in order.
let last = Promise.resolve()
process.on('message', (call) => {
  last = last.then(async () => {
    const result = await run(call)
    process.send({ id: call.id, ...result })
  })
})
process.send('ready')
