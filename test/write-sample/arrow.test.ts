import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { arrowRows } from '../../src/write/arrow-rows.ts'
import type { RowFields } from '../../src/write/ndjson-cells.ts'
import { FIXTURES, fixtureFolders, fixtureKey } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { parseJsonDocuments } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'
import { shortTurn, turnOf } from '../helpers/turn.ts'

const folder = temporaryFolder()
const ARROW = `${FIXTURES}/arrow`
let serial = 0

const X = { name: 'x', type: 'INT32', domain: [0, 1000], tile_extent: 10 }
const TYPES = {
  array_type: 'sparse',
  capacity: 5,
  dimensions: [X],
  enumerations: [
    { name: 'colors', type: 'STRING_ASCII', values: ['blue', 'green', 'red'] },
    { name: 'numbers', type: 'INT64', values: [20, 10, 0] },
  ],
  attributes: [
    { name: 'i8', type: 'INT8' },
    { name: 'u16', type: 'UINT16', nullable: true },
    { name: 'i64', type: 'INT64', nullable: true },
    { name: 'u64', type: 'UINT64' },
    { name: 'f16', type: 'FLOAT32' },
    { name: 'f32', type: 'FLOAT32', nullable: true },
    { name: 'f64', type: 'FLOAT64' },
    { name: 'b', type: 'BOOL', nullable: true },
    { name: 's', type: 'STRING_UTF8', cell_val_num: 'var', nullable: true },
    { name: 'large_s', type: 'STRING_UTF16', cell_val_num: 'var' },
    { name: 'view_s', type: 'STRING_UTF8', cell_val_num: 'var', nullable: true },
    { name: 'bytes', type: 'BLOB', cell_val_num: 'var' },
    { name: 'large_bytes', type: 'BLOB', cell_val_num: 'var', nullable: true },
    { name: 'view_bytes', type: 'BLOB', cell_val_num: 'var' },
    { name: 'four', type: 'CHAR', cell_val_num: 4 },
    { name: 'date32', type: 'DATETIME_DAY' },
    { name: 'date64', type: 'DATETIME_DAY', nullable: true },
    { name: 'sec', type: 'DATETIME_SEC' },
    { name: 'ms', type: 'DATETIME_MS' },
    { name: 'us_as_ns', type: 'DATETIME_NS', nullable: true },
    { name: 'ns', type: 'DATETIME_NS' },
    { name: 'time32', type: 'TIME_SEC' },
    { name: 'time64_as_ns', type: 'TIME_NS', nullable: true },
    { name: 'duration_as_sec', type: 'TIME_SEC' },
    { name: 'color', type: 'UINT8', enumeration: 'colors', nullable: true },
    { name: 'plain', type: 'STRING_ASCII', cell_val_num: 'var' },
    { name: 'tens', type: 'INT32', enumeration: 'numbers' },
    { name: 'list', type: 'INT16', cell_val_num: 'var', nullable: true },
    { name: 'large_list', type: 'FLOAT32', cell_val_num: 'var' },
    { name: 'triple', type: 'UINT8', cell_val_num: 3 },
  ],
}

const FIELD_TYPES = new Map(TYPES.attributes.map(({ name, type }): [string, Datatype] => [name, type as Datatype]))

async function write(schema: object, data: string, ...more: string[]): Promise<{ array: string; stderr: string }> {
  const array = `${folder}/${serial++}`
  writeFileSync(`${array}.json`, JSON.stringify(schema))
  const { code, stderr } = await run([
    'write-sample',
    array,
    '--quiet',
    '--schema',
    `${array}.json`,
    '--data',
    data,
    ...more,
  ])
  return { array, stderr: code === 0 ? '' : `${code}: ${stderr}` }
}

async function ok(...args: string[]): Promise<string> {
  const { code, text, stderr } = await run(args)
  if (code !== 0) throw new Error(`${args.join(' ')}: exit ${code}: ${stderr}`)
  return text
}

async function cellsOf(array: string): Promise<unknown[]> {
  return parseJsonDocuments(await ok('read', array, '--labels', '--format', 'ndjson', '--quiet'))
}

/** The schema with only one attribute, in another form. */
const withField = (name: string, changed: object) => ({
  ...TYPES,
  attributes: TYPES.attributes.map((one) => (one.name === name ? { ...one, ...changed } : one)),
})

