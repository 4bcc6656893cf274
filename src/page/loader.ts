import { unpackText } from '../calls/packed-text.ts'

/**
 * Loads the program of the page in parts. Parts that are needed together are one script, which calls `tiledbInspect.add` for each. A
 * script stands in the page as text, or a server has it, and runs when a part is needed. The policy of the page has the digest of each
 * script, so that no other runs.
 *
 * A worker gets the parts in its program. If it needs another one, it asks the page for a worker that has it (job.ts).
 */

type Exports = Readonly<Record<string, unknown>>
type Maker = (...needed: Exports[]) => Exports

/** The scripts that each part needs that is loaded by its name. The build puts them here. */
declare const SCRIPTS: Readonly<Record<string, readonly string[]>>

const inPage = typeof document !== 'undefined'
/** The text of this script, for workers. The browser names its element only while it begins. */
const loader = inPage ? document.currentScript?.textContent : ''
/** Names of the scripts that ran. */
const ran = new Set<string>()
const parts = new Map<string, { needs: readonly string[]; maker: Maker }>()
const made = new Map<string, Exports>()
const texts = new Map<string, Promise<string>>()

async function load(name: string): Promise<Exports> {
  const missing = (SCRIPTS[name] ?? []).filter((script) => !ran.has(script))
  if (missing.length > 0 && !inPage) {
    postMessage({ need: name })
    // The page ends this worker.
    return new Promise(() => {})
  }
  for (const text of await Promise.all(missing.map(textOf))) run(text)
  return make(name)
}

function make(name: string): Exports {
  const known = made.get(name)
  if (known) return known
  const part = parts.get(name)
  if (!part) throw new Error(`the part ${name} of the page does not run`)
  const exports = part.maker(...part.needs.map(make))
  made.set(name, exports)
  return exports
}

/** Runs a script, if the policy of the page has its digest. */
function run(text: string): void {
  const script = document.createElement('script')
  script.textContent = text
  document.head.append(script)
  script.remove()
}

function textOf(name: string): Promise<string> {
  const known = texts.get(name) ?? readText(name)
  texts.set(name, known)
  // Tried again the next time: the server may answer then.
  known.catch(() => texts.delete(name))
  return known
}

/** The elements of a page in one piece with its scripts, compressed. Each has its names in `data-scripts`, and the characters of each script. */
const packed = inPage ? Array.from(document.querySelectorAll<HTMLElement>('[data-scripts]')) : []
/** The texts of the scripts in an element. */
const unpackedTexts = new Map<HTMLElement, Promise<string>>()

/** The text of a script: from the page, compressed in a page in one piece, or else from the server. */
async function readText(name: string): Promise<string> {
  for (const element of packed) {
    const words = wordsOf(element)
    const at = words.indexOf(name)
    if (at < 0) continue
    const texts = unpackedTexts.get(element) ?? unpacked(element)
    unpackedTexts.set(element, texts)
    const from = words.slice(0, at).reduce((sum, word) => sum + (Number(word) || 0), 0)
    return (await texts).slice(from, from + Number(words[at + 1]))
  }
  const element = document.getElementById(`part-${name}`)
  if (element) return element.textContent ?? ''
  const answer = await fetch(new URL(`part-${name}.js`, location.href))
  if (!answer.ok) throw new Error(`the server of this page answers ${answer.status}`)
  return answer.text()
}

function wordsOf(element: HTMLElement): readonly string[] {
  return (element.dataset.scripts ?? '').split(' ')
}

function bytesOf(element: HTMLElement): Uint8Array<ArrayBuffer> {
  return unpackText(element.textContent ?? '', Number(element.dataset.size))
}

/** What the decoder of zstd exports. Its element is in each page that has its scripts compressed. */
interface Zstd {
  memory: WebAssembly.Memory
  malloc(size: number): number
  free(address: number): void
  ZSTD_decompress(out: number, outLength: number, data: number, length: number): number
}

async function loadZstd(): Promise<Zstd> {
  const deflated = new Blob([bytesOf(document.getElementById('zstddec.wasm') as HTMLElement)])
  const wasm = deflated.stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const { instance } = await WebAssembly.instantiate(await new Response(wasm).arrayBuffer(), {
    env: { emscripten_notify_memory_growth: () => {} },
  })
  return instance.exports as unknown as Zstd
}

let decoder: Promise<Zstd> | undefined

/** The scripts of an element, one after another: they are a zstd frame. */
async function unpacked(element: HTMLElement): Promise<string> {
  decoder ??= loadZstd()
  const { memory, malloc, free, ZSTD_decompress: decompress } = await decoder
  const bytes = bytesOf(element)
  const undone = Number(element.dataset.undone)
  const [from, to] = [malloc(bytes.length), malloc(undone)]
  new Uint8Array(memory.buffer).set(bytes, from)
  decompress(to, undone, from, bytes.length)
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, to, undone))
  free(from)
  free(to)
  return text
}

const program = {
  /** Called for each part. @param maker runs the part with what the parts export that it needs */
  add: (name: string, needs: readonly string[], maker: Maker): unknown => parts.set(name, { needs, maker }),
  /** Called at the end of each script. */
  ran: (script: string): unknown => ran.add(script),
  load,
  has: (script: string): boolean => packed.length === 0 || packed.some((one) => wordsOf(one).includes(script)),
  async workerText(name: string, more: Iterable<string>): Promise<string> {
    const all = new Set([name, ...more].flatMap((one) => SCRIPTS[one] ?? []))
    return [loader, ...(await Promise.all([...all].map(textOf))), `tiledbInspect.load('${name}')`].join(';\n')
  },
}

Object.assign(globalThis, { tiledbInspect: program })
if (inPage) load('main')
