/**
 * Types for the encoders inside @uwdata/flechette. Its public call only writes whole tables. The package exports no types for
 * these modules. They are not public either, so the package's version is pinned.
 */

declare module '@uwdata/flechette/src/encode/builder.js' {
  export interface Sink {
    write(bytes: Uint8Array): void
  }
  export class Builder {
    constructor(sink: Sink)
    /** Writes bytes and pads them to a multiple of 8. */
    addBuffer(bytes: Uint8Array): number
  }
}

declare module '@uwdata/flechette/src/data-types.js' {
  /** A type of Arrow: its number, and parameters for its encoder. */
  export interface ArrowType {
    typeId: number
    children?: ArrowField[]
  }
  export interface ArrowField {
    name: string
    type: ArrowType
    nullable: boolean
    metadata: ReadonlyMap<string, string> | null
  }
  export function field(
    name: string,
    type: ArrowType,
    nullable: boolean,
    metadata?: ReadonlyMap<string, string>,
  ): ArrowField
  export function int(bitWidth: number, signed: boolean): ArrowType
  export function float32(): ArrowType
  export function float64(): ArrowType
  export function bool(): ArrowType
  export function utf8(): ArrowType
  export function binary(): ArrowType
  export function dateDay(): ArrowType
  /** @param unit 0 second, 1 millisecond, 2 microsecond, 3 nanosecond */
  export function timestamp(unit: number): ArrowType
  /** @param unit as in {@link timestamp} */
  export function duration(unit: number): ArrowType
  export function list(child: ArrowField): ArrowType
  export function fixedSizeList(child: ArrowField, stride: number): ArrowType
  export function dictionary(type: ArrowType, indexes: ArrowType, ordered: boolean, id: number): ArrowType
}

declare module '@uwdata/flechette/src/encode/schema.js' {
  import type { ArrowField } from '@uwdata/flechette/src/data-types.js'
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js'
  export interface ArrowSchema {
    fields: readonly ArrowField[]
    metadata: ReadonlyMap<string, string> | null
  }
  /** @returns its position in the builder */
  export function encodeSchema(builder: Builder, schema: ArrowSchema): number
}

declare module '@uwdata/flechette/src/encode/record-batch.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js'
  export interface RecordBatch {
    nodes: readonly { length: number; nullCount: number }[]
    /** Place of each buffer in the body. */
    regions: readonly { offset: number; length: number }[]
    variadic: readonly number[]
    byteLength: number
  }
  /** @returns its position in the builder */
  export function encodeRecordBatch(builder: Builder, batch: RecordBatch): number
}

declare module '@uwdata/flechette/src/encode/dictionary-batch.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js'
  import type { RecordBatch } from '@uwdata/flechette/src/encode/record-batch.js'
  /** @returns its position in the builder */
  export function encodeDictionaryBatch(
    builder: Builder,
    batch: { id: number; isDelta: boolean; data: RecordBatch },
  ): number
}

declare module '@uwdata/flechette/src/encode/message.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js'
  /** Place of a message in a file. */
  export interface Block {
    offset: number
    metadataLength: number
    bodyLength: number
  }
  export function writeMessage(
    builder: Builder,
    headerType: number,
    header: number,
    bodyLength: number,
    blocks?: Block[],
  ): void
}

declare module '@uwdata/flechette/src/encode/footer.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js'
  import type { Block } from '@uwdata/flechette/src/encode/message.js'
  import type { ArrowSchema } from '@uwdata/flechette/src/encode/schema.js'
  export function writeFooter(
    builder: Builder,
    schema: ArrowSchema,
    dictionaries: readonly Block[],
    records: readonly Block[],
    metadata: null,
  ): void
}

declare module '@uwdata/flechette/src/constants.js' {
  export const MAGIC: Uint8Array
  export const EOS: Uint8Array
  export const MessageHeader: {
    readonly Schema: number
    readonly DictionaryBatch: number
    readonly RecordBatch: number
  }
}
