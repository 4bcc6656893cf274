import type { Block, Field, RecordBatch, Schema } from '@uwdata/flechette'
import { EOS, MAGIC, MessageHeader } from '@uwdata/flechette/src/constants.js'
import { Builder } from '@uwdata/flechette/src/encode/builder.js'
import { encodeDictionaryBatch } from '@uwdata/flechette/src/encode/dictionary-batch.js'
import { writeFooter } from '@uwdata/flechette/src/encode/footer.js'
import { writeMessage } from '@uwdata/flechette/src/encode/message.js'
import { encodeRecordBatch } from '@uwdata/flechette/src/encode/record-batch.js'
import { encodeSchema } from '@uwdata/flechette/src/encode/schema.js'
import { MemorySink } from '@uwdata/flechette/src/encode/sink.js'
import { concat } from '../base/bytes.ts'
import { InspectError } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import type { RecordWriter } from './records.ts'

/** Nodes and buffers of a record batch, in the order of the fields, each field before its children. */
export interface ArrowBody {
  nodes: { length: number; nullCount: number }[]
  buffers: Uint8Array[]
}

/** Values of a dictionary. */
export interface ArrowDictionaryBody {
  id: number
  body: ArrowBody
}

/** Most bytes of a buffer that is copied together with others, so that there are fewer writes. */
const SMALL = 32 * 1024
/** Bytes of such a copy. */
const PIECE = 128 * 1024
/** Most bytes of a buffer, because the encoder stores offsets and lengths of buffers as int32. */
const LONGEST = 0x7fff_fff8

/**
 * Writes the messages of an Arrow IPC stream or file, one record batch at a time. Memory holds one batch. Large buffers are
 * written without a copy.
 *
 * @see Arrow Columnar Format, "Serialization and Interprocess Communication (IPC)"
 */
export class ArrowWriter implements RecordWriter {
  private readonly out: Output
  private readonly isFile: boolean
  private readonly schema: Schema
  /** Bytes that are encoded, but not yet written to the output. */
  private readonly sink = new MemorySink()
  private readonly builder = new Builder(this.sink)
  private readonly dictionaryBlocks: Block[] = []
  private readonly recordBlocks: Block[] = []

  constructor(out: Output, fields: Field[], isFile: boolean) {
    this.out = out
    this.isFile = isFile
    this.schema = { fields, metadata: null }
  }

  async start(dictionaries: readonly ArrowDictionaryBody[]): Promise<void> {
    const { builder, schema } = this
    if (this.isFile) builder.addBuffer(MAGIC)
    writeMessage(builder, MessageHeader.Schema, encodeSchema(builder, schema), 0)
    for (const { id, body } of dictionaries) {
      const data = layOut(body)
      const header = encodeDictionaryBatch(builder, { id, isDelta: false, data }, null)
      writeMessage(builder, MessageHeader.DictionaryBatch, header, data.byteLength, this.dictionaryBlocks)
      for (const buffer of body.buffers) builder.addBuffer(buffer)
    }
    await this.flush()
  }

  /** @throws InspectError TOO_LARGE for a buffer of 2 GiB or more */
  async write(body: ArrowBody): Promise<void> {
    const { builder } = this
    const batch = layOut(body)
    const header = encodeRecordBatch(builder, batch)
    writeMessage(
      builder,
      MessageHeader.RecordBatch,
      header,
      batch.byteLength,
      this.isFile ? this.recordBlocks : undefined,
    )
    for (const buffer of body.buffers) builder.addBuffer(buffer)
    await this.flush()
  }

  async end(): Promise<void> {
    this.builder.addBuffer(EOS)
    if (this.isFile) writeFooter(this.builder, this.schema, this.dictionaryBlocks, this.recordBlocks, null)
    await this.flush()
  }

  private async flush(): Promise<void> {
    const { sink, out } = this
    const parts: Uint8Array[] = sink.buffers
    sink.buffers = []
    let piece = new Uint8Array(0)
    let filled = 0
    for (const part of parts) {
      if (filled > 0 && (part.length > SMALL || filled + part.length > piece.length)) {
        await out.write(piece.subarray(0, filled))
        piece = new Uint8Array(0)
        filled = 0
      }
      if (part.length > SMALL) await out.write(part)
      else {
        if (piece.length === 0) piece = new Uint8Array(PIECE)
        piece.set(part, filled)
        filled += part.length
      }
    }
    if (filled > 0) await out.write(piece.subarray(0, filled))
  }
}

/** The message with a schema, which begins a stream. */
export function schemaMessage(fields: Field[]): Uint8Array {
  const sink = new MemorySink()
  const builder = new Builder(sink)
  writeMessage(builder, MessageHeader.Schema, encodeSchema(builder, { fields, metadata: null }), 0)
  return concat(sink.buffers)
}

/** Places the buffers in the body, one after another, each at a multiple of 8. */
function layOut({ nodes, buffers }: ArrowBody): RecordBatch & { byteLength: number } {
  const regions: { offset: number; length: number }[] = []
  let byteLength = 0
  for (const { length } of buffers) {
    checkBufferLength(length)
    regions.push({ offset: byteLength, length })
    byteLength += Math.ceil(length / 8) * 8
  }
  return { nodes, regions, variadic: [], byteLength }
}

/** @throws InspectError TOO_LARGE if a buffer cannot be so long */
export function checkBufferLength(length: number): void {
  if (length > LONGEST)
    throw new InspectError('TOO_LARGE', { expected: 'less than 2 GiB in a buffer for Arrow', found: `${length} bytes` })
}
