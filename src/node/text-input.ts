import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { stdin } from 'node:process'
import { StringDecoder } from 'node:string_decoder'
import { concat, NO_BYTES } from '../base/bytes.ts'
import { InspectError, usage } from '../base/errors.ts'
import { CountedBytes, type Memory } from '../base/memory.ts'
import { systemError } from './file.ts'

/** JSON becomes a text and then objects, which take this many times its bytes, as a share of {@link Memory.room}. */
const TIMES_OF_JSON = 3
/** Rows become columns, which are sorted and filtered: as a share of {@link Memory.room}, their text may be half of the memory. */
const TIMES_OF_ROWS = 2 / 3

/**
 * The whole JSON text of a file, or of standard input for `-`.
 * @param option names the file, for the error
 * @throws InspectError NOT_FOUND, NO_PERMISSION, IO; TOO_LARGE for more than the memory can hold
 */
export async function readText(path: string, option: string, memory: Memory): Promise<string> {
  const room = new CountedBytes(memory, `the text of ${option}`, TIMES_OF_JSON)
  try {
    if (path === '-') {
      let all = ''
      for await (const piece of decodedText(counted(stdin, room, inputName(path)))) all += piece
      return all
    }
    room.add((await stat(path)).size, path)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof InspectError) throw error
    if (isTooLong(error)) throw usage('expected at most 512 MiB of text, found more', { file: inputName(path) })
    throw systemError(error, inputName(path))
  }
}

/** Whether an error says that a text exceeds the longest string. */
function isTooLong(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    // Prose: V8 gives no code.
    (error instanceof RangeError && /string length/.test(error.message)) ||
    ('code' in error && error.code === 'ERR_STRING_TOO_LONG')
  )
}

/** The name of an input in errors. */
export function inputName(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** An input that need not fit in memory. */
export interface Input {
  /** Name of the file, for errors. */
  file: string
  /** The bytes in pieces of any length; can be read once. @throws InspectError NOT_FOUND, NO_PERMISSION, IO */
  pieces: AsyncIterable<Uint8Array>
  /** SHA-256 of the bytes read so far. */
  digest(): Uint8Array
}

async function* counted(pieces: AsyncIterable<Uint8Array>, room: CountedBytes, file: string) {
  for await (const piece of pieces) {
    room.add(piece.length, file)
    yield piece
  }
}

/**
 * Opens a file with rows, or standard input for `-`, which is read on demand.
 * @throws InspectError TOO_LARGE, while it is read, for more than the memory can hold
 */
export function openInput(path: string, memory: Memory): Input {
  const room = new CountedBytes(memory, 'the rows of --data', TIMES_OF_ROWS)
  const hash = createHash('sha256')
  const file = inputName(path)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      const source = path === '-' ? stdin : createReadStream(path, { highWaterMark: PIECE })
      for await (const piece of counted(source, room, file)) {
        hash.update(piece)
        yield piece
      }
    } catch (error) {
      if (error instanceof InspectError) throw error
      throw systemError(error, file)
    }
  }
  return { file, pieces: pieces(), digest: () => hash.copy().digest() }
}

/** Decodes pieces of UTF-8 to pieces of text. */
export async function* decodedText(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  for await (const piece of pieces) yield decoder.write(piece)
  yield decoder.end()
}

/** Reads the first bytes of an input: at least `length`, if it has as many. `all` gives the whole input. */
export async function peeked(
  pieces: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ start: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const rest = pieces[Symbol.asyncIterator]()
  let start: Uint8Array = NO_BYTES
  while (start.length < length) {
    const { done, value } = await rest.next()
    if (done) break
    start = concat([start, value])
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield start
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { start, all: all() }
}

/** All bytes of an input. */
export async function bytesIn(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return concat(all)
}

/** Bytes to read at a time. */
const PIECE = 1 << 20
