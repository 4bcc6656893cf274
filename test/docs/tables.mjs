import { readFileSync, writeFileSync } from 'node:fs'
import { CHECK_PAGE, checkPage } from './code-table.ts'
import { FORMAT_PAGE, formatPage } from './format-tables.ts'

/** Makes the tables of docs/format.md and docs/check.md anew: `npm run docs:tables`. */
writeFileSync(FORMAT_PAGE, await formatPage(readFileSync(FORMAT_PAGE, 'utf8')))
writeFileSync(CHECK_PAGE, checkPage(readFileSync(CHECK_PAGE, 'utf8')))
