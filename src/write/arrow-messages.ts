import type { ArrowData } from '@uwdata/flechette'
import { MAGIC, MessageHeader, Type } from '@uwdata/flechette/src/constants.js'
import { decodeIPC } from '@uwdata/flechette/src/decode/decode-ipc.js'
import { badValue } from '../base/errors.ts'

/**
 * Reads the messages of an Arrow IPC stream or file with flechette. It trusts every length, and a damaged one could fill the memory or
 * keep it in a loop. So all lengths are checked first.
 *
 * @throws InspectError BAD_VALUE, RangeError
 * @see format/Message.fbs, format/Schema.fbs and format/File.fbs in the Arrow repository
 */
export function arrowMessages(bytes: Uint8Array): ArrowData {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (MAGIC.every((byte, i) => bytes[i] === byte)) checkFile(data)
  else for (let at: number | undefined = 0; at !== undefined; ) at = checkMessage(data, at)
  const messages = decodeIPC(bytes)
  const { records, dictionaries } = messages
  for (const batch of [...(records ?? []), ...(dictionaries ?? []).map((one) => one?.data)])
    if (!batch?.regions) throw badValue({ expected: 'batches where the footer says', found: 'other messages' })
  return messages
}

const BLOCK_BYTES = 24

function checkFile(data: DataView): void {
  const length = data.getInt32(data.byteLength - MAGIC.length - 4, true)
  const start = data.byteLength - MAGIC.length - 4 - length
  if (length <= 0 || start < 0) throw badValue({ expected: 'a footer inside the file', found: `${length} bytes` })
  // Tables refer to one another by relative offsets, so the start of the view does not matter.
  const footer = new Tables(new DataView(data.buffer, data.byteOffset + start, length))
  const slot = footer.table(0)
  footer.schema(slot(6))
  for (const blocks of [slot(8), slot(10)])
    footer.vector(blocks, BLOCK_BYTES, (at) => {
      checkMessage(data, Number(footer.view.getBigInt64(at, true)))
    })
}

/** Checks the lengths in a message. @returns start of the next message; undefined after the last */
function checkMessage(data: DataView, start: number): number | undefined {
  // A stream may end without an end mark.
  if (data.byteLength - start < 4) return undefined
  let at = start
  let length = data.getInt32(at, true)
  at += 4
  // Before Arrow 0.15 the length came first.
  if (length === -1) {
    if (data.byteLength - at < 4) return undefined
    length = data.getInt32(at, true)
    at += 4
  }
  if (length === 0) return undefined
  if (length < 0 || at + length > data.byteLength)
    throw badValue({ expected: 'a message inside the file', found: `one of ${length} bytes at ${at}` })
  const head = new Tables(new DataView(data.buffer, data.byteOffset + at, length))
  const slot = head.table(0)
  const [kind, header, body] = [slot(6), slot(8), slot(10)]
  const type = kind === undefined ? MessageHeader.NONE : head.view.getUint8(kind)
  if (type === MessageHeader.Schema) head.schema(header)
  if (type === MessageHeader.RecordBatch) head.recordBatch(header)
  if (type === MessageHeader.DictionaryBatch && header !== undefined) head.recordBatch(head.table(header)(6))
  const bodyLength = body === undefined ? 0 : Number(head.view.getBigInt64(body, true))
  const next = at + length + bodyLength
  if (bodyLength < 0 || next > data.byteLength)
    throw badValue({
      expected: 'the body of a message inside the file',
      found: `one of ${bodyLength} bytes at ${at + length}`,
    })
  return next
}

/**
 * Returns the place of a field of a table; undefined if the table does not have it.
 * @param slot as FlatBuffers number the fields: 4 is the first, 6 the second
 */
type Slots = (slot: number) => number | undefined

/** Limit on the fields of a schema. In damaged data a field may be its own child, without end. */
const MAX_FIELDS = 100_000

/** Checks the lengths of vectors in tables of FlatBuffers. Any place outside the view is a RangeError. */
class Tables {
  readonly view: DataView
  private fields = 0

  constructor(view: DataView) {
    this.view = view
  }

  /** The slots of a table. @param at place of the offset of the table */
  table(at: number): Slots {
    const { view } = this
    const start = at + view.getInt32(at, true)
    const slots = start - view.getInt32(start, true)
    const size = view.getInt16(slots, true)
    return (slot) => {
      const offset = slot < size ? view.getInt16(slots + slot, true) : 0
      return offset === 0 ? undefined : start + offset
    }
  }

  vector(at: number | undefined, stride: number, each: (at: number) => void = () => {}): void {
    if (at === undefined) return
    const start = at + this.view.getInt32(at, true)
    const count = this.view.getInt32(start, true)
    if (count < 0 || start + 4 + count * stride > this.view.byteLength)
      throw badValue({ expected: 'a list inside its message', found: `one of ${count}` })
    for (let i = 0; i < count; i++) each(start + 4 + i * stride)
  }

  schema(at: number | undefined): void {
    if (at === undefined) return
    const slot = this.table(at)
    this.vector(slot(6), 4, (field) => this.field(field))
    this.vector(slot(8), 4)
  }

  private field(at: number): void {
    if (++this.fields > MAX_FIELDS) throw badValue({ expected: `at most ${MAX_FIELDS} fields`, found: 'more' })
    const slot = this.table(at)
    const [kind, type] = [slot(8), slot(10)]
    if (kind !== undefined && type !== undefined && this.view.getUint8(kind) === Type.Union)
      this.vector(this.table(type)(6), 4)
    this.vector(slot(14), 4, (child) => this.field(child))
    this.vector(slot(16), 4)
  }

  recordBatch(at: number | undefined): void {
    if (at === undefined) return
    const slot = this.table(at)
    this.vector(slot(6), 16)
    this.vector(slot(8), 16)
    this.vector(slot(12), 8)
  }
}
