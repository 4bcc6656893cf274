import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'

/** What a new view needs beside its file. The tests in a browser take the views from the tabs of the page. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VIEWS = `${ROOT}src/page/views`
const LIST = readFileSync(`${ROOT}src/page/views.ts`, 'utf8')
const TABLE = readFileSync(`${ROOT}docs/page.md`, 'utf8').match(/^\|.*\|$/gm) ?? []

const VIEW_ROWS = LIST.slice(LIST.indexOf('[')).split('  {\n')

/** In place of the title of a view that is not in the list. The page does not have these words. */
const UNLISTED = 'unlisted view'

/** The views that files declare: name of the constant, and text of the tab. */
const views = readdirSync(VIEWS).flatMap((file) =>
  Array.from(
    readFileSync(`${VIEWS}/${file}`, 'utf8').matchAll(/^export const (\w+): ViewParts = \{/gm),
    ([, name]) => ({
      file,
      name,
      title: titleOf(name),
    }),
  ),
)

/** The text of the tab in the list of views. */
function titleOf(name: string): string {
  return VIEW_ROWS.find((row) => new RegExp(`\\b${name},`).test(row))?.match(/title: '([^']+)'/)?.[1] ?? UNLISTED
}

test('there are views', () => expect(views.length).toBeGreaterThan(10))

describe.each(views)('$file', ({ name, title }) => {
  test('is in the list of views: src/page/views.ts', () => {
    expect({ name, isListed: title !== UNLISTED }).toEqual({ name, isListed: true })
  })

  test('has its line in the table of views: docs/page.md', () => {
    const named = TABLE.map((row) => row.split('|')[2]).filter((cell) => new RegExp(`\\b${title}\\b`).test(cell))
    expect({ title, isNamed: named.length > 0 }).toEqual({ title, isNamed: true })
  })
})
