/** What the browser test bundles: reading from memory, with the codecs that run anywhere. */
export { InspectArray } from '../../src/array.ts'
export { FragmentCells } from '../../src/cells/fragment-cells.ts'
export { batchRows, columnValue } from '../../src/cells/rows.ts'
export { portable } from '../../src/filters/codecs/portable.ts'
export { Fragment } from '../../src/fragment.ts'
export { readContext } from '../../src/generic-tile.ts'
export { MemoryStorage } from '../../src/source/memory.ts'
export { Folder } from '../../src/source/source.ts'
