import type { Output } from '../base/result.ts'
import { painter } from './color.ts'
import { pad, textWidth } from './text-width.ts'

/** One line of a histogram. */
export interface HistogramLine {
  label: string
  count: number
  /** Text of the count. */
  text: string
}

/** Length of the longest bar in a pipe, in characters. */
const PIPE_BAR = 40
/** Length of the longest bar on a wide terminal. */
const LONGEST_BAR = 60

/** Draws bars; the longest fills the width. A count above zero gets at least one mark. */
export async function drawHistogram(bars: readonly HistogramLine[], out: Output): Promise<void> {
  const paint = await painter(out)
  const labels = bars.reduce((width, { label }) => Math.max(width, textWidth(label)), 0)
  const texts = bars.reduce((width, { text }) => Math.max(width, textWidth(text)), 0)
  const room = out.columns === undefined ? PIPE_BAR : out.columns - labels - texts - 4
  const longest = Math.max(1, Math.min(LONGEST_BAR, room))
  const most = bars.reduce((max, { count }) => Math.max(max, count), 1)
  const mark = out.columns === undefined ? '#' : '█'
  for (const { label, count, text } of bars) {
    const length = count === 0 ? 0 : Math.max(1, Math.round((count / most) * longest))
    const line = `${pad(label, labels, 'right')}  ${pad(text, texts, 'right')}  ${paint('number', mark.repeat(length))}`
    await out.write(`${length === 0 ? line.trimEnd() : line}\n`)
  }
}
