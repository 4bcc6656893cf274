import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { ProgramAnswer, Question } from '../../src/page/frame-host.ts'

/** Asks `tiledb-inspect page --stdio`, which has the bytes: src/node/page-stdio.ts has the form of questions and answers. */

type Head = Omit<ProgramAnswer, 'bytes'> & { length: number }

const NEW_LINE = 0x0a

export class Program {
  private readonly script: string
  private readonly target: string
  private process: ChildProcessWithoutNullStreams | undefined
  private readonly waiting = new Map<string, (answer: ProgramAnswer) => void>()

  /** @param script path of the program @param target path of what it reads */
  constructor(script: string, target: string) {
    this.script = script
    this.target = target
  }

  /** The answer; if there is none, its `error` says why. The program begins with the first question. */
  ask(question: Question): Promise<ProgramAnswer> {
    this.process ??= this.begin()
    const { stdin } = this.process
    return new Promise((resolve) => {
      this.waiting.set(question.id, resolve)
      stdin.write(`${JSON.stringify(question)}\n`)
    })
  }

  /** Ends the program. It begins anew with the next question. */
  end(): void {
    this.process?.stdin.end()
    this.process = undefined
    this.fail('the page was closed')
  }

  private begin(): ChildProcessWithoutNullStreams {
    // VS Code is Electron, which is Node if it is asked to.
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' }
    const args = [this.script, 'page', '--quiet', '--stdio', '--', this.target]
    const child = spawn(process.execPath, args, { env, stdio: 'pipe' })
    let said = ''
    child.stderr.on('data', (part: Buffer) => {
      said += part
    })
    // The event `close` says why nothing more can be written.
    child.stdin.on('error', () => {})
    child.stdout.on(
      'data',
      answerReader((answer) => this.answered(answer)),
    )
    const ended = (why: string): void => {
      if (this.process !== child) return
      this.process = undefined
      this.fail(said.trim().replace(/^error: /, '') || why)
    }
    child.on('error', (error) => ended(error.message))
    child.on('close', (code) => ended(`the program ended with ${code}`))
    return child
  }

  private answered(answer: ProgramAnswer): void {
    this.waiting.get(answer.id)?.(answer)
    this.waiting.delete(answer.id)
  }

  private fail(error: string): void {
    for (const [id, answered] of this.waiting) answered({ id, status: 500, headers: {}, error })
    this.waiting.clear()
  }
}

/** Cuts what the program writes into answers. */
function answerReader(take: (answer: ProgramAnswer) => void): (part: Buffer) => void {
  let pieces: Buffer[] = []
  let size = 0
  let head: Head | undefined
  return (part) => {
    pieces.push(part)
    size += part.length
    if (head && size < head.length) return
    let rest = Buffer.concat(pieces)
    for (;;) {
      if (!head) {
        const end = rest.indexOf(NEW_LINE)
        if (end < 0) break
        head = JSON.parse(rest.toString('utf8', 0, end)) as Head
        rest = rest.subarray(end + 1)
      }
      const { length, ...answer } = head
      if (rest.length < length) break
      take({ ...answer, bytes: new Uint8Array(rest.subarray(0, length)) })
      rest = rest.subarray(length)
      head = undefined
    }
    pieces = [rest]
    size = rest.length
  }
}
