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

/** All views, in the order of the tabs. */
export const VIEWS: readonly View[] = [
  overview,
  fragments,
  tree,
  timeline,
  map,
  treemap,
  cells,
  heatMap,
  histograms,
  history,
  files,
  findings,
  schema,
]
