import { readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { DATATYPES, datatypeKind } from '../../src/format/datatype.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { shortTurn, turn } from '../helpers/turn.ts'

const folder = temporaryFolder()
const KEY = '0123456789abcdeF0123456789abcdeF'
let serial = 0

async function ok(args: readonly string[]): Promise<string> {
  const { code, text, stderr } = await run(args)
  if (code !== 0) throw new Error(`${args.join(' ')}: exit ${code}: ${stderr}${text.slice(0, 2000)}`)
  return text
}

/** Writes a sample. @returns its path */
async function written(...args: string[]): Promise<string> {
  const path = `${folder}/s${serial++}`
  await ok(['write-sample', path, '--quiet', ...args])
  return path
}

function fragmentsOf(array: string): string[] {
  return readdirSync(array, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('__fragment_metadata.tdb'))
    .map((path) => `${array}/${path.slice(0, path.lastIndexOf('/'))}`)
    .sort()
}

/**
 * Checks a written array: its checksums are right, its metadata fits its cells, and each fragment has the same cells and schema
 * after it was written again with `--schema` and `--data`.
 */
async function agrees(array: string, key: readonly string[] = []): Promise<void> {
  await ok(['verify-checksums', array, '--deep', '--quiet', ...key])
  await ok(['check', array, '--level', 'cells', '--fail-on', 'warning', '--quiet', ...key])
  const schema = `${array}.schema.json`
  const document = await ok(['schema', array, '--json', ...key])
  writeFileSync(schema, document)
  for (const fragment of fragmentsOf(array)) {
    const cells = await ok(['decode', fragment, '--format', 'ndjson', '--quiet', ...key])
    expect(cells).not.toBe('')
    const data = `${array}.ndjson`
    writeFileSync(data, cells)
    const again = await written('--schema', schema, '--data', data, '--experimental', ...key)
    const [other] = fragmentsOf(again)
    expect(await ok(['decode', other, '--format', 'ndjson', '--quiet', ...key])).toBe(cells)
    expect(withoutName(await ok(['schema', again, '--json', ...key]))).toEqual(withoutName(document))
  }
}

/** Removes the name of a schema, which has the time of writing. */
function withoutName(schema: string): string {
  return schema.replace(/"(path|name)": ?"[^"]*s\d+"|"name": ?"__\d+_[^"]*"/g, '')
}

const VERSIONS = Array.from({ length: 21 }, (_, i) => i + 3)
const SMALL = ['--cells', '120', '--capacity', '50', '--fragments', '1']

describe('what write-sample writes, decode, verify-checksums and check agree with', () => {
  for (const version of shortTurn(VERSIONS, 21, 7)) {
    const format = ['--format-version', String(version), '--experimental']
    test(`version ${version}: sparse, dense, encrypted`, async () => {
      await agrees(await written(...format, ...SMALL, '--fragments', '2'))
      await agrees(await written(...format, ...SMALL, '--dense', '--cell-order', 'col-major'))
      const key = ['--key', KEY]
      await agrees(await written(...format, ...SMALL, ...key), key)
    })
    if (version < 7) continue
    test(`version ${version}: Hilbert order, duplicates, text dimensions, nulls`, async () => {
      await agrees(
        await written(...format, ...SMALL, '--cell-order', 'hilbert', '--dim', 'x:INT32', '--dim', 'y:INT32'),
      )
      const text = ['--dim', 's:STRING_ASCII', '--dim', 'f:FLOAT32', '--duplicates']
      await agrees(await written(...format, ...SMALL, ...text, '--attr', 'n:STRING_UTF8?', '--attr', 'v:INT16:var?'))
    })
  }

  const filters = [
    ...[
      'gzip',
      'zstd',
      'lz4',
      'bzip2',
      'rle',
      'double-delta',
      'delta',
      'bitshuffle',
      'byteshuffle',
      'xor',
      'md5',
      'sha256',
    ],
    ...['none', 'dictionary', 'positive-delta', 'bit-width-reduction:max_window_size=64', 'scale-float:scale=0.5,zstd'],
    ...['byteshuffle,zstd:level=9,sha256', 'positive-delta,bit-width-reduction,zstd', 'bitshuffle,lz4,md5', ''],
  ]
  for (const pipeline of shortTurn(filters, 20, 5)) {
    test(`filters ${JSON.stringify(pipeline)} wherever they are accepted`, async () => {
      await agrees(await written(...SMALL, '--filters', pipeline))
      await agrees(await written(...SMALL, '--filters', pipeline, '--dense', '--max-chunk-size', '64'))
    })
  }

  test('filters of offsets, validity and coordinates', async () => {
    for (const pipeline of turn(['zstd:level=3', 'double-delta,lz4', 'rle', 'bitshuffle,gzip', 'sha256'], 5)) {
      const each = ['--offsets-filters', pipeline, '--validity-filters', pipeline, '--coords-filters', pipeline]
      await agrees(await written(...SMALL, ...each))
    }
  })

  test('WEBP, without loss', async () => {
    const dims = ['--dense', '--dim', 'y:UINT8:1..8:4', '--dim', 'x:UINT8:1..12:6', '--attr', 'p:UINT8']
    for (const format of ['RGB', 'BGR']) {
      await agrees(await written(...dims, '--filters', `webp:lossless=true:format=${format}`))
    }
  })

  for (const type of shortTurn(DATATYPES, 32, 8)) {
    test(`attributes of ${type}: one value, several, var-sized, null`, async () => {
      const counts = type === 'ANY' ? ['var'] : ['1', '3', 'var']
      const attributes = counts.flatMap((count) => [
        '--attr',
        `a${count}:${type}:${count}`,
        '--attr',
        `n${count}:${type}:${count}?`,
      ])
      await agrees(await written(...SMALL, ...attributes))
      await agrees(await written(...SMALL, ...attributes, '--dense'))
    })
    const kind = datatypeKind(type)
    if (kind !== 'int' && kind !== 'uint' && kind !== 'datetime' && kind !== 'time') continue
    test(`dimensions of ${type}`, async () => {
      await agrees(await written('--cells', '50', '--dim', `d:${type}`))
      await agrees(await written('--cells', '50', '--dim', `d:${type}`, '--dense'))
    })
  }

  test('enumerations by index and by value', async () => {
    const path = await written(
      ...SMALL,
      ...['--fragments', '1', '--enum', 'color:STRING_UTF8=red,green,blue', '--enum', 'size:INT32:ordered=1,2,30'],
      ...['--attr', 'c:UINT8:enum=color', '--attr', 's:INT16:enum=size:nullable'],
    )
    await agrees(path)
    const [fragment] = fragmentsOf(path)
    const labelled = `${path}.labels.ndjson`
    writeFileSync(labelled, await ok(['decode', fragment, '--labels', '--format', 'ndjson']))
    const again = await written('--schema', `${path}.schema.json`, '--data', labelled, '--labels')
    expect(await ok(['decode', fragmentsOf(again)[0], '--format', 'ndjson'])).toBe(
      await ok(['decode', fragment, '--format', 'ndjson']),
    )
  })

  test('array metadata of every kind', async () => {
    const path = await written(
      ...SMALL,
      ...['--metadata', 'text="hällo"', '--metadata', 'big=18446744073709551615', '--metadata', 'list=[1,2.5]'],
      ...['--metadata', 'typed={"type":"INT16","value":[1,2,3]}', '--metadata', 'blob={"base64":"AAEC"}'],
    )
    const { metadata } = JSON.parse((await ok(['metadata', path, '--json'])).replace('18446744073709551615', '"big"'))
    const timestamp_range = [1_724_509_313_856, 1_724_509_313_856]
    expect(metadata).toEqual({
      text: { type: 'STRING_UTF8', value_num: 6, value: 'hällo', timestamp_range },
      big: { type: 'UINT64', value_num: 1, value: 'big', timestamp_range },
      list: { type: 'FLOAT64', value_num: 2, value: [1, 2.5], timestamp_range },
      typed: { type: 'INT16', value_num: 3, value: [1, 2, 3], timestamp_range },
      blob: { type: 'BLOB', value_num: 3, value: { base64: 'AAEC' }, timestamp_range },
    })
  })

  test('a fragment into every other format version, and through other filters', async () => {
    const path = await written(...SMALL, '--fragments', '1', '--attr', 'id:INT64', '--attr', 's:STRING_ASCII')
    const [fragment] = fragmentsOf(path)
    const cells = await ok(['decode', fragment, '--format', 'ndjson'])
    const [schema, data] = [`${path}.json`, `${path}.ndjson`]
    writeFileSync(schema, await ok(['schema', path, '--json']))
    writeFileSync(data, cells)
    for (const version of shortTurn(VERSIONS, 21, 7)) {
      const other = ['--format-version', String(version), '--experimental', '--filters', 'bzip2']
      const again = await written('--schema', schema, '--data', data, ...other)
      expect(await ok(['decode', fragmentsOf(again)[0], '--format', 'ndjson'])).toBe(cells)
    }
  })

  test('raw cells are read like others', async () => {
    const path = await written(...SMALL, '--fragments', '1')
    await agrees(path)
    const [fragment] = fragmentsOf(path)
    writeFileSync(`${path}.raw.json`, await ok(['schema', path, '--json', '--raw']))
    writeFileSync(`${path}.raw.ndjson`, await ok(['decode', fragment, '--format', 'ndjson', '--raw']))
    const again = await written('--schema', `${path}.raw.json`, '--data', `${path}.raw.ndjson`, '--raw')
    expect(await ok(['decode', fragmentsOf(again)[0], '--format', 'ndjson'])).toBe(
      await ok(['decode', fragment, '--format', 'ndjson']),
    )
  })
})
