import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { filesBelow, temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

async function bytesOf(name: string, ...args: string[]): Promise<Map<string, Uint8Array>> {
  const { code, stderr } = await run(['write-sample', `${folder}/${name}`, ...args])
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return filesBelow(`${folder}/${name}`, '')
}

describe('write-sample', () => {
  test('same options and seed, same bytes; another seed, others', async () => {
    for (const [i, more] of [[], ['--dense'], ['--key', '0123456789abcdeF0123456789abcdeF']].entries()) {
      const [one, two] = [await bytesOf(`one${i}`, ...more), await bytesOf(`two${i}`, ...more)]
      expect(two).toEqual(one)
      const other = await bytesOf(`three${i}`, ...more, '--seed', '2')
      const contents = (files: Map<string, Uint8Array>): string[] =>
        [...files.values()]
          .filter(({ length }) => length > 0)
          .map((bytes) => Buffer.from(bytes).toString('hex'))
          .sort()
      expect(contents(other).filter((bytes) => contents(one).includes(bytes)).length).toBeLessThan(other.size / 2)
    }
  })

  test('initialisation vectors do not repeat, within an array and between arrays under one key', async () => {
    const key = ['--key', '0123456789abcdeF0123456789abcdeF']
    const vectors: string[] = []
    for (const more of [[], ['--seed', '2'], ['--filters', 'gzip'], ['--cells', '900']]) {
      const name = `iv${vectors.length}`
      await bytesOf(name, ...key, ...more)
      for (const fragment of fragmentNames(`${folder}/${name}`)) {
        const target = `${folder}/${name}/__fragments/${fragment}`
        for (let tile = 0; tile < 5; tile++) {
          const { text } = await run(['tile', target, 'id', String(tile), ...key, '--json'])
          vectors.push(...Array.from(text.matchAll(/"iv": ?"([^"]*)"/g), ([, iv]) => iv))
        }
      }
    }
    expect(vectors.length).toBeGreaterThanOrEqual(40)
    expect(new Set(vectors).size).toBe(vectors.length)
  })

  test('says what the sample holds and what to try, and that works', async () => {
    const path = `${folder}/default`
    const { text, code } = await run(['write-sample', path])
    expect(code).toBe(0)
    expect(text).toMatch(/^\S+: sparse array, written\nformat version {2}22 /)
    expect(text).toMatch(/1,000 cells in 2 fragments/)
    const commands = text
      .slice(text.indexOf('\ntry\n') + 5)
      .trim()
      .split('\n')
    expect(commands.length).toBeGreaterThanOrEqual(5)
    for (const command of commands) {
      const [program, ...args] = command.trim().split(' ')
      expect(program).toBe('tiledb-inspect')
      expect(await run(args)).toMatchObject({ code: 0, stderr: '' })
    }
  })

  test('never overwrites', async () => {
    for (const [name, make] of [
      ['folder', (path: string) => mkdirSync(path)],
      ['file', (path: string) => writeFileSync(path, 'mine')],
    ] as const) {
      const path = `${folder}/taken-${name}`
      make(path)
      const { code, stderr } = await run(['write-sample', path])
      expect(code).toBe(2)
      expect(stderr).toMatch(/nothing is ever overwritten/)
      if (name === 'folder') expect(readdirSync(path)).toEqual([])
      else expect(statSync(path).size).toBe(4)
    }
  })

  test('a failure half-way leaves nothing behind', async () => {
    const inside = `${folder}/inside`
    mkdirSync(inside)
    const data = `${folder}/bad.ndjson`
    writeFileSync(data, '{"x":1,"a":1}\n{"x":2,"a":"two"}\n')
    const { code, stderr } = await run([
      ...['write-sample', `${inside}/array`, '--dim', 'x:INT32:1..10', '--attr', 'a:INT32', '--data', data],
    ])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/bad\.ndjson: field a: line 2: expected/),
    })
    expect(readdirSync(inside)).toEqual([])
  })

  test('a folder that cannot be made is no fault of the program', async () => {
    const { code, stderr } = await run(['write-sample', `${folder}/no/such/place`])
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(/no such file or folder/) })
  })

  test('formats 3 to 22 have each their layout', async () => {
    const tops = async (version: number): Promise<string[]> => {
      await bytesOf(`v${version}`, '--format-version', String(version), '--cells', '20')
      return [
        ...new Set(readdirSync(`${folder}/v${version}`).map((name) => name.replace(/\d+_\d+_[0-9a-f]{32}/, '…'))),
      ].sort()
    }
    const fragments = (version: number): string => (version < 5 ? '__…' : `__…_${version}`)
    expect(await tops(3)).toEqual(['__array_schema.tdb', fragments(3), '__lock.tdb'].sort())
    expect(await tops(4)).toEqual(['__array_schema.tdb', fragments(4), '__lock.tdb', '__meta'].sort())
    expect(await tops(5)).toEqual(['__array_schema.tdb', fragments(5), '__…_5.ok', '__lock.tdb', '__meta'].sort())
    expect(await tops(10)).toEqual(['__schema', fragments(10), '__…_10.ok', '__lock.tdb', '__meta'].sort())
    expect(await tops(12)).toEqual(['__schema', '__fragments', '__commits', '__meta'].sort())
    expect(await tops(22)).toEqual(['__schema', '__fragments', '__commits', '__meta'].sort())
    expect(existsSync(`${folder}/v22/__schema/__enumerations`)).toBe(true)
  })
})

