import type { Codecs } from '../filters/codecs/codecs.ts'
import { writtenArrayFiles } from '../write/array-writer.ts'
import { ndjsonRows } from '../write/ndjson-cells.ts'
import { planSample, type SampleInputs, type SampleOptions } from '../write/sample.ts'
import { type EditableArray, plainWriting } from './editable-array.ts'

/** How to make a sample: options of `write-sample`, and the changes that follow. */
export interface SampleRecipe {
  options: SampleOptions
  /** NDJSON of the cells; undefined to generate them. */
  cells?: string
  /** Folder of the array below the root, ending in `/`. */
  below?: string
  prepare?(array: EditableArray): Promise<void> | void
}

/** The files of a sample before it is prepared. @param times of the fragment, in milliseconds; by default those of the seed */
export async function filesOf(
  recipe: SampleRecipe,
  root: string,
  codecs: Codecs,
  times?: readonly bigint[],
): Promise<Map<string, Uint8Array>> {
  const { options, cells, below = '' } = recipe
  const inputs: SampleInputs = { style: { raw: true }, times }
  if (cells !== undefined) inputs.data = [{ each: ndjsonRows([cells]), file: 'cells' }]
  const { cells: _, fragments: __, ...given } = options
  const { array } = planSample(cells === undefined ? options : given, inputs)
  const files = new Map<string, Uint8Array>()
  for await (const file of writtenArrayFiles(array, plainWriting(codecs), () => {}))
    files.set(`${root}/${below}${file.path}`, file.bytes)
  return files
}
