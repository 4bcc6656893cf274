import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { GENOMICSDB_COMMANDS } from '../../src/cli/genomicsdb-commands.ts'
import { localFiles } from '../../src/node/file.ts'
import { foreignSchema } from '../../src/objects/foreign.ts'
import { bytes, textBytes, u32Bytes, u64Bytes } from '../helpers/build-bytes.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const COMMANDS = [
  'ls',
  'schema',
  'stats',
  'commits',
  'metadata',
  'check',
  'verify-checksums',
  'footer',
  'rtree',
  'tiles',
  'decode',
  'dump',
]

function place(files: Readonly<Record<string, Uint8Array>>, as: string): string {
  const path = `${folder}/${as}`
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(`${path}/${name}`.slice(0, `${path}/${name}`.lastIndexOf('/')), { recursive: true })
    writeFileSync(`${path}/${name}`, content)
  }
  return path
}

const nothing = new Uint8Array(0)
/** How GATK's GenomicsDB lays its files out. */
const ARRAY = 'chr22$1$40001'
const FRAGMENT = `${ARRAY}/__3cf81648-433d-4464-be08-23d082445c9b139814474716928_1630588248448`
const workspace = place(
  {
    '__tiledb_workspace.tdb': nothing,
    'callset.json': textBytes('{}'),
    [`${ARRAY}/__array_schema.tdb`]: bytes(u32Bytes(0xfffffffe), u32Bytes(13), textBytes(`${ARRAY}\0more of it`)),
    [`${ARRAY}/genomicsdb_meta_dir/genomicsdb_column_bounds.json`]: textBytes('{}'),
    [`${FRAGMENT}/__tiledb_fragment.tdb`]: nothing,
    [`${FRAGMENT}/__book_keeping.tdb.gz`]: textBytes('gz'),
    [`${FRAGMENT}/__coords.tdb`]: textBytes('coords'),
  },
  'workspace',
)

/** An array whose version word is damaged: its folder of metadata says whose it is. */
const damaged = place(
  { '__array_schema.tdb': textBytes('no schema'), 'genomicsdb_meta_dir/genomicsdb_meta_1.json': textBytes('{}') },
  'damaged',
)

describe('what GenomicsDB wrote is named for what it is, by every command', () => {
  test.each([
    ['workspace', workspace],
    ['array', `${workspace}/${ARRAY}`],
    ['array', damaged],
    ['file', `${workspace}/${ARRAY}/__array_schema.tdb`],
    ['file', `${workspace}/callset.json`],
    ['fragment', `${workspace}/${FRAGMENT}`],
    ['file', `${workspace}/${FRAGMENT}/__coords.tdb`],
  ] as const)('%s', async (kind, path) => {
    for (const command of COMMANDS) {
      const { code, documents } = await runJson([command, path])
      const [error] = documents.flatMap((document) => get(document, 'error') ?? [])
      const taken = Object.hasOwn(GENOMICSDB_COMMANDS, command) ? GENOMICSDB_COMMANDS[command].takes : []
      if (taken.includes(kind)) {
        expect({ command, wrong: get(error, 'code') === 'UNSUPPORTED_VERSION' }).toEqual({ command, wrong: false })
        continue
      }
      expect({ command, code, error: get(error, 'code') }).toEqual({ command, code: 2, error: 'WRONG_TARGET' })
      expect(get(error, 'message')).toBe(
        `${command} does not take a${kind === 'array' ? 'n' : ''} ${kind} of GenomicsDB`,
      )
    }
  })

  test('what cannot be looked at keeps its own error', async () => {
    const path = place({ '__tiledb_workspace.tdb': nothing, 'interval/nothing.txt': nothing }, 'unlisted')
    const unlisted = {
      kind: (one: string) => localFiles.kind(one),
      open: (one: string) => localFiles.open(one),
      async list(one: string) {
        if (one.endsWith('/interval')) throw new InspectError('NO_PERMISSION', 'not permitted', { file: one })
        return localFiles.list(one)
      },
    }
    const { code, documents } = await runJson(['ls', path], { storage: unlisted })
    expect({ code, error: get(get(documents[0], 'error'), 'code') }).toEqual({ code: 3, error: 'UNSUPPORTED_VERSION' })
  })

  test('a fragment outside of its array, and a workspace of TileDB before 1.0, may be of either', async () => {
    for (const path of [
      place({ '__tiledb_fragment.tdb': nothing, '__book_keeping.tdb.gz': textBytes('gz') }, 'lone'),
      place({ '__tiledb_workspace.tdb': nothing }, 'empty'),
    ]) {
      const { code, documents } = await runJson(['ls', path])
      expect({ code, error: get(get(documents[0], 'error'), 'code') }).toEqual({
        code: 3,
        error: 'UNSUPPORTED_VERSION',
      })
    }
  })
})

describe('what relatives of TileDB wrote is named for what it is, by every command', () => {
  test.each([
    [
      place(
        { '__array_schema.tdb': bytes(u32Bytes(13), textBytes('/tmp/ws/array'), u64Bytes(0), u64Bytes(0)) },
        'before1',
      ),
      'an array of TileDB before 1.0',
    ],
    [
      place({ '__array_schema.tdb': bytes(u64Bytes(81), u64Bytes(99), new Uint8Array(95)) }, 'older'),
      'an array of TileDB 1.2 or 1.3',
    ],
    [place({ '__kv_schema.tdb': nothing }, 'kv'), 'a key-value store of TileDB'],
    [place({ '__array_metadata.tdb': nothing }, 'one'), 'an array of TileDB 1.0 or 1.1'],
  ])('%s', async (path, what) => {
    for (const command of COMMANDS) {
      const { code, documents } = await runJson([command, path])
      expect({ command, code, documents: documents.length }).toEqual({ command, code: 3, documents: 1 })
      expect(get(get(documents[0], 'error'), 'code')).toBe('UNSUPPORTED_VERSION')
      expect(get(get(documents[0], 'error'), 'message')).toContain(`found ${what}`)
    }
  })

  test('an array of an unreleased build is never ok, whatever is asked of it', async () => {
    const array = `${folder}/experimental`
    cpSync(`${FIXTURES}/labels/late`, array, { recursive: true })
    const { documents } = await runJson(['schema', array])
    const schema = `${array}/__schema/${String(get(documents[0], 'name'))}`
    writeFileSync(schema, bytes(u32Bytes(0xffffffff), new Uint8Array(60)))
    for (const command of ['ls', 'schema', 'stats', 'commits', 'metadata', 'check', 'verify-checksums']) {
      const { code, documents, stderr } = await runJson([command, array])
      expect({ command, code }).toEqual({ command, code: 3 })
      expect(stderr).toContain('found 4294967295 (an experimental version')
      expect(get(documents[0], 'ok') ?? false).toBe(false)
    }
    expect((await run(['ls', '--names', array])).code).toBe(3)
    const { text } = await run(['verify-checksums', array])
    expect(text).toContain('\nNOT OK: a format version is unknown. NOT FULLY EXAMINED: no checksum could be compared')
  })
})

test('schemas of TileDB since 1.4 are its own', () => {
  for (const version of [1, 3, 9])
    expect(foreignSchema(bytes(u32Bytes(version), u64Bytes(200), u64Bytes(300), new Uint8Array(44)), 260)).toBe(
      undefined,
    )
  for (const size of [0x2f, 0x41, 0x6f])
    expect(foreignSchema(bytes(u32Bytes(9), u64Bytes(size), u64Bytes(99), new Uint8Array(44)), 300)).toBe(undefined)
  expect(foreignSchema(nothing, 0)).toBe(undefined)
})
