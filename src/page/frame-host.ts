import type { FrameAnswer, FromFrame, ToFrame } from './frame-messages.ts'

/**
 * Shows the page in a frame of another page, such as a notebook, and hands its questions to a program that has the bytes. It is not
 * a part of the page: the build makes it a module by itself. The frame has its own origin, so the page sees nothing of what is around it,
 * and its policy lets it connect to nothing: all that it can do is ask.
 */

/** A question as the program gets it: of a frame, or for the page itself, whose path is empty. */
export interface AskedQuestion {
  id: string
  path: string
  range?: string | undefined
}

export type ProgramAnswer = Omit<FrameAnswer, 'id' | 'bytes'> & { id: string; bytes?: Uint8Array | undefined }

/** The way to the program. */
export interface Channel {
  send(question: AskedQuestion): void
  /** Calls `take` for each answer, also for those to other frames. @returns a function that ends that */
  listen(take: (answer: ProgramAnswer) => void): () => void
  /** What to tell the reader if no answer comes: why, and what to do. */
  silence: string
  /** What the page shows first, as its link says it: the part of its URL from `#` on. */
  link?: string
}

/** A reader is told after this time in milliseconds that no answer comes. */
const LATE = 8000

/**
 * Puts the frame into an element.
 * @param height in the words of CSS
 * @returns a function that ends it
 */
export function showFrame(element: HTMLElement, height: string, channel: Channel): () => void {
  const name = Math.random().toString(36).slice(2)
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts allow-downloads')
  frame.title = 'tiledb-inspect'
  frame.style.cssText = 'display: block; width: 100%; height: 100%; border: 0;'
  const box = document.createElement('div')
  // The reader may drag the lower edge of a frame that does not fill the page.
  box.style.cssText = `height: ${height}; resize: ${height.endsWith('%') ? 'none' : 'vertical'}; overflow: hidden;`
  const said = document.createElement('p')
  said.setAttribute('role', 'status')
  said.style.cssText = 'margin: 0; padding: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere;'
  element.append(said, box)

  /** The time of each question without an answer. */
  const waiting = new Map<string, number>()
  const say = (text: string): void => {
    said.textContent = text
    said.hidden = text === ''
  }
  const send = (question: AskedQuestion): void => {
    waiting.set(question.id, Date.now())
    channel.send(question)
  }
  const tell = (message: ToFrame, transfer: Transferable[] = []): void =>
    frame.contentWindow?.postMessage(message, '*', transfer)
  const showTheme = (): void => {
    const theme = isDark() ? 'dark' : 'light'
    frame.style.colorScheme = theme
    tell({ theme })
  }

  const received = ({ source, data }: MessageEvent<FromFrame>): void => {
    if (source !== frame.contentWindow || source === null) return
    if ('asks' in data) {
      showTheme()
      if (channel.link) tell({ link: channel.link })
    } else if (typeof data.id === 'number')
      send({ id: `${name} ${data.id}`, path: String(data.path), range: data.range })
  }
  const answered = ({ id, bytes, ...answer }: ProgramAnswer): void => {
    const [of, number] = id.split(' ')
    if (of !== name || !waiting.delete(id)) return
    say('')
    if (number === 'page') {
      if (answer.error === undefined && bytes) openPage(new TextDecoder().decode(bytes))
      else say(answer.error ?? `the program answers ${answer.status}`)
      return
    }
    const copy = bytes?.slice().buffer
    tell({ ...answer, id: Number(number), bytes: copy }, copy ? [copy] : [])
  }
  const openPage = (html: string): void => {
    // Without a base, links in the page would lead out of it. It must come before the policy, which forbids it.
    frame.srcdoc = html.replace('<head>', '<head><base href="about:srcdoc">')
    box.append(frame)
    showTheme()
  }

  addEventListener('message', received)
  const unlisten = channel.listen(answered)
  const themes = new MutationObserver(showTheme)
  for (const around of [document.documentElement, document.body])
    themes.observe(around, {
      attributes: true,
      attributeFilter: ['class', 'theme', 'data-jp-theme-light', 'data-theme'],
    })
  const timer = setInterval(() => {
    const oldest = Math.min(...waiting.values())
    if (Date.now() - oldest > LATE) say(channel.silence)
  }, 1000)
  say('Opening …')
  send({ id: `${name} page`, path: '' })
  return () => {
    removeEventListener('message', received)
    clearInterval(timer)
    themes.disconnect()
    unlisten()
    said.remove()
    box.remove()
  }
}

/** Whether the page around the frame is dark: as JupyterLab, VS Code and Colab say it, else as the system has it. */
function isDark(): boolean {
  const { body, documentElement } = document
  const { jpThemeLight } = body.dataset
  if (jpThemeLight !== undefined) return jpThemeLight === 'false'
  const [vscode] = /\bvscode-(?:high-contrast-light|light|dark|high-contrast)\b/.exec(body.className) ?? []
  if (vscode !== undefined) return !body.className.includes('-light')
  const theme = documentElement.getAttribute('theme') ?? documentElement.dataset.theme
  return theme ? theme.includes('dark') : matchMedia('(prefers-color-scheme: dark)').matches
}
