import type { ErrorCode } from '../base/errors.ts'
import type { FindingCode } from '../check/codes.ts'
import type { Bytes, CellCoordinates, CellValue, Count, DocumentHead, Offset } from './common.ts'
import type { DumpCells, DumpField } from './dump.ts'

/** `tiledb-inspect at <file> <offset> --json`. */
export interface AtDocument extends DocumentHead<'at'> {
  /** Offset of the byte in the file. */
  offset: Offset
  /** Value of the byte, 0 to 255. */
  byte: Count
  /** Kind of the file, in words. */
  file_kind: string
  /** Bytes of the file. */
  size: Bytes
  /** Fields that contain the byte, from the whole file down to the smallest field. Offsets count from the start of the file. */
  chain: readonly DumpField[]
  /** Dotted path of the smallest field, in the form that `dump --path` takes. */
  field_path: string
  cells?: AtCells | undefined
  /** Everything that would detect a flip of one of its bits; null if this is unknown. Not with `--no-flips`. */
  detected_by?: readonly string[] | null | undefined
  /** The same for each bit, lowest bit first. */
  detected_by_bit?: readonly (readonly string[])[] | null | undefined
  /** Finding codes in `detected_by` that need `check --level cells`; null if no flip was tried. */
  cell_findings?: readonly FindingCode[] | null | undefined
  /** For each bit, the codes of the findings or errors of `check --level cells` after its flip; null if no flip was tried. */
  findings_by_bit?: readonly (readonly (FindingCode | ErrorCode)[])[] | null | undefined
  /** Why no flip was tried: the tile takes too long to read once a bit, or is damaged already. */
  not_tried?: string | undefined
  /** What the flips were tried on. */
  detected_in?: AtTriedOn | null | undefined
}

/**
 * `array`: `check` of a copy of the array. `array --all`: the same with `--all`, as nothing uses the file. `tile`, `file`: only the tile
 * or the file.
 */
export type AtTriedOn = 'array' | 'array --all' | 'tile' | 'file'

/** Cells whose values depend on the byte. */
export interface AtCells extends DumpCells {
  /** Field of these cells; left out if the byte is one of the coordinates of all dimensions. */
  field?: string | undefined
  /** Coordinates by dimension; only of a single cell. */
  coordinates?: CellCoordinates | undefined
  /** Value of the cell; only of a single cell. */
  value?: CellValue | undefined
  /** True if the cell is padding: it is outside of the non-empty domain. */
  padding?: true | undefined
}
