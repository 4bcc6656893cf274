import { usage } from '../base/errors.ts'
import type { CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import { type Takes, targetsHelp } from '../calls/targets.ts'
import type { PageSite } from '../documents/page.ts'
import { DEFAULT_SIZE, parsePageOptions, type ShownOptions, shownPage } from './page-shown.ts'

interface PageOptions extends ShownOptions {
  static?: string
}

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

  async *run(cx, [path], options) {
    const { output, open, static: site, stdio } = options
    if (site !== undefined) {
      if (path !== undefined || output !== undefined || open || stdio)
        throw usage(
          'page --static expects no target, no --output, no --open and no --stdio: it writes the page without a target',
        )
      yield await writtenSite(site)
      return
    }
    const asked = parsePageOptions(options)
    if (path === undefined) {
      if (stdio) throw usage('page --stdio expects a target, no --output and no --open')
      if (!asked.isReport) throw usage('page expects a target, or -o FILE for a page without one, found neither')
      const { emptyPage } = await import('./page-html.ts')
      yield { kind: 'bytes', bytes: [Buffer.from(emptyPage())] }
      return
    }
    const target = await cx.open(path)
    const { pageTree } = await import('./page-html.ts')
    yield* shownPage(cx, { ...pageTree(target), path, target }, asked)
  },
}

/** Writes the page without a target as files for any web server. The page loads each file when it needs it. @param site a new folder */
async function writtenSite(site: string): Promise<Outcome> {
  const [{ servedPage }, { openFolderOutput }] = await Promise.all([
    import('./page-html.ts'),
    import('../node/folder-output.ts'),
  ])
  const { page, files } = await servedPage(undefined)
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
