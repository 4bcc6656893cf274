import process from 'node:process'
import type { Ora } from 'ora'
import { shortSize } from '../base/sizes.ts'
import { formatCount } from './units.ts'

/** Milliseconds until the progress line appears: at the start of a run, and after output. */
const PATIENCE = 1000
/** Milliseconds between two drawings. */
const INTERVAL = 100
/** Milliseconds of work before a rate is shown. */
const MIN_MEASURED = 500
/** Columns before the text. */
const SPINNER_WIDTH = 2
/** Width used for a terminal that does not report its width. */
const USUAL_WIDTH = 80

/** Work whose progress is shown. */
export interface Work {
  /** In words: `checking`. */
  what: string
  /** What {@link Progress.update} counts, in the plural, such as `bytes`. Without it, the bytes count that are read from files. */
  unit?: string | undefined
  /** How much there is to do. A function is called only if the work takes long, because to find it out takes time, too. */
  total?: number | (() => Promise<number | undefined>) | undefined
}

/** Says how far some work is. */
export interface Progress {
  /** @param total how much there is to do, if it is known only now */
  update(done: number, total?: number): void
  stop(): void
}

/** Where and how the line is drawn. */
export interface ProgressSettings {
  color: boolean
  /** Counts the bytes that are read from files. */
  meter: { readonly bytes: number; restart(): void }
}

/** Work that has begun. */
interface Running {
  work: Work
  since: number
  done: number
  total: number | undefined
  /** Whether the total was asked for. */
  asked: boolean
}

/**
 * The line on stderr that says how far a run is, on a terminal only. It appears if the run takes long. It changes neither the settings
 * of the terminal nor the cursor, so that nothing has to be restored whatever ends the run.
 */
export class ProgressLine {
  private readonly settings: ProgressSettings
  /** The work that has begun: reading, and work that commands name. The first that is named is shown, with all that it does. */
  private readonly running: Running[] = []
  private timer: NodeJS.Timeout | undefined
  private spinner: Ora | undefined
  private isLoading = false
  /** Time before which nothing is drawn. */
  private quietUntil = performance.now() + PATIENCE
  /** Whether the cursor stands at the start of a line. */
  private isAtLineStart = true

  constructor(settings: ProgressSettings) {
    this.settings = settings
    this.running.push(this.newlyRunning({ what: 'reading' }))
  }

  /** Begins to draw. The timer does not keep the program running. */
  start(): void {
    this.timer = setInterval(() => void this.draw(), INTERVAL).unref()
  }

  begin(work: Work): Progress {
    // What is read before counts no more.
    if (this.running.length === 1) this.settings.meter.restart()
    const one = this.newlyRunning(work)
    this.running.push(one)
    return {
      update: (done, total) => {
        one.done = done
        if (total !== undefined) one.total = total
      },
      stop: () => {
        if (this.running.includes(one)) this.running.splice(this.running.indexOf(one), 1)
      },
    }
  }

  /**
   * Makes room for output on the same terminal.
   * @param endsLine whether the output ends with the end of a line
   */
  makeRoom(endsLine: boolean): void {
    this.spinner?.clear()
    this.quietUntil = performance.now() + PATIENCE
    this.isAtLineStart = endsLine
  }

  /** Removes the line for good. */
  end(): void {
    clearInterval(this.timer)
    this.quietUntil = Number.POSITIVE_INFINITY
    this.spinner?.clear()
  }

  private newlyRunning(work: Work): Running {
    const total = typeof work.total === 'number' ? work.total : undefined
    return { work, since: performance.now(), done: 0, total, asked: false }
  }

  private async draw(): Promise<void> {
    const now = performance.now()
    const one = this.running[1] ?? this.running[0]
    if (now < this.quietUntil || !this.isAtLineStart) return
    void this.askTotal(one)
    if (!this.spinner) return this.load()
    const width = (process.stderr.columns || USUAL_WIDTH) - SPINNER_WIDTH
    const { unit } = one.work
    const done = unit === undefined ? this.settings.meter.bytes : one.done
    this.spinner.text = progressText(one.work, done, one.total, (now - one.since) / 1000, width)
    this.spinner.render()
  }

  private async askTotal(one: Running): Promise<void> {
    const { total } = one.work
    if (one.asked || typeof total !== 'function') return
    one.asked = true
    // Without a total, the line says what is done. The work itself meets the error, too.
    one.total = await total().catch(() => undefined)
  }

  /**
   * Loads ora, which draws. Its `start` is not called: it would put the terminal into raw mode, so that Ctrl-C and Ctrl-Z are
   * nothing but bytes; it would hide the cursor, and make a pipe on stdout non-blocking for all programs that write to it.
   */
  private async load(): Promise<void> {
    if (this.isLoading) return
    this.isLoading = true
    const { default: ora } = await import('ora')
    // A terminal of no columns would make it clear endless lines.
    const stream: NodeJS.WriteStream = Object.create(process.stderr, {
      columns: { get: () => process.stderr.columns || USUAL_WIDTH },
    })
    const { color } = this.settings
    this.spinner = ora({
      stream,
      isEnabled: true,
      color: color ? 'cyan' : false,
      hideCursor: false,
      discardStdin: false,
    })
  }
}

/**
 * `checking: 1.2 GiB of 2.0 GiB (60 %), 145.0 MiB/s, 6 s left`, as much of it as fits.
 * @param seconds of work so far
 */
export function progressText(
  { what, unit }: Pick<Work, 'what' | 'unit'>,
  done: number,
  total: number | undefined,
  seconds: number,
  width: number,
): string {
  const isBytes = unit === undefined || unit === 'bytes'
  const amount = (count: number): string => (isBytes ? shortSize(Math.round(count)) : formatCount(Math.floor(count)))
  // What was said beforehand may be less than what there is.
  const known = total !== undefined && total >= done && total > 0 ? total : undefined
  const counted = isBytes ? '' : ` ${unit}`
  const parts = [
    known === undefined
      ? `${what}: ${amount(done)}${counted}`
      : `${what}: ${amount(done)} of ${amount(known)}${counted} (${Math.floor((100 * done) / known)} %)`,
  ]
  const rate = done / seconds
  if (seconds * 1000 >= MIN_MEASURED && done > 0) {
    parts.push(`${isBytes || rate >= 10 ? amount(rate) : rate.toPrecision(2)}/s`)
    if (known !== undefined) parts.push(`${durationText((known - done) / rate)} left`)
  }
  while (parts.length > 1 && parts.join(', ').length > width) parts.pop()
  return parts.join(', ').slice(0, Math.max(0, width))
}

/** `12 s`, `3 min`, `2 h`. */
function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
