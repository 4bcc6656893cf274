import { readFileSync, writeFileSync } from 'node:fs'
import { FORMAT_PAGE, formatPage } from './format-tables.ts'

/** Makes the tables of docs/format.md anew: `npm run docs:format`. */
writeFileSync(FORMAT_PAGE, await formatPage(readFileSync(FORMAT_PAGE, 'utf8')))
