import { readFileSync, writeFileSync } from 'node:fs'
import { CHECK_PAGE, checkPage } from './code-table.ts'
import { FORMAT_PAGE, formatPage } from './format-tables.ts'
import { NAMES_PAGE, namesPage } from './names.ts'

/** Makes the tables of docs/format.md, docs/check.md and docs/names.md anew: `npm run docs:tables`. */
writeFileSync(FORMAT_PAGE, await formatPage(readFileSync(FORMAT_PAGE, 'utf8')))
writeFileSync(CHECK_PAGE, checkPage(readFileSync(CHECK_PAGE, 'utf8')))
writeFileSync(NAMES_PAGE, namesPage(readFileSync(NAMES_PAGE, 'utf8')))
