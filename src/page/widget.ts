import { type AskedQuestion, type ProgramAnswer, showFrame } from './frame-host.ts'

/** The page in an output of a notebook, as anywidget runs it. python/tiledb_inspect/_page.py is the side of the kernel. */

/** The model of a widget, which the kernel has, too. */
interface Model {
  get(name: string): unknown
  send(content: AskedQuestion | { ends: string }): void
  on(event: 'msg:custom', take: (content: Omit<ProgramAnswer, 'bytes'>, buffers: readonly DataView[]) => void): void
  off(event: 'msg:custom', take: unknown): void
}

const SILENCE =
  'No answer from the kernel: it is busy with another cell, or it has ended. In that case run the cell of this page again.'

export default {
  render({ model, el }: { model: Model; el: HTMLElement }): () => void {
    const end = showFrame(el, `${Number(model.get('height'))}px`, {
      send: (question) => model.send(question),
      listen(take) {
        const received = (content: Omit<ProgramAnswer, 'bytes'>, [bytes]: readonly DataView[]): void =>
          take({ ...content, bytes: bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) })
        model.on('msg:custom', received)
        return () => model.off('msg:custom', received)
      },
      silence: SILENCE,
    })
    const summary = String(model.get('summary'))
    // A saved notebook shows the summary in place of the page.
    for (const one of document.querySelectorAll<HTMLElement>(`[data-tiledb-inspect="${CSS.escape(summary)}"]`))
      one.hidden = true
    return () => {
      end()
      model.send({ ends: 'page' })
    }
  },
}