describe('rows that pyarrow wrote', () => {
  const expected = parseJsonDocuments(readFileSync(`${ARROW}/types.ndjson`, 'utf8'))

  test.each(['types.arrow', 'types.arrows', 'zstd.arrow', 'lz4.arrow'])('%s: every type', async (name) => {
    const { array, stderr } = await write(TYPES, `${ARROW}/${name}`)
    expect(stderr).toBe('')
    expect(await cellsOf(array)).toEqual(expected)
  })

  test('a file of another name is known by its first bytes', async () => {
    for (const name of ['types.arrow', 'types.arrows']) {
      const copy = `${folder}/rows-${serial++}`
      writeFileSync(copy, readFileSync(`${ARROW}/${name}`))
      const { array, stderr } = await write(TYPES, copy)
      expect(stderr).toBe('')
      expect(await cellsOf(array)).toEqual(expected)
    }
  })

  test('blocks of LZ4 that refer to those before them', async () => {
    const schema = {
      array_type: 'sparse',
      allows_duplicates: true,
      dimensions: [X],
      attributes: [{ name: 'a', type: 'INT64' }],
    }
    const { array, stderr } = await write(schema, `${ARROW}/large.arrow`)
    expect(stderr).toBe('')
    const cells = (await cellsOf(array)) as { x: number; a: number }[]
    expect(cells).toHaveLength(20_000)
    const pairs = new Set(cells.map(({ x, a }) => `${x} ${a}`))
    expect(pairs).toEqual(new Set(cells.map((_, i) => `${Math.floor(i / 100)} ${i % 64}`)))
  })

  test.each(['growing', 'replaced'])('dictionaries: %s', async (name) => {
    const schema = {
      ...TYPES,
      enumerations: [{ name: 'trees', type: 'STRING_ASCII', values: ['fir', 'yew', 'elm', 'oak'] }],
      attributes: [{ name: 'tree', type: 'UINT8', enumeration: 'trees' }],
    }
    const { array, stderr } = await write(schema, `${ARROW}/${name}.arrows`)
    expect(stderr).toBe('')
    const trees = (await cellsOf(array)) as { tree: string }[]
    expect(trees.map(({ tree }) => tree)).toEqual(['oak', 'elm', 'elm', 'yew', 'oak', 'fir'])
  })

  test('a date that is missing is NaT where the attribute is not nullable', async () => {
    const { array, stderr } = await write(withField('date64', { nullable: false }), `${ARROW}/types.arrow`)
    expect(stderr).toBe('')
    const dates = (await cellsOf(array)) as { date64: string }[]
    expect(dates.slice(2, 5).map(({ date64 }) => date64)).toEqual(['1969-12-30', 'NaT', '1970-01-01'])
  })

  test('steps take it, too', async () => {
    const array = `${folder}/${serial++}`
    const data = `${ARROW}/lz4.arrow`
    writeFileSync(
      `${array}.json`,
      JSON.stringify([
        { step: 'create', schema: TYPES },
        { step: 'write', data },
      ]),
    )
    await ok('write-sample', array, '--steps', `${array}.json`, '--quiet')
    expect(await cellsOf(array)).toEqual(expected)
  })
})

/** A stream whose schema says so, and has nothing else. @see format/Message.fbs and format/Schema.fbs in the Arrow repository */
function bigEndian(): Uint8Array {
  const int16s = [16, 0, 10, 12, 0, 8, 4, 0, 12, 0, 16, 0, 1, 0, 6, 8, 4, 0, 8, 0, 1, 0]
  const head = new Uint8Array(Int16Array.from(int16s).buffer)
  return Buffer.concat([Int32Array.of(-1, head.length), head].map((part) => new Uint8Array(part.buffer)))
}

