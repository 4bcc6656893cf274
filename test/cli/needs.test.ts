import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { tableFromIPC } from '@uwdata/flechette'
import { run } from '../helpers/run.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/needs.md', import.meta.url)), 'utf8')
const MAX_COMMANDS = 2

/** Words that a need of the page is known by. */
const NEEDS = [
  'failed writes',
  'damaged',
  'waits for vacuum',
  'number of tiles and of cells agree',
  'missing or short',
  'fills the disk',
  'filters pay',
  'first ten cells',
  'MBRs',
  'does a box touch',
  'ever written to one cell',
  'overlap',
  'without reading data',
  'too small or too large',
  'memory',
  'release reads',
  'schema was a fragment written with',
  'right key',
  'consolidated fragment metadata file',
  'an array at all',
  'name of the schema',
  'byte N',
  'three times',
  'between two fragments',
  'pandas',
  'delete conditions',
  'earlier time',
]

interface Need {
  name: string
  anchor: string
  commands: string[]
}

function needsOf(page: string): Need[] {
  return Array.from(page.matchAll(/^\| \[(.+?)\]\(#(.+?)\) \| (.+?) \| .+ \|$/gm), ([, name, anchor, cell]) => ({
    name,
    anchor,
    commands: Array.from(cell.matchAll(/`(tiledb-inspect .+?)`/g), ([, command]) => command),
  }))
}

/** Sections by what links call them. */
function sectionsOf(page: string): Map<string, string> {
  return new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((text) => {
        const title = text.slice(0, text.indexOf('\n'))
        const anchor = title
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, '')
          .replaceAll(' ', '-')
        return [anchor, text] as const
      }),
  )
}

const needs = needsOf(PAGE)
const sections = sectionsOf(PAGE)

// What the commands print is held against the page in sessions.test.ts, as on every page.
describe('the table of needs', () => {
  test.each(NEEDS)('has one for "%s"', (words) => {
    expect(needs.filter(({ name }) => name.includes(words))).toHaveLength(1)
  })

  test.each(needs)('$name: the commands are those of the session, two at most', ({ anchor, commands }) => {
    const section = sections.get(anchor) ?? ''
    expect(Array.from(section.matchAll(/^\$ (.*)$/gm), ([, command]) => command)).toEqual(commands)
    expect(commands.length).toBeGreaterThan(0)
    expect(commands.length).toBeLessThanOrEqual(MAX_COMMANDS)
  })

  test('has every section', () => {
    expect(needs.map(({ anchor }) => anchor)).toEqual([...sections.keys()])
  })
})

describe('the cells for pandas', () => {
  const code = /^```python\n(.*?)^```/ms.exec(PAGE)?.[1] ?? ''

  test('are an Arrow stream', async () => {
    const [args] = /\["tiledb-inspect".*?\]/.exec(code) ?? ['[]']
    const words: unknown = JSON.parse(args)
    if (!Array.isArray(words)) throw new Error('expected a list of words')
    const { code: exit, stdout } = await run(words.slice(1).map(String))
    expect(exit).toBe(0)
    const table = tableFromIPC(stdout)
    expect([table.names, table.numRows]).toEqual([['lat', 'lon', 'name', 'population', 'founded'], 40])
  })
})
