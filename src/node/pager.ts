import type { ChildProcess } from 'node:child_process'
import process from 'node:process'
import { ClosedPipe } from '../base/errors.ts'
import { stopWork } from './pause.ts'

/** Milliseconds after which held output is shown, even if it does not fill the screen. */
const PATIENCE = 200

/** Moves the cursor to the start of the line so many lines above, and clears the screen from there on. */
const clearLines = (lines: number): string => `\u001b[${lines}F\u001b[J`

/** Options of less, as git sets them: it keeps colours, and ends by itself if the text fits on the screen. */
const LESS = 'FRX'

/** The size of the terminal, and the command of the pager. */
interface PagerSetting {
  command: string
  rows: number
  columns: number
}

/** The command of the pager that the user wants; undefined for none. */
export function pagerCommand(argv: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  // The command `page` prints a URL and keeps running.
  if (words.includes('--no-pager') || words.includes('page') || env.NO_PAGER || env.TERM === 'dumb') return undefined
  const command = env.PAGER ?? 'less'
  return command.trim() === '' || command === 'cat' ? undefined : command
}

/**
 * The output to a terminal. If it gets longer than the screen, all of it goes to a pager. Until then it is shown without one, after a
 * short time: a pager takes the keyboard, and with it Ctrl-C. Text for stderr is written after the pager has ended, because a pager
 * needs the whole screen.
 */
export class PagedOutput {
  private readonly setting: PagerSetting
  private readonly out: (data: string | Uint8Array) => void
  private readonly error: (text: string) => void
  /** Called before the pager takes the screen. */
  private readonly beforePager: () => void
  private readonly held: { data: string | Uint8Array; isError: boolean }[] = []
  private lines = 0
  /** How much of `held` the terminal shows. */
  private shownNum = 0
  private shownLines = 0
  private timer: NodeJS.Timeout | undefined
  /** The pager, once it is started; it resolves to undefined if there is none. */
  private pager: Promise<ChildProcess | undefined> | undefined
  /** Resolves when all output so far has been passed on. */
  private passed: Promise<void> = Promise.resolve()
  /** Whether the user has ended the pager. */
  private pagerEnded = false
  /** Whether there is no more output. */
  private isDone = false

  constructor(
    setting: PagerSetting,
    out: (data: string | Uint8Array) => void,
    error: (text: string) => void,
    beforePager: () => void = () => {},
  ) {
    this.setting = setting
    this.beforePager = beforePager
    this.out = out
    this.error = error
  }

  /** @throws ClosedPipe if the user has ended the pager */
  write(data: string | Uint8Array): Promise<void> | void {
    if (this.pagerEnded) throw new ClosedPipe()
    if (this.pager) return this.pass(data)
    this.hold(data, false)
    this.lines += linesOf(data, this.setting.columns)
    if (this.lines >= this.setting.rows) return this.begin()
  }

  writeError(text: string): void {
    if (this.held.length > 0 || this.pager) this.hold(text, true)
    else this.error(text)
  }

  private hold(data: string | Uint8Array, isError: boolean): void {
    // The caller may use the memory again.
    this.held.push({ data: typeof data === 'string' ? data : data.slice(), isError })
    if (!this.pager) this.timer ??= setTimeout(() => this.showHeld(), PATIENCE)
  }

  /** Shows on the terminal what is held. */
  private showHeld(): void {
    this.timer = undefined
    for (const { data, isError } of this.held.slice(this.shownNum)) {
      if (isError) this.error(data as string)
      else this.out(data)
      this.shownLines += linesOf(data, this.setting.columns)
    }
    this.shownNum = this.held.length
  }

  /** Shows the rest, and waits until the user ends the pager. */
  async end(): Promise<void> {
    this.isDone = true
    clearTimeout(this.timer)
    await this.passed.catch(() => {})
    const pager = await this.pager
    if (pager && pager.exitCode === null && pager.signalCode === null) {
      const ended = new Promise((resolve) => pager.once('close', resolve))
      pager.stdin?.end()
      await ended
    }
    this.showHeld()
  }

