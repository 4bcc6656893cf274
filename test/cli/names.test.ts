import { describe, expect, test } from '@jest/globals'
import { nearest } from '../../src/base/nearest.ts'
import { formatNames } from '../../src/cli/formats.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const PLACES = 'examples/arrays/places'
const FRAGMENT = '__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_22'
const VACUUM = `${FIXTURES}/22/vacuum_left`

describe('the beginning of a fragment name', () => {
  test.each([
    `${PLACES}/__1714`,
    `${PLACES}/__fragments/__1714`,
    `${PLACES}/__fragments/__1714557600000_1714557600000_04894f559517af000ebf5f96a638b95d_`,
    `${PLACES}/__1714/`,
  ])('%s is enough', async (path) => {
    const { code, documents } = await runJson(['ls', path])
    expect(code).toBe(0)
    expect(get(documents[0], 'name')).toBe(FRAGMENT)
    expect(String(get(documents[0], 'path')).replace(/\/$/, '')).toBe(`${PLACES}/__fragments/${FRAGMENT}`)
  })

  test('is enough in the path of a file', async () => {
    const { code, text } = await run(['tile', `${PLACES}/__17`, 'd0.tdb', '1'])
    expect(code).toBe(0)
    expect(text).toContain('lat, tile 1 of 5')
    expect((await run(['footer', `${PLACES}/__17/__fragment_metadata.tdb`])).code).toBe(0)
  })

  test('is enough in arrays of format versions 1 to 4, whose fragments lie in the array itself', async () => {
    for (const array of ['1/sparse_2d_row', '2/sparse_basic', '3/sparse_basic', '4/sparse_basic']) {
      const { documents } = await runJson(['ls', `${FIXTURES}/${array}`])
      const name = String(get(items(get(documents[0], 'fragments'))[0], 'name'))
      expect(name).toMatch(/^__/)
      const short = `${FIXTURES}/${array}/${name.slice(0, 12)}`
      expect(get((await runJson(['ls', short])).documents[0], 'name')).toBe(name)
    }
  })

  test('that several share is refused, and they are listed', async () => {
    const { code, stderr } = await run(['ls', `${VACUUM}/__10`])
    expect(code).toBe(2)
    expect(stderr).toBe(
      'error: expected the name of one fragment, found "__10", which begins those of ' +
        '__10_10_06276b4913d6b960a4f63b451b251abe_22, __10_30_32ef0f2d841e4284eb2d65bafd915a38_22\n',
    )
    expect((await run(['ls', `${VACUUM}/__10_1`])).code).toBe(0)
  })

  test('that none has is a missing path', async () => {
    expect((await run(['ls', `${PLACES}/__99`])).code).toBe(3)
  })
})

test('a fragment is found by its whole name below the array, as ls prints it', async () => {
  const { code, documents } = await runJson(['ls', `${PLACES}/${FRAGMENT}`])
  expect(code).toBe(0)
  expect(get(documents[0], 'path')).toBe(`${PLACES}/__fragments/${FRAGMENT}`)
  expect((await run(['footer', `${PLACES}/${FRAGMENT}/__fragment_metadata.tdb`])).code).toBe(0)
  // A name that no fragment has is a missing path, and is shown as it was written.
  const { code: missing, stderr } = await run(['ls', `${PLACES}/${FRAGMENT.replace('17', '18')}`])
  expect(missing).toBe(3)
  expect(stderr).toContain(`${PLACES}/${FRAGMENT.replace('17', '18')}: no such file`)
})

describe('a wrong word gets one line with the nearest right one', () => {
  test.each([
    [['ls', '--fromat', 'json', PLACES], 2, "error: unknown option '--fromat'; did you mean --format?\n"],
    [['read', '--wher=population > 5000000', PLACES], 2, "error: unknown option '--wher'; did you mean --where?\n"],
    [['ls', '--zzz=1', PLACES], 2, "error: unknown option '--zzz'\n"],
    [['ls', '--csv=yes', PLACES], 2, "error: unknown option '--csv'; --format csv\n"],
    [['lss', PLACES], 2, "error: unknown command 'lss'; did you mean ls?\n"],
    [
      ['ls', '--format', 'jsn', PLACES],
      2,
      `error: --format expects ${formatNames({}).join(', ')}, found "jsn"; did you mean "json"?\n`,
    ],
    [
      ['tile', `${PLACES}/__17`, 'lta'],
      2,
      'error: expected a field ("name", "population", "founded", "lat", "lon") or one of its files, found "lta"; did you mean "lat"?\n',
    ],
    [
      ['ls', PLACES, '--range', 'long=1'],
      2,
      'error: --range expects NAME=LO..HI with a dimension (lat, lon), found "long=1"; did you mean "lon"?\n',
    ],
    [
      ['ls', 'examples/arrays/plaecs'],
      3,
      'error: examples/arrays/plaecs: no such file or folder; did you mean "places"?\n',
    ],
    [['ls'], 2, "error: missing required argument 'target'; tiledb-inspect ls --help has examples\n"],
  ] as const)('%j', async (args, exit, message) => {
    const { code, stderr, text } = await run(args)
    expect({ code, stderr, text }).toEqual({ code: exit, stderr: message, text: '' })
  })

  test.each([
    ['decode', `${PLACES}/__17`, '--field', 'pupulation'],
    ['tiles', `${PLACES}/__17`, '--field', 'pupulation'],
  ])('%s %s %s %s', async (...args) => {
    const { code, stderr } = await run(args)
    expect(code).toBe(2)
    expect(stderr).toMatch(/found "pupulation"; did you mean "population"\?\n$/)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('and none where nothing is near', async () => {
    expect((await run(['frobnicate'])).stderr).toBe('error: unknown command or no such file or folder: frobnicate\n')
    expect((await run(['tile', `${PLACES}/__17`, 'temperature'])).stderr).toMatch(/found "temperature"\n$/)
  })
})

test('nearest: slips, beginnings, capitals', () => {
  expect(nearest('lta', ['lon', 'lat'])).toBe('lat')
  expect(nearest('POPULATION', ['lat', 'population'])).toBe('population')
  expect(nearest('pop', ['lat', 'population'])).toBe('population')
  expect(nearest('X', ['y', 'x'])).toBe('x')
  expect(nearest('x', ['y', 'name'])).toBeUndefined()
  expect(nearest('xy', ['x', 'yx'])).toBe('x')
  expect(nearest('temperature', ['lat', 'population'])).toBeUndefined()
  expect(nearest('', ['lat'])).toBeUndefined()
})
