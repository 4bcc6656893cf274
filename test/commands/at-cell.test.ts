import { describe, expect, test } from '@jest/globals'
import { run, runJson } from '../helpers/run.ts'

const FIXTURES = 'test/fixtures'

interface Version {
  fragment: string
  state: string
  tile: number
  position: number
}

/** Arrays with several fragments. */
const ARRAYS: readonly string[] = [
  '22/deletes',
  '22/deletes_consolidated',
  '22/dense_vacuum_left',
  '22/vacuum_left',
  'merged/deletes',
  'merged/deletes_duplicates',
  'removed/dense_consolidated',
]

/** Largest number of cells of an array that are tried. */
const MOST = 12

describe('at --cell of an array shows the version that history says a reader has, or else the newest', () => {
  const states = new Set<string>()

  test.each(ARRAYS)('%s', async (name) => {
    const path = `${FIXTURES}/${name}`
    const [schema] = (await runJson(['schema', path])).documents as { dimensions: { name: string }[] }[]
    const ranges = schema.dimensions.flatMap((dimension) => ['--range', `${dimension.name}=..`])
    const histories = (await runJson(['history', path, ...ranges])).documents as unknown as {
      cell: Record<string, unknown>
      versions: Version[]
    }[]
    const step = Math.max(1, Math.floor(histories.length / MOST))
    for (const { cell, versions } of histories.filter((_, i) => i % step === 0)) {
      const shown = versions.findLast(({ state }) => state === 'current') ?? versions[versions.length - 1]
      const { code, documents } = await runJson([
        'at',
        path,
        '--cell',
        Object.entries(cell)
          .map(([name, value]) => `${name}=${value}`)
          .join(),
      ])
      const [found] = documents as unknown as {
        path: string
        state: string
        other_fragments: string[]
        cells: Version[]
      }[]
      expect({ code, path: found.path, state: found.state }).toEqual({
        code: 0,
        path: `${path}/__fragments/${shown.fragment}`,
        state: shown.state,
      })
      const same = versions.filter(({ fragment, state }) => fragment === shown.fragment && state === shown.state)
      const place = ({ tile, position }: Version): string => `${tile} ${position}`
      expect(found.cells.map(place).sort()).toEqual(same.map(place).sort())
      const others = versions.filter(({ fragment }) => fragment !== shown.fragment)
      expect(found.other_fragments).toEqual([...new Set(others.map(({ fragment }) => fragment))])
      states.add(shown.state)
    }
  })

  test('among them deleted ones', () => expect([...states]).toEqual(expect.arrayContaining(['current', 'deleted'])))
})

test('it says on the screen whose version it is, and where others are', async () => {
  const { text } = await run(['at', `${FIXTURES}/22/dense_vacuum_left`, '--cell', 'y=1,x=1'])
  expect(text).toContain('\na reader has this version\n')
  expect(text).toMatch(/\nother versions, which history shows: __10_10_/)
})

test('a cell that no fragment has is not found: exit 1; outside the domain the call is wrong', async () => {
  const array = `${FIXTURES}/22/deletes`
  expect(await run(['at', array, '--cell', 'x=2,y=1'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('no such cell'),
  })
  expect((await run(['at', array, '--cell', 'x=1000,y=1'])).code).toBe(2)
})