  /** Starts the pager if needed, and passes on the held output. */
  private begin(): Promise<void> {
    clearTimeout(this.timer)
    // The pager shows again what the terminal shows.
    if (this.shownLines > 0) this.out(clearLines(this.shownLines))
    this.pager ??= this.spawnPager()
    for (const { data, isError } of this.held) if (!isError) void this.pass(data)
    const late = this.held.slice(this.shownNum).filter(({ isError }) => isError)
    this.held.splice(0, this.held.length, ...late)
    this.shownNum = 0
    return this.passed
  }

  /** Starts the pager. @returns undefined if there is no such program, so that the output goes to the terminal */
  private async spawnPager(): Promise<ChildProcess | undefined> {
    const { spawn } = process.getBuiltinModule('node:child_process')
    this.beforePager()
    const { command } = this.setting
    const env = { ...process.env, LESS: process.env.LESS ?? LESS }
    const [program, ...args] = command.trim().split(/\s+/)
    const needsShell = /["'$|;&<>()`\\*?~=]/.test(command)
    const pager = needsShell
      ? spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
      : spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'], env })
    const isThere = await new Promise<boolean>((resolve) => {
      pager.once('spawn', () => resolve(true))
      pager.once('error', () => resolve(false))
    })
    if (!isThere) return undefined
    const listeners = SIGNALS.map((signal) => [signal, () => endAfter(pager, signal, this.isDone)] as const)
    for (const [signal, listener] of listeners) process.once(signal, listener)
    pager.once('close', () => {
      for (const [signal, listener] of listeners) process.removeListener(signal, listener)
    })
    pager.stdin?.on('error', () => this.leave())
    pager.once('close', () => this.leave())
    return pager
  }

  private leave(): void {
    this.pagerEnded = true
  }

  /** Passes data on after all earlier data. */
  private pass(data: string | Uint8Array): Promise<void> {
    this.passed = this.passed.then(() => this.passNow(data))
    // Not every caller waits. A failure must not count as an unhandled rejection.
    this.passed.catch(() => {})
    return this.passed
  }

  private async passNow(data: string | Uint8Array): Promise<void> {
    const pager = await this.pager
    if (!pager?.stdin) return this.out(data)
    if (this.pagerEnded || !pager.stdin.writable) throw new ClosedPipe()
    if (pager.stdin.write(data)) return
    const { stdin } = pager
    await new Promise<void>((resolve) => {
      for (const event of ['drain', 'error', 'close']) stdin.once(event, () => resolve())
    })
    if (this.pagerEnded) throw new ClosedPipe()
  }
}

/** Signals that end a program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds in which a pager should have ended that was sent a signal. */
const LAST_WAIT = 500

/**
 * Stops the work, and ends by the signal once the pager has ended, which has the keyboard and the settings of the terminal. If Ctrl-C stops
 * work, what was found so far can be read, as with git: another Ctrl-C, or the user, ends the pager.
 * @param isDone whether there is no work to stop
 */
function endAfter(pager: ChildProcess, signal: NodeJS.Signals, isDone: boolean): void {
  stopWork()
  const end = (): void => {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  if (pager.exitCode !== null || pager.signalCode !== null) {
    end()
    return
  }
  pager.once('close', end)
  pager.stdin?.end()
  const endPager = (): void => {
    // Pagers take SIGINT for a key.
    pager.kill(signal === 'SIGINT' ? 'SIGTERM' : signal)
    setTimeout(end, LAST_WAIT)
  }
  if (signal === 'SIGINT' && !isDone) process.once('SIGINT', endPager)
  else endPager()
}

/** Number of lines that data takes on a screen of this width. */
function linesOf(data: string | Uint8Array, columns: number): number {
  const text = typeof data === 'string' ? data : Buffer.from(data).toString('latin1')
  let lines = 0
  for (const line of text.split('\n').slice(0, -1)) {
    // Escapes for colours have no width.
    lines += Math.max(1, Math.ceil(line.replace(/\u001b\[[\d;]*m/g, '').length / columns))
  }
  return lines
}