describe('dates in --dim', () => {
  test.each([
    ['DATETIME_YEAR:-1000..3000', '["-1000", "3000"]'],
    ['DATETIME_YEAR:-0500..-010', '["-500", "-010"]'],
    ['DATETIME_YEAR:1900..100000', '["1900", "100000"]'],
    ['DATETIME_DAY:-1000..3000:10000', '["-1000-01-01", "3000-01-01"]'],
    ['DATETIME_DAY:-1000..10000', '["1967-04-07", "1997-05-19"]'],
    ['DATETIME_DAY:2024-01-01..20000', '["2024-01-01", "2024-10-04"]'],
  ])('%s: years, or counts where digits alone are too many for a year', async (dimension, domain) => {
    const name = dimension.replaceAll(/\W/g, '_')
    await bytesOf(name, '--dim', `x:${dimension}`, '--attr', 'a:INT32', '--cells', '5')
    const { text } = await run(['schema', `${folder}/${name}`, '--json'])
    expect(text).toContain(`"domain": ${domain}`)
  })
})

/** Wrong options, and the messages about them. */
const REFUSALS: readonly (readonly [string, RegExp])[] = [
  ['--dense --sparse', /--dense and --sparse exclude each other/],
  ['--format-version 2', /--format-version expects a version from 3 to 22, found 2/],
  [`--format-version ${NEWEST_FORMAT_VERSION + 1} --experimental`, /from 3 to 22, found \d+/],
  [`--format-version ${NEWEST_FORMAT_VERSION}`, /no TileDB release opens format version \d+: --experimental/],
  ['--filters zsdt', /--filters expects filters \(.*ZSTD.*\), found "zsdt"/],
  ['--filters zstd:lvl=3', /--filters ZSTD expects options level/],
  ['--filters gzip:level=10', /level expects an integer from -2147483648 to 9/],
  ['--filters aes-256-gcm', /--key encrypts the array/],
  [
    '--attr s:STRING_ASCII --filters positive-delta',
    /no attribute accepts positive-delta \(s: POSITIVE_DELTA does not accept STRING_ASCII\)/,
  ],
  ['--attr a:INT32 --filters dictionary', /DICTIONARY_ENCODING accepts var-sized STRING_ASCII and STRING_UTF8 only/],
  ['--filters webp', /no attribute accepts webp/],
  ['--format-version 12 --filters dictionary', /DICTIONARY_ENCODING exists since format version 13/],
  ['--format-version 3 --filters md5', /CHECKSUM_MD5 exists since format version 4/],
  ['--format-version 15 --filters xor', /XOR exists since format version 16/],
  ['--format-version 18 --filters delta', /DELTA exists since format version 19/],
  ['--field-filters nothing=zstd', /--field-filters expects NAME=FILTERS with a field of the schema/],
  ['--attr s:STRING_ASCII --field-filters s=rle,rle', /RLE of var-sized text may be there only once/],
  ['--attr f:FLOAT64 --field-filters f=gzip,scale-float:scale=1', /SCALE_FLOAT ruins what GZIP makes/],
  ['--format-version 6 --attr a:INT32:nullable', /nullable attributes exist since format version 7/],
  ['--format-version 6 --cell-order hilbert', /Hilbert order exist.* since format version 7/],
  ['--format-version 4 --dim s:STRING_ASCII', /string dimensions exist since format version 5/],
  ['--format-version 3 --metadata a=1', /array metadata exists since format version 4/],
  ['--format-version 19 --enum e:INT32=1,2', /enumerations exist since format version 20/],
  ['--format-version 6 --validity-filters zstd', /nullable attributes exist since format version 7/],
  ['--dense --cell-order hilbert', /row-major or col-major in a dense array, found hilbert/],
  ['--dense --dim f:FLOAT32', /integers, dates or times in a dense array, found FLOAT32/],
  ['--dense --duplicates', /false in a dense array, found true/],
  ['--dim x:INT32:1..5 --cells 1000', /expects at most 10, as many as the domain has room for/],
  ['--dim x:INT32:1..10:20', /tile_extent.*from 1 to 10/],
  ['--dim x:INT8:-128..127:10', /fewer values than INT8 has/],
  ['--dim x:INT31', /--dim expects NAME:TYPE/],
  ['--attr a:INT32:many', /a number, var, nullable, enum=NAME or fill=VALUE after the type, found "many"/],
  ['--attr a:INT32 --attr a:INT8', /a name of its own, found "a" twice/],
  ['--metadata nothing', /--metadata expects KEY=JSON/],
  ['--cells many', /--cells expects an integer/],
  ['--data - --schema -', /cannot both be standard input/],
  ['--data -', /--data needs the schema/],
  ['--dim x:INT32 --cells 5 --data -', /--data says what --cells would/],
]

describe('write-sample refuses', () => {
  for (const [args, message] of REFUSALS) {
    test(args, async () => {
      const path = `${folder}/refused`
      const { code, stderr } = await run(['write-sample', path, ...args.split(' ')])
      expect(stderr).toMatch(message)
      expect(stderr.trim().split('\n').length).toBe(1)
      expect(code).toBe(2)
      expect(existsSync(path)).toBe(false)
    })
  }
})
