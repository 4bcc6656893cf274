import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as vscode from 'vscode'
import type { Question } from '../../src/page/frame-host.ts'
import { placeOf } from './place.ts'
import { Program } from './program.ts'
import { errorHtml, pageHtml } from './webview-html.ts'

/** The page in an editor of VS Code. webview.ts is what runs in it; this part reads for it. */

const VIEW = 'tiledb-inspect.page'

export function activate({ extensionUri, subscriptions }: vscode.ExtensionContext): void {
  const out = join(extensionUri.fsPath, 'out')
  const script = join(out, 'program/bin/tiledb-inspect.js')
  const webview = readFileSync(join(out, 'webview.js'), 'utf8')
  /** The open pages, and how each is read again. */
  const pages = new Map<vscode.WebviewPanel, () => void>()

  function show(panel: vscode.WebviewPanel, target: string, link: string | undefined): void {
    const program = new Program(script, target)
    panel.webview.options = { enableScripts: true, localResourceRoots: [] }
    panel.webview.onDidReceiveMessage(async (message: unknown) => {
      const question = questionOf(message)
      if (question) panel.webview.postMessage({ answer: await program.ask(question) })
    })
    const load = async (): Promise<void> => {
      program.end()
      const { bytes, error, status } = await program.ask({ id: 'page', path: '' })
      if (error !== undefined || !bytes) panel.webview.html = errorHtml(error ?? `the program answers ${status}`)
      else
        panel.webview.html = pageHtml(new TextDecoder().decode(bytes), {
          webview,
          link,
          nonce: randomBytes(16).toString('hex'),
        })
    }
    pages.set(panel, load)
    panel.onDidDispose(() => {
      pages.delete(panel)
      program.end()
    })
    load()
  }

  const editor: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => {} }),
    resolveCustomEditor({ uri }, panel) {
      if (uri.scheme !== 'file') {
        panel.webview.html = errorHtml(`expected a file on a disk, found one of the scheme ${uri.scheme}`)
        return
      }
      const { target, link } = placeOf(uri.fsPath)
      show(panel, target, link)
    },
  }
  const settings = { retainContextWhenHidden: true }
  subscriptions.push(
    vscode.window.registerCustomEditorProvider(VIEW, editor, { webviewOptions: settings }),
    vscode.commands.registerCommand('tiledb-inspect.folder', async (given?: vscode.Uri) => {
      const [uri] = given
        ? [given]
        : ((await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false })) ?? [])
      if (!uri) return
      const name = uri.path.split('/').filter(Boolean).at(-1) ?? uri.path
      show(vscode.window.createWebviewPanel(VIEW, name, vscode.ViewColumn.Active, settings), uri.fsPath, undefined)
    }),
    vscode.commands.registerCommand('tiledb-inspect.reload', () => {
      for (const [panel, load] of pages) if (panel.active) load()
    }),
  )
}

export function deactivate(): void {}

/** A message of the webview as a question; undefined for anything else. */
function questionOf(message: unknown): Question | undefined {
  if (typeof message !== 'object' || message === null || !('id' in message) || !('path' in message)) return undefined
  const { id, path } = message
  const range = 'range' in message && typeof message.range === 'string' ? message.range : undefined
  return typeof id === 'string' && typeof path === 'string' ? { id, path, range } : undefined
}
