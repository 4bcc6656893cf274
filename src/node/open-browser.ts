import { platform } from 'node:process'

/** The programs that open a file or URL, with their arguments. Other platforms have xdg-open. */
const OPENERS: { readonly [name in typeof platform]?: readonly [string, ...string[]] } = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens a file or URL in the user's browser. Without a browser nothing happens: the user has seen the place as text. */
export async function openInBrowser(place: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open']
  const child = spawn(program, [...args, place], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
