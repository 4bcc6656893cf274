import process from 'node:process'
import { usage } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { parseSize } from '../calls/option-values.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { PagePlaces } from '../calls/page-data.ts'
import type { PageServed } from '../documents/page.ts'
import type { PageSubject } from './page-html.ts'

/** The options of `page` for a target. */
export interface ShownOptions {
  output?: string
  /** Whether `--output` names stdout. */
  toStdout?: boolean
  open?: boolean
  maxSize?: string
  stdio?: boolean
}

/** Default of `--max-size`. */
export const DEFAULT_SIZE = '20M'
/** Largest `--max-size`, in bytes. Browsers do not read longer texts. */
const LARGEST = 256 * 2 ** 20

/** What is asked for. */
interface Asked {
  isReport: boolean
  /** Whether the program that began this one asks for the page and its bytes, by stdin. */
  stdio: boolean
  output: string | undefined
  open: boolean
  /** Largest number of bytes of files in a report. */
  most: number
}

/** @throws InspectError USAGE */
export function parsePageOptions(options: ShownOptions): Asked {
  const { output, toStdout, open = false, maxSize = DEFAULT_SIZE, stdio = false } = options
  const isReport = output !== undefined || toStdout === true
  if (open && toStdout) throw usage('page expects --open or -o -, found both')
  if (stdio && (isReport || open)) throw usage('page --stdio expects a target, no --output and no --open')
  const most = parseSize('--max-size', maxSize)
  if (most > LARGEST)
    throw usage(`--max-size expects at most ${LARGEST / 2 ** 20}M, found ${maxSize}; without -o there is no limit`)
  return { isReport, stdio, output, open, most }
}

/**
 * Writes the report of a target. Without `--output` it serves the page and the bytes instead: to a browser until the user ends it, or
 * with `--stdio` to the program that asks.
 */
export async function* shownPage(cx: CommandContext, subject: PageSubject, asked: Asked): AsyncGenerator<Outcome> {
  const { isReport, stdio, output, open, most } = asked
  const shown = cx.shownPath(subject.path)
  if (isReport) {
    const { report } = await import('./page-report.ts')
    yield { kind: 'bytes', bytes: await report(cx, subject, shown, most) }
    if (open && output !== undefined) await (await import('../node/open-browser.ts')).openInBrowser(output)
    return
  }
  const { framedPage, pagePlaces, pageWasm, servedPage } = await import('./page-html.ts')
  const { folder, only } = subject
  const wasm = stdio ? pageWasm(() => true) : {}
  const places = pagePlaces(stdio ? 'framed' : 'served', subject, { shown, made: cx.reading.now, wasm })
  const served = { storage: cx.storage.anew ?? cx.storage, folder: folder.path, top: places.top, only }
  const dataOf = (data: PagePlaces): string => Buffer.from(JSON.stringify(data)).toString('base64')
  if (stdio) {
    const { answerQuestions } = await import('../node/page-stdio.ts')
    // Whoever opened the page in a notebook has given the key there.
    const key = cx.reading.key && { key: Buffer.from(cx.reading.key).toString('hex') }
    await answerQuestions(framedPage(dataOf({ ...places, ...key })), served, process.stdin, process.stdout)
    return
  }
  const { servePage } = await import('../node/page-server.ts')
  const { page, files } = await servedPage(dataOf(places))
  const server = await servePage(page, { ...served, files })
  const document: PageServed = { ...documentHead('page', shown), url: server.url }
  yield { kind: 'document', document, table: (out) => out.write(`${server.url}\nCtrl-C ends it.\n`) }
  if (open) await (await import('../node/open-browser.ts')).openInBrowser(server.url)
  await server.ended
}
