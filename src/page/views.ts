import type { View } from './view.ts'
import { findings } from './views/findings.tsx'
import { fragments } from './views/fragments.tsx'
import { overview } from './views/overview.tsx'
import { schema } from './views/schema.tsx'

/** All views, in the order of the navigation. */
export const VIEWS: readonly View[] = [overview, fragments, findings, schema]
