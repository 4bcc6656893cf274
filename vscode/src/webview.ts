import { type ProgramAnswer, type Question, showFrame } from '../../src/page/frame-host.ts'

/** What runs in a webview: the page in a frame, whose questions go to extension.ts. */

declare function acquireVsCodeApi(): { postMessage(message: Question): void }
/** What the page shows first. webview-html.ts defines it. */
declare const link: string

const host = acquireVsCodeApi()
for (const element of [document.documentElement, document.body]) {
  element.style.height = '100%'
  element.style.margin = '0'
  element.style.padding = '0'
}
showFrame(document.body, '100%', {
  send: (question) => host.postMessage(question),
  listen(take) {
    const received = ({ data }: MessageEvent<{ answer?: ProgramAnswer }>): void => {
      if (data?.answer) take(data.answer)
    }
    addEventListener('message', received)
    return () => removeEventListener('message', received)
  },
  silence: 'No answer so far from the program that reads the files.',
  link,
})
