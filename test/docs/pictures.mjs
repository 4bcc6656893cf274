import { existsSync, writeFileSync } from 'node:fs'
import { stderr } from 'node:process'
import { pictures } from './pictures.ts'

/** Draws docs/pictures anew, and docs/gallery if Chromium is there: `npm run docs:pictures`. */
for (const [path, text] of await pictures()) writeFileSync(path, text)
if (existsSync('build/chromium')) await import('../browser/gallery.mjs')
else stderr.write('docs/gallery is not drawn: test/browser/run.mjs says how to install Chromium\n')
