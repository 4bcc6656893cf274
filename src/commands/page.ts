import process from 'node:process'
import { usage } from '../base/errors.ts'
import type { CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { parseSize } from '../calls/option-values.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { PagePlaces } from '../calls/page-data.ts'
import { type Takes, targetsHelp } from '../calls/targets.ts'
import type { PageServed, PageSite } from '../documents/page.ts'

interface PageOptions {
  output?: string
  /** Whether `--output` names stdout. */
  toStdout?: boolean
  open?: boolean
  maxSize?: string
  static?: string
  stdio?: boolean
}

/** Default of `--max-size`. */
const DEFAULT_SIZE = '20M'
/** Largest `--max-size`, in bytes. Browsers do not read longer texts. */
const LARGEST = 256 * 2 ** 20

const TAKES = { array: '', fragment: '', group: '', file: 'in one of them' } as const satisfies Takes

export const command: CommandModule<PageOptions> = {
  about:
    'With -o, the page is one file that any browser opens, offline, even years later. Without -o, it is served to this machine alone until Ctrl-C. It then reads only what it shows, so that targets of any size, and URLs, open at once. Nothing leaves the machine.',
  examples: [
    ['a report to pass on, with the bytes of the array in it', 'page -o report.html places'],
    ['the metadata and small files alone', 'page -o small.html --max-size 100K weather'],
    ['the page without a target, on which folders are dropped', 'page -o empty.html'],
    ['the same as files for a web server, which loads faster', 'page --static site'],
  ],
  ownOutput: () => true,

  takes: TAKES,

  configure(command) {
    command
      .argument('[target]', targetsHelp(TAKES))
      .option('--open', 'open the page in the browser')
      .option('--static <dir>', 'write the page without a target as files of a new folder, for any web server')
      .option('--stdio', 'give the page and its bytes to the program that began this one, by stdin and stdout')
      .option('--max-size <bytes>', 'largest number of bytes of files in a report; metadata goes first', DEFAULT_SIZE)
  },

  async *run(cx, [path], { output, toStdout, open, maxSize = DEFAULT_SIZE, static: site, stdio }) {
    if (site !== undefined) {
      if (path !== undefined || output !== undefined || open || stdio)
        throw usage(
          'page --static expects no target, no --output, no --open and no --stdio: it writes the page without a target',
        )
      yield await writtenSite(site)
      return
    }
    const isReport = output !== undefined || toStdout
    if (open && toStdout) throw usage('page expects --open or -o -, found both')
    if (stdio && (path === undefined || isReport || open))
      throw usage('page --stdio expects a target, no --output and no --open')
    const most = parseSize('--max-size', maxSize)
    if (most > LARGEST)
      throw usage(`--max-size expects at most ${LARGEST / 2 ** 20}M, found ${maxSize}; without -o there is no limit`)
    if (path === undefined) {
      if (!isReport) throw usage('page expects a target, or -o FILE for a page without one, found neither')
      const { emptyPage } = await import('./page-html.ts')
      yield { kind: 'bytes', bytes: [Buffer.from(emptyPage())] }
      return
    }
    const target = await cx.open(path)
    const shown = cx.shownPath(path)
    if (isReport) {
      const { report } = await import('./page-report.ts')
      yield { kind: 'bytes', bytes: await report(cx, target, shown, most) }
      if (open && output !== undefined) await (await import('../node/open-browser.ts')).openInBrowser(output)
      return
    }
    const { framedPage, pagePlaces, pageTree, pageWasm, servedPage } = await import('./page-html.ts')
    const { folder, only } = pageTree(target)
    const kind = stdio ? 'framed' : 'served'
    const wasm = stdio ? pageWasm(() => true) : {}
    const places = pagePlaces(kind, folder, target, { shown, made: cx.reading.now, wasm })
    const served = { storage: cx.storage.anew ?? cx.storage, folder: folder.path, top: places.top, only }
    const dataOf = (data: PagePlaces): string => Buffer.from(JSON.stringify(data)).toString('base64')
    if (stdio) {
      const { answerQuestions } = await import('../node/page-stdio.ts')
      // Who opened the page in a notebook has given the key there.
      const page = framedPage(
        dataOf({ ...places, ...(cx.reading.key && { key: Buffer.from(cx.reading.key).toString('hex') }) }),
      )
      await answerQuestions(page, served, process.stdin, process.stdout)
      return
    }
    const { servePage } = await import('../node/page-server.ts')
    const { page, files } = servedPage(dataOf(places))
    const server = await servePage(page, { ...served, files })
    const document: PageServed = { ...documentHead('page', shown), url: server.url }
    yield { kind: 'document', document, table: (out) => out.write(`${server.url}\nCtrl-C ends it.\n`) }
    if (open) await (await import('../node/open-browser.ts')).openInBrowser(server.url)
    await server.ended
  },
}

/** Writes the page without a target as files that any web server can give: the page loads them as it needs them. */
async function writtenSite(site: string): Promise<Outcome> {
  const [{ servedPage }, { openFolderOutput }] = await Promise.all([
    import('./page-html.ts'),
    import('../node/folder-output.ts'),
  ])
  const { page, files } = servedPage(undefined)
  const folder = await openFolderOutput(site, async () => {})
  try {
    await folder.write('index.html', Buffer.from(page))
    for (const [name, bytes] of files) await folder.write(name, bytes())
    folder.commit()
  } finally {
    folder.discard()
  }
  const document: PageSite = { ...documentHead('page', site), files: ['index.html', ...files.keys()] }
  return { kind: 'document', document, table: (out) => out.write(`${document.files.length} files in ${site}\n`) }
}
