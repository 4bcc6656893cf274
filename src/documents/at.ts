import type { ErrorCode } from '../base/errors.ts'
import type { FindingCode } from '../check/codes.ts'
import type { Bytes, CellValue, Count, DocumentHead, Offset } from './common.ts'
import type { DumpCells, DumpField } from './dump.ts'

/** `tiledb-inspect at <file> <offset> --json`. */
export interface AtDocument extends DocumentHead<'at'> {
  /** The byte that was asked for: its offset in the file. */
  offset: Offset
  /** Its value, 0 to 255. */
  byte: Count
  /** What the file is, in words. */
  role: string
  /** Bytes of the file. */
  size: Bytes
  /** From the file down to the smallest field that holds the byte; offsets are those of the file. */
  chain: readonly DumpField[]
  /** Dotted path of that field, as `dump --path` takes it. */
  field_path: string
  /** Cells that are read from the byte. */
  cells?: AtCells | undefined
  /** What would notice a flip of any of its bits; null where this is unknown. Not with --no-flips. */
  detected_by?: readonly string[] | null | undefined
  /** The same for each bit, the lowest first. */
  detected_by_bit?: readonly (readonly string[])[] | null | undefined
  /** Finding codes in `detected_by` that need `--level cells`; null where no flip was tried. */
  cell_findings?: readonly FindingCode[] | null | undefined
  /**
   * For each bit: codes of the findings or errors that `check --level cells` gives after its flip. Null where no flip was tried.
   */
  findings_by_bit?: readonly (readonly (FindingCode | ErrorCode)[])[] | null | undefined
  /**
   * Why nothing is known of flips: to read the tile again for each bit takes too long, or the tile is damaged already.
   */
  not_tried?: string | undefined
  /** What the flip was tried on. */
  detected_in?: AtTriedOn | null | undefined
}

/** `check` on a copy of the array, with `--all` where nothing uses the file; else the tile or file alone. */
export type AtTriedOn = 'array' | 'array --all' | 'tile' | 'file'

/** Cells that are read from the byte. */
export interface AtCells extends DumpCells {
  /** Field of these cells; left out for coordinates of all dimensions. */
  field?: string | undefined
  /** Coordinates by dimension, of a single cell only. */
  coordinates?: Record<string, CellValue> | undefined
  /** What the cell holds, of a single cell only. */
  value?: CellValue | undefined
  /** Set where the cell lies outside the non-empty domain. */
  padding?: true | undefined
}
