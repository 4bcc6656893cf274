import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { concat, NO_BYTES } from '../base/bytes.ts'
import { asInspectError, attempt } from '../base/errors.ts'
import { answerTo, type PageAnswer, type Served, statusOf } from './page-answers.ts'

/**
 * Answers another program that shows the page in a frame, such as a notebook. No port is opened, and the answers end with the questions.
 *
 * - Each line of the input is a question: `{"id", "path", "range"}`. `path` is empty for the page itself, else as page-answers.ts has it.
 * - An answer is a line `{"id", "status", "headers", "error", "length"}`, and then `length` bytes. `id` is that of the question. `error`
 *   says in words why there are no bytes. Answers come as they are ready, in any order.
 */

interface Question {
  id: unknown
  path: string
  range: string | undefined
}

interface Answer extends Pick<PageAnswer, 'status' | 'headers'> {
  error?: string
  bytes?: Uint8Array
}

/** Most bytes of one answer. A page asks for far less at once. */
const MOST = 2 ** 28

/**
 * Answers until the questions end.
 * @param page the HTML of the page
 */
export async function answerQuestions(page: string, served: Served, from: Readable, to: Writable): Promise<void> {
  const open = new Set<Promise<void>>()
  // The other program may end before it has read an answer.
  to.on('error', () => {})
  for await (const line of createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY })) {
    const question = questionOf(line)
    const answer = question ? answerOne(question, page, served) : Promise.resolve<Answer>({ status: 400, headers: {} })
    const given = answer.then((found) => write(to, question?.id ?? null, found))
    open.add(given)
    given.finally(() => open.delete(given))
  }
  await Promise.all(open)
}

function questionOf(line: string): Question | undefined {
  const found: unknown = attempt(() => JSON.parse(line))
  if (typeof found !== 'object' || found === null || !('path' in found) || typeof found.path !== 'string')
    return undefined
  const range = 'range' in found && typeof found.range === 'string' ? found.range : undefined
  return { id: 'id' in found ? found.id : null, path: found.path, range }
}

async function answerOne({ path, range }: Question, page: string, served: Served): Promise<Answer> {
  if (path === '') return { status: 200, headers: { 'content-type': 'text/html' }, bytes: Buffer.from(page) }
  const at = path.indexOf('?')
  let answer: PageAnswer | undefined
  try {
    answer = await answerTo({ what: path.slice(0, at), search: path.slice(at), range }, served)
    const { status, headers, body } = answer
    if (Number(headers['content-length'] ?? 0) > MOST) return { status: 413, headers: {} }
    const pieces: Uint8Array[] = []
    if (body) for await (const piece of body()) pieces.push(piece)
    return { status, headers, bytes: concat(pieces) }
  } catch (error) {
    return { status: statusOf(error), headers: {}, error: asInspectError(error).message }
  } finally {
    await answer?.close?.()
  }
}

async function write(to: Writable, id: unknown, { bytes = NO_BYTES, ...head }: Answer): Promise<void> {
  if (to.destroyed) return
  to.write(`${JSON.stringify({ id, ...head, length: bytes.length })}\n`)
  if (!to.write(bytes)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
}
