import { platform } from 'node:process'

/** Opens a file or URL in the user's browser. Without a browser nothing happens: the user has seen the place as text. */
export async function openInBrowser(place: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  const [program, ...args] =
    platform === 'darwin' ? ['open'] : platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open']
  const child = spawn(program, [...args, place], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
