/** What the browser test bundles: reading from memory, with the codecs that run anywhere. */

export { FragmentCells } from '../../src/cells/fragment-cells.ts'
export { batchRows, columnValue } from '../../src/cells/rows.ts'
export { portable } from '../../src/filters/codecs/portable.ts'
export { MemoryStorage } from '../../src/source/memory.ts'
export { Folder } from '../../src/source/source.ts'
export { InspectArray } from '../../src/store/array.ts'
export { Fragment } from '../../src/store/fragment.ts'
export { readContext } from '../../src/store/generic-tile.ts'
