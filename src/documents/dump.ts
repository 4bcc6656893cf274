import type { Prose } from '../base/prose.ts'
import type { Bytes, CellValue, Count, DocumentHead, ErrorBrief, Integer, TileIndex } from './common.ts'

/**
 * `tiledb-inspect dump <file> --json`, and `footer`, `schema`, `rtree`, `metadata`, `tile` with `--hex --json`: the
 * tree of fields. If there are several parts of a file, they are in `children`.
 */
export type DumpDocument = DumpedPart | DumpedParts

/** The first keys of {@link DumpDocument}. */
export interface DumpHead extends DocumentHead<'dump'> {
  /** Kind of the file, in words. */
  file_kind: string
}

/** A file, or one part of it. */
export interface DumpedPart extends DumpHead, DumpNode {}

/** Several parts of a file. */
export interface DumpedParts extends DumpHead {
  /** The parts. */
  children: readonly DumpNode[]
}

/** A run of bytes, and the fields inside it. */
export interface DumpNode extends DumpField {
  /** Name of the unfiltered content in which `offset` counts; left out for bytes of the file. */
  space?: string | undefined
  /** Why the rest of the bytes could not be read. */
  error?: ErrorBrief | undefined
  cells?: DumpCells | undefined
  /** Fields inside this one. Those with the same `space` follow one another without gaps and cover all of its bytes. */
  children?: AsyncIterable<DumpNode> | undefined
}

/** A named run of bytes, and its value. */
export interface DumpField {
  /** Name of the field; of an element, its index in the list. */
  name: string
  /** Type: `uint32`, `text`, `struct`, `list`, `INT32`, `gap`… */
  type: string
  /** Byte offset in the file, or in the content that `space` names. */
  offset: Count
  length: Bytes
  /** Readable name of an element whose `name` is an index. */
  label?: string | undefined
  /** Value, in `unit`; of a run of values, the list of them. */
  value?: CellValue | Iterable<CellValue> | undefined
  /** The stored number, if `value` is a name for it. */
  stored_value?: Integer | undefined
  /** Unit of the value. */
  unit?: string | undefined
  /** Meaning of a constant, or what was expected. */
  meaning?: Prose | undefined
  /** Whether a checksum, count or size agrees with what it describes. */
  verdict?: 'valid' | 'invalid' | undefined
}

/** Cells whose values are in these bytes. */
export interface DumpCells {
  tile: TileIndex
  /** Index of the first cell in the tile. */
  from: Count
  /** Index of the last cell in the tile. */
  to: Count
}
