import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url))
/** Milliseconds after which a call counts as hanging. */
const PATIENCE = 30_000
/** The time at which all targets are opened: after every time stamp of the fixtures, January 2027. */
const NOW = '1800000000000'

/** A build of the program in a child process. The child starts anew after a call that ends it, or that hangs. */
export class Build {
  #waiting = new Map()
  #child
  #timer
  #count = 0
  #closed = false

  /** @param checkout its sources @param folder the working folder of its calls */
  constructor(checkout, folder) {
    this.checkout = checkout
    this.folder = folder
    this.#start()
  }

  /** Runs a call after those that wait. @returns exit code, output, errors and written files, all as text */
  call(call) {
    const id = this.#count++
    return new Promise((resolve) => {
      this.#waiting.set(id, { call: { ...call, id }, resolve })
      this.#child.send({ ...call, id })
      if (this.#waiting.size === 1) this.#watch()
    })
  }

  close() {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#child.kill()
  }

  #start() {
    const child = fork(WORKER, [this.checkout], {
      cwd: this.folder,
      execArgv: ['--no-warnings', '--import', `${this.checkout}/test/fuzz/register.mjs`],
      env: { PATH: process.env.PATH, TZ: 'UTC', NO_COLOR: '1', TILEDB_INSPECT_NOW: NOW },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    let said = ''
    let ready = false
    child.stderr.on('data', (text) => {
      said = `${said}${text}`.slice(-2000)
    })
    child.on('message', (message) => {
      if (message === 'ready') ready = true
      else this.#answer(message.id, message)
    })
    child.on('exit', (code, signal) => {
      if (this.#closed) return
      if (!ready) throw new Error(`${this.checkout} does not start: ${said}`)
      const [first] = this.#waiting.keys()
      this.#start()
      this.#answer(first, { code: `the process ended: ${signal ?? code} ${said}`, stdout: '', stderr: '', files: '' })
      for (const { call } of this.#waiting.values()) this.#child.send(call)
    })
  }

  #answer(id, result) {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    this.#watch()
    waiting?.resolve(result)
  }

  #watch() {
    clearTimeout(this.#timer)
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE)
  }
}
