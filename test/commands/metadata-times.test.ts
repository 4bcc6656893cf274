import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const METADATA = 'test/fixtures/22/metadata'
const folder = temporaryFolder()

test('each key has the times of the file that its value comes from', async () => {
  const now = JSON.parse((await run(['metadata', '--json', METADATA])).text).metadata
  const then = JSON.parse((await run(['metadata', '--json', '--as-of', '15', METADATA])).text).metadata
  expect(then.changed.timestamp_range).toEqual([10, 10])
  expect(now.changed.timestamp_range).toEqual([20, 20])
  expect(now.ascii.timestamp_range).toEqual([10, 10])
})

test('diff does not ask when a value was written', async () => {
  const array = `${folder}/weather`
  cpSync('examples/arrays/weather', array, { recursive: true })
  const [name] = readdirSync(`${array}/__meta`)
  renameSync(`${array}/__meta/${name}`, `${array}/__meta/${name.replaceAll('1714557601000', '1714557602000')}`)
  expect(await run(['diff', 'examples/arrays/weather', array])).toMatchObject({ code: 0 })
})

describe('metadata --all', () => {
  const folder = 'test/fixtures/metadata_versions'
  const expected: Record<string, Record<string, unknown>> = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'))
  interface Version {
    key: string
    timestamp_range: [number, number]
    deleted: boolean
    value: unknown
    current: boolean
    consolidated: boolean
    file: string
  }
  const versions = async (...args: string[]): Promise<Version[]> =>
    JSON.parse((await run(['metadata', '--all', '--json', `${folder}/array`, ...args])).text).versions

  test.each(Object.keys(expected))('has of each key the version that TileDB reads at %s', async (time) => {
    for (const isCopy of [false, true]) {
      const found: Record<string, unknown> = {}
      const own = (await versions()).filter(({ consolidated }) => !consolidated || isCopy)
      for (const { key, timestamp_range, deleted, value } of own) {
        if (timestamp_range[1] > Number(time)) continue
        if (deleted) delete found[key]
        else found[key] = value
      }
      expect(found).toEqual(expected[time])
    }
    const current = (await versions('--as-of', time)).filter((one) => one.current)
    expect(Object.fromEntries(current.map(({ key, value }) => [key, value]))).toEqual(expected[time])
  })

  test('names the file of each, and what is a copy of a consolidation', async () => {
    const all = (await versions()).filter(({ key }) => key === 'n')
    expect(
      all.map(({ timestamp_range, deleted, value, consolidated }) => [timestamp_range, deleted, value, consolidated]),
    ).toEqual([
      [[10, 10], false, 1, false],
      [[30, 30], true, null, false],
      [[40, 40], false, [1, 2, 3], false],
      [[10, 40], false, [1, 2, 3], true],
    ])
    for (const { file } of all) expect(existsSync(`${folder}/array/${file}`)).toBe(true)
  })

  test('shows no keys of which only deletions are stored, unless all is wanted', async () => {
    const { text } = await run(['metadata', '--all', `${folder}/array`])
    expect(text).not.toContain('__np_flat_n')
    expect(text).toContain('only deletions')
    expect((await run(['metadata', '--all', '--full', `${folder}/array`])).text).toContain('__np_flat_n')
  })

  test('refuses a fragment, and --hex', async () => {
    const [name] = fragmentNames('test/fixtures/22/deletes')
    expect((await run(['metadata', '--all', `test/fixtures/22/deletes/__fragments/${name}`])).code).toBe(2)
    expect((await run(['metadata', '--all', '--hex', METADATA])).code).toBe(2)
  })
})
