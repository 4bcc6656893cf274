import type { Bytes, CellValue, Count, DocumentHead, ErrorBrief, Integer } from './common.ts'

/**
 * `tiledb-inspect dump <file> --json`, and `footer`, `schema`, `rtree`, `metadata`, `tile` with `--hex --json`: the
 * tree of fields. Several parts of a file stand in `children`.
 */
export type DumpDocument = DumpedPart | DumpedParts

/** What is dumped. */
export interface DumpHead extends DocumentHead<'dump'> {
  /** What the file is, in words. */
  role: string
}

/** A file, or one part of it. */
export interface DumpedPart extends DumpHead, DumpNode {}

/** Several parts of a file. */
export interface DumpedParts extends DumpHead {
  /** The parts. */
  children: readonly DumpNode[]
}

/** A run of bytes, and what lies inside. */
export interface DumpNode extends DumpField {
  /** The unfiltered content in which `offset` is a position; left out for bytes of the file. */
  space?: string | undefined
  /** Why the bytes could not be read further. */
  error?: ErrorBrief | undefined
  /** Cells that are read from the bytes. */
  cells?: DumpCells | undefined
  /** Fields inside; they lie side by side and cover it where they are in its space. */
  children?: AsyncIterable<DumpNode> | undefined
}

/** A named run of bytes with what it holds. */
export interface DumpField {
  /** Name of the field, or position in a list. */
  name: string
  /** Type: `uint32`, `text`, `struct`, `list`, `INT32`, `gap`… */
  type: string
  /** Byte offset in the file, or in the content that `space` names. */
  offset: Count
  length: Bytes
  /** What a person would call it, where the name is a number. */
  label?: string | undefined
  /** Its value, in `unit`; for a run, the list of its values. */
  value?: CellValue | Iterable<CellValue> | undefined
  /** The number on disk, if the value is a name for it. */
  stored?: Integer | undefined
  /** Unit of the value. */
  unit?: string | undefined
  /** What a constant means, or what was expected. */
  meaning?: string | undefined
  /** Result of comparing a checksum, count or size with what it describes. */
  verdict?: 'valid' | 'invalid' | undefined
}

/** Cells that are read from the bytes. */
export interface DumpCells {
  /** Index of the tile. */
  tile: Count
  /** Index of the first cell in the tile. */
  from: Count
  /** Index of the last cell. */
  to: Count
}
