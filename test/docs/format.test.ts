import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { FILTER_TYPES } from '../../src/format/filter-pipeline.ts'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { NEWEST_STABLE } from '../../src/format/releases.ts'
import { OLDEST_WRITTEN } from '../../src/write/schema-check.ts'
import { ROOT } from '../helpers/corpus.ts'
import { FORMAT_PAGE, formatPage } from './format-tables.ts'

test('the tables of docs/format.md are what the fixtures show (else: npm run docs:tables)', async () => {
  const page = readFileSync(FORMAT_PAGE, 'utf8')
  expect((await formatPage(page)).split('\n')).toEqual(page.split('\n'))
})

test('its text says of every filter which metadata it has', () => {
  const page = readFileSync(FORMAT_PAGE, 'utf8')
  const text = page
    .slice(page.indexOf('\nEach filter passes two lists'), page.indexOf('\n### Datatypes'))
    .replaceAll(/<!-- table .*?<!-- end -->/gs, '')
  expect(Object.keys(FILTER_TYPES).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
})

test('the pages name the format versions that write-sample makes', () => {
  const has = (file: string, text: string): void => expect(readFileSync(`${ROOT}/${file}`, 'utf8')).toContain(text)
  const versions = `${OLDEST_WRITTEN} to ${NEWEST_STABLE} (${NEWEST_STABLE}); ${NEWEST_FORMAT_VERSION} with`
  has('docs/writing.md', `| \`--format-version N\` | ${versions} \`--experimental\``)
  has('schemas/steps-file.json', `the group is written (default: ${NEWEST_STABLE}).`)
})

test('the pages name the newest format version', () => {
  for (const name of ['README.md', 'python/README.md', 'docs/format.md']) {
    const page = readFileSync(`${ROOT}/${name}`, 'utf8')
    expect([name, page.match(/every format version from 1 to (\d+)/)?.[1]]).toEqual([name, `${NEWEST_FORMAT_VERSION}`])
  }
})

test('links inside docs/format.md lead to its sections', () => {
  const page = readFileSync(FORMAT_PAGE, 'utf8')
  const anchors = Array.from(page.matchAll(/^#+ (.+)$/gm), ([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  const links = Array.from(page.matchAll(/\]\(#(.+?)\)/g), ([, anchor]) => anchor)
  expect(links.filter((link) => !anchors.includes(link))).toEqual([])
})
