import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
// It sets the time at which arrays are read.
import '../../jest.config.js'
import { PAGES, pageAnew, questionsAnew, TUTORIALS, tutorialAnew } from './pages.ts'

/** Makes the sessions of all pages anew, and the tables of docs/questions.md: `npm run docs:sessions`. */
for (const page of PAGES) writeFileSync(page, await pageAnew(page))
for (const page of TUTORIALS) {
  const folder = mkdtempSync(`${tmpdir()}/tutorial-`)
  writeFileSync(page, await tutorialAnew(page, folder))
  rmSync(folder, { recursive: true })
}
const QUESTIONS = 'docs/questions.md'
writeFileSync(QUESTIONS, questionsAnew(readFileSync(QUESTIONS, 'utf8')))
