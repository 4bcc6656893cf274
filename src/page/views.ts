import type { View } from './view.ts'
import { overview } from './views/overview.tsx'

/** All views, in the order of the tabs. A page loads each when it is opened; the first one comes with it. */
export const VIEWS: readonly View[] = [
  {
    id: 'overview',
    title: 'Overview',
    targets: ['array', 'fragment', 'group', 'file'],
    load: async () => overview,
  },
  {
    id: 'workspace',
    title: 'Workspace',
    targets: ['genomicsdb'],
    load: async () => (await import('./views/workspace.tsx')).workspace,
  },
  {
    id: 'fragments',
    title: 'Fragments',
    targets: ['array', 'fragment', 'group'],
    load: async () => (await import('./views/fragments.tsx')).fragments,
  },
  {
    id: 'tree',
    title: 'Members',
    targets: ['group'],
    load: async () => (await import('./views/tree.tsx')).tree,
  },
  {
    id: 'timeline',
    title: 'Timeline',
    targets: ['array'],
    load: async () => (await import('./views/timeline.tsx')).timeline,
  },
  {
    id: 'map',
    title: 'Map',
    targets: ['array', 'fragment'],
    load: async () => (await import('./views/map.tsx')).map,
  },
  {
    id: 'bytes',
    title: 'Bytes',
    targets: ['array', 'fragment'],
    load: async () => (await import('./views/treemap.tsx')).treemap,
  },
  {
    id: 'cells',
    title: 'Cells',
    targets: ['array', 'fragment'],
    load: async () => (await import('./views/cells.tsx')).cells,
  },
  {
    id: 'heat',
    title: 'Picture',
    targets: ['array'],
    load: async () => (await import('./views/picture.tsx')).picture,
  },
  {
    id: 'histograms',
    title: 'Histograms',
    targets: ['array'],
    load: async () => (await import('./views/histograms.tsx')).histograms,
  },
  {
    id: 'history',
    title: 'History',
    targets: ['array'],
    load: async () => (await import('./views/history.tsx')).history,
  },
  {
    id: 'files',
    title: 'Files',
    targets: ['array', 'fragment', 'group', 'file'],
    load: async () => (await import('./views/files.tsx')).files,
  },
  {
    id: 'findings',
    title: 'Findings',
    targets: ['array', 'fragment', 'group'],
    load: async () => (await import('./views/findings.tsx')).findings,
  },
  {
    id: 'schema',
    title: 'Schema',
    targets: ['array', 'fragment'],
    load: async () => (await import('./views/schema.tsx')).schema,
  },
  {
    id: 'search',
    title: 'Search',
    targets: ['array', 'fragment', 'group'],
    load: async () => (await import('./views/search.tsx')).search,
  },
]
