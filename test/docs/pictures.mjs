import { writeFileSync } from 'node:fs'
import { pictures } from './pictures.ts'

/** Draws docs/pictures anew: `npm run docs:pictures`. */
for (const [path, text] of await pictures()) writeFileSync(path, text)
