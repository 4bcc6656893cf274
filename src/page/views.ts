import type { View } from './view.ts'
import { cells } from './views/cells.tsx'
import { files } from './views/files.tsx'
import { findings } from './views/findings.tsx'
import { fragments } from './views/fragments.tsx'
import { heatMap } from './views/heat-map.tsx'
import { histograms } from './views/histograms.tsx'
import { history } from './views/history.tsx'
import { map } from './views/map.tsx'
import { overview } from './views/overview.tsx'
import { schema } from './views/schema.tsx'
import { timeline } from './views/timeline.tsx'
import { tree } from './views/tree.tsx'
import { treemap } from './views/treemap.tsx'

/** All views, in the order of the navigation: first the array, then its fragments, files and cells, then what is wrong and what it is. */
export const VIEWS: readonly View[] = [
  // What the target is, in one screen.
  overview,
  // What the listing has.
  fragments,
  // What a group holds.
  tree,
  // When what was written, and what readers saw then.
  timeline,
  // Where it lies.
  map,
  // What takes the room on disk.
  treemap,
  // What a reader sees, and what became of a cell.
  cells,
  heatMap,
  histograms,
  history,
  // What the bytes are.
  files,
  // What is damaged.
  findings,
  // What a cell may be.
  schema,
]
