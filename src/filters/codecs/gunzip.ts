import { Z_NO_FLUSH, Z_OK, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit2, zlibInflateReset2 } from 'pako'
import { concat } from '../../base/bytes.ts'
import { InspectError, withHint } from '../../base/errors.ts'
import { MEMORY_RAISES_BOUND } from '../../base/memory.ts'

/** How zlib is told which stream to expect: by the bits of its window, to which 16 are added for gzip. */
const WINDOW_BITS = { zlib: 15, gzip: 31 } as const
/** Bytes of a part of the content, at least and at most. */
const MIN_PART = 1024
const MAX_PART = 64 * 1024

/** What comes of a gzip or zlib stream. */
export interface Gunzipped {
  /** The content; of a broken stream, what comes before the fault. */
  content: Uint8Array
  /** Length of the stream in bytes. Other bytes may follow it. */
  length: number
  /** What is wrong with the stream; undefined for a whole one. */
  fault: InspectError | undefined
}

/**
 * Undoes the gzip or zlib stream at the start of `data`, part by part, so that memory grows only with what it gives.
 * @param most limit on the bytes of the content
 */
export function gunzip(data: Uint8Array, most: number, form: keyof typeof WINDOW_BITS = 'gzip'): Gunzipped {
  const stream = begun(WINDOW_BITS[form])
  stream.input = data
  stream.next_in = 0
  stream.avail_in = data.length
  const parts: Uint8Array[] = []
  let given = 0
  const result = (fault?: InspectError): Gunzipped => ({ content: concat(parts), length: stream.total_in, fault })
  const broken = (found: string): Gunzipped =>
    result(new InspectError('BAD_FILTERED_DATA', { expected: `a ${form} stream`, found }))
  for (;;) {
    stream.output = new Uint8Array(Math.min(MAX_PART, Math.max(MIN_PART, 4 * data.length)))
    stream.next_out = 0
    stream.avail_out = stream.output.length
    const status = zlibInflate(stream, Z_NO_FLUSH)
    parts.push(stream.output.subarray(0, stream.next_out))
    given += stream.next_out
    if (given > most) {
      const fault = withHint(
        { expected: `a ${form} stream of at most ${most} bytes`, found: 'more' },
        MEMORY_RAISES_BOUND,
      )
      return result(new InspectError('TOO_LARGE', fault))
    }
    if (status === Z_STREAM_END) return result()
    if (status < 0 && stream.msg) return broken(`a broken one (${stream.msg})`)
    if (stream.next_out === 0) return broken(`one that ends too early, after ${data.length} bytes`)
  }
}

/** The stream that was used last. A new one takes longer than undoing a small file with it. */
let kept: ZStream | undefined

function begun(windowBits: number): ZStream {
  if (kept && zlibInflateReset2(kept, windowBits) === Z_OK) return kept
  kept = new ZStream()
  zlibInflateInit2(kept, windowBits)
  return kept
}
