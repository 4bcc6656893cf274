import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { SHORT_HEADINGS } from '../../src/render/views/headings.ts'
import { TERMINAL_HEADINGS } from '../../src/render/views/terminal-headings.ts'
import { factsOf, type Kind, NAMES_PAGE, namedKeys, namesPage } from './names.ts'

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url))
const keys = namedKeys()

describe('docs/names.md', () => {
  const page = readFileSync(NAMES_PAGE, 'utf8')

  test('has every key of the schemas, with its heading (else: npm run docs:tables)', () => {
    expect(page).toBe(namesPage(page))
  })

  test('says of every key what it means, and of each only once', () => {
    expect([...factsOf(page)].filter(([, fact]) => fact === '')).toEqual([])
    expect(page.match(/^\| `/gm)).toHaveLength(keys.size)
  })
})

/**
 * Kinds of values that one key may have in different documents. Other keys have the same kind everywhere: a second kind shows that the
 * name stands for a second fact.
 */
const SEVERAL: Readonly<Record<string, string>> = {
  between: 'a flag of an effect; in a file of steps, two times',
  cells: 'the cells, or the range of them',
  delete: 'whether a file may be deleted; in a file of steps, keys to delete',
  effect: 'one word for a commit; costs by name for a finding',
  error: 'an error; among numbers by severity, the number of errors',
  filters: 'a list of filters, or their pipeline with its chunk size',
  finding_num: 'a number, or one for each severity',
  level: 'a number of filters and R-trees; of a check, a word',
  next: 'one command, or several',
  tiles: 'the tiles; of a sample, their number',
  values: 'values by field; of an enumeration, in order',
  tile_maxs: 'a list; in a footer its place',
  tile_mins: 'a list; in a footer its place',
  tile_null_counts: 'a list; in a footer its place',
  tile_offsets: 'a list; in a footer its place',
  tile_sums: 'a list; in a footer its place',
  tile_validity_offsets: 'a list; in a footer its place',
  tile_var_offsets: 'a list; in a footer its place',
  tile_var_sizes: 'a list; in a footer its place',
}

/** Whether values of these kinds are forms of one type: a number may be text if it is large, and text that is not UTF-8 is an object. */
function isOneType(kinds: ReadonlySet<Kind>): boolean {
  const isText = kinds.size === 2 && kinds.has('text') && (kinds.has('number') || kinds.has('object'))
  const isCellValue = kinds.has('text') && kinds.has('number') && kinds.has('truth')
  return kinds.size < 2 || kinds.has('any') || isText || isCellValue
}

test('a key has the same kind of value in all documents', () => {
  const several = [...keys].filter(([, { kinds }]) => !isOneType(kinds)).map(([key]) => key)
  const known = Object.keys(SEVERAL).filter((key) => !isOneType(keys.get(key)?.kinds ?? new Set()))
  expect(several).toEqual(known.sort())
})

describe('headings', () => {
  const all = { ...SHORT_HEADINGS, ...TERMINAL_HEADINGS }
  const files = [
    ...['render/views', 'page', 'page/views', 'page/bytes'].flatMap((folder) =>
      readdirSync(`${SOURCES}/${folder}`)
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => `${folder}/${name}`),
    ),
    'calls/listed-fragment.ts',
  ].filter((file) => !file.endsWith('headings.ts'))
  const texts = files.map((file) => [file, readFileSync(`${SOURCES}/${file}`, 'utf8')] as const)

  test('belong to keys of the schemas', () => {
    const used = texts.flatMap(([, text]) =>
      Array.from(text.matchAll(/\b(?:h|terminalH)eading\('(\w+)'\)/g), ([, key]) => key),
    )
    const given = [...Object.keys(all), ...used]
    expect(given.filter((key) => !keys.has(key))).toEqual([])
    expect(used.length).toBeGreaterThan(40)
    expect(Object.keys(SHORT_HEADINGS).filter((key) => key in TERMINAL_HEADINGS)).toEqual([])
  })

  test('that are shorter than the words of the key stand in one place', () => {
    const short: ReadonlySet<string> = new Set(Object.values(all))
    const inTerminal = /\bname: '([^']*)'/g
    const onPage = /\b(?:title: |(?:text|number)Column\()'([^']*)'/g
    const found = texts.flatMap(([file, text]) =>
      Array.from(text.matchAll(file.startsWith('page/') ? onPage : inTerminal), ([, name]) => `${file}: ${name}`),
    )
    expect(found.filter((one) => short.has(one.slice(one.indexOf(': ') + 2)))).toEqual([])
    expect(found.length).toBeGreaterThan(100)
  })
})