describe('what cannot be read', () => {
  const schema = { ...TYPES, enumerations: [], attributes: [{ name: 'a', type: 'INT32' }] }

  test.each([
    ['struct', 'struct'],
    ['decimal', 'decimal'],
    ['map', 'map'],
    ['run_end_encoded', 'run end encoded'],
    ['month_interval', 'interval'],
  ])('%s', async (name, said) => {
    const { stderr } = await write(schema, `${ARROW}/not_${name}.arrow`)
    expect(stderr).toMatch(`found ${said}: cast the column`)
    expect(stderr).toMatch(/^2: .*\ba\b/s)
  })

  test.each<[string, object, string]>([
    ['u16', { type: 'UINT8' }, 'an integer from 0 to 255 for UINT8, found 65535'],
    ['ms', { type: 'DATETIME_SEC' }, 'a whole number of units for DATETIME_SEC, found "2024-02-29T12:30:15.123"'],
    ['time64_as_ns', { type: 'TIME_SEC' }, 'a whole number of units of TIME_SEC, found 1000001 of TIME_US'],
    ['duration_as_sec', { type: 'DATETIME_SEC' }, 'DATETIME_SEC, found times of day or durations'],
    ['s', { nullable: false }, 'not nullable'],
    ['plain', { type: 'FLOAT32', cell_val_num: 1 }, 'a number, "NaN"'],
    ['triple', { cell_val_num: 2 }, 'an array of 2 UINT8 values, found an array of 3'],
    ['color', { enumeration: 'numbers' }, 'for INT64, found "red"'],
  ])('%s as another field', async (name, changed, said) => {
    const { stderr } = await write(withField(name, changed), `${ARROW}/types.arrow`)
    expect(stderr).toContain(said)
    expect(stderr).toContain(name)
  })

  test('other formats, big-endian, cut and damaged files', async () => {
    const whole = readFileSync(`${ARROW}/types.arrow`)
    const stream = readFileSync(`${ARROW}/types.arrows`)
    const said = async (bytes: Uint8Array): Promise<string> => {
      const file = `${folder}/${serial++}.arrow`
      writeFileSync(file, bytes)
      return (await write(TYPES, file)).stderr
    }
    expect(await said(Buffer.from('PAR1...PAR1'))).toContain('found Parquet')
    expect(await said(Buffer.from('FEA1...FEA1'))).toContain('Feather version 1')
    expect(await said(whole.subarray(0, -100))).toContain('it may be cut')
    expect(await said(stream.subarray(0, 9000))).toMatch(/\.arrow: expected the body of a message inside the file/)
    expect(await said(bigEndian())).toContain('found big-endian')
    expect(await said(new Uint8Array(0))).toContain('found no schema')
    expect(await said(Buffer.from('{"x": 1}\n'))).toContain('expected a message inside the file')
  })

  test.each(['types.arrow', 'types.arrows', 'zstd.arrow', 'lz4.arrow'])(
    '%s with a bit flipped: rows, or an error',
    async (name) => {
      const bytes = readFileSync(`${ARROW}/${name}`)
      const fields: RowFields = {
        of: (field) => ({ type: FIELD_TYPES.get(field) ?? 'INT32', nullable: false, labels: false }),
        takeLabels: () => {},
      }
      for (const i of turnOf(bytes.length, 160)) {
        const copy = Uint8Array.from(bytes)
        copy[i] ^= 1 << ((i * 7) % 8)
        try {
          await arrowRows(async () => copy, writingCodecs)((_, read) => void read(), fields)
        } catch (error) {
          if (!(error instanceof InspectError)) throw new Error(`byte ${i}`, { cause: error })
        }
      }
    },
  )
})

describe('what decode --format arrow writes', () => {
  const arrays = fixtureFolders().filter(
    ({ kind, name }) => kind === 'array' && /^(?:16|22)\/(?!evolved|[^/]*\/)/.test(name),
  )

  test.each(shortTurn(arrays, 12))('$name comes back', async ({ path, name }) => {
    const secret = fixtureKey(name)
    const key = secret === undefined ? [] : ['--key', secret]
    const schema = `${folder}/${serial++}.json`
    writeFileSync(schema, await ok('schema', path, '--json', '--raw', ...key))
    const there = existsSync(`${path}/__fragments`) ? fragmentNames(path) : []
    const fragments = there.filter((one) => /^__\d+_\d+_[^.]+$/.test(one))
    for (const fragment of fragments) {
      const cells = async (at: string) =>
        (await ok('decode', at, '--format', 'ndjson', '--raw', '--quiet', ...key)).split('\n').sort()
      const before = await cells(`${path}/__fragments/${fragment}`)
      const data = `${folder}/${serial++}.arrow`
      // Some days do not fit Arrow's dates.
      const raw = name.endsWith('/type_datetimes') ? ['--raw'] : []
      await ok('decode', `${path}/__fragments/${fragment}`, '-o', data, '--quiet', ...raw, ...key)
      const again = `${folder}/${serial++}`
      await ok('write-sample', again, '--quiet', '--schema', schema, '--data', data, '--raw', ...key)
      const [other] = fragmentNames(again)
      expect(await cells(`${again}/__fragments/${other}`)).toEqual(before)
    }
  })
})
