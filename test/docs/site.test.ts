import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { ROOT } from '../helpers/sessions.ts'

interface Site {
  pages: { file: string; title: string }[]
  copied: Set<string>
  faults: string[]
}
const { readSite } = (await import(`${ROOT}tools/site/build.mjs`)) as { readSite(root?: string): Site }

const folder = temporaryFolder()

test('all links of the documentation lead somewhere, and README.md leads to every page', () => {
  const { pages, faults } = readSite()
  expect(faults).toEqual([])
  const found = pages.map(({ file }) => file)
  const written = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  expect(found).toEqual(expect.arrayContaining(written.map((name) => `docs/${name}`)))
})

test('a link to nothing, or to a heading that is not there, is told', () => {
  mkdirSync(`${folder}/docs/data`, { recursive: true })
  writeFileSync(`${folder}/docs/data/a.json`, '{}')
  writeFileSync(`${folder}/docs/page.md`, '# Page\n\n## A `b` & c\n')
  const links = ['docs/page.md', 'docs/page.md#a-b--c', 'docs/data', '#top', 'docs/page.md#b', 'no.md', '../x.md']
  writeFileSync(`${folder}/README.md`, `# Top\n\n${links.map((to) => `[x](${to})`).join(' ')}\n`)
  const { pages, copied, faults } = readSite(folder)
  expect(faults).toEqual([
    'README.md: a link leads to no.md, which is not there',
    'README.md: a link leads to ../x.md, which is not there',
    'README.md: a link leads to docs/page.md#b, but docs/page.md has no such heading',
  ])
  expect(pages.map(({ file }) => file).sort()).toEqual(['README.md', 'docs/data/README.md', 'docs/page.md'])
  expect([...copied]).toEqual(['docs/data/a.json'])
})
