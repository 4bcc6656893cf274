import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { localFiles } from '../../src/node/file.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { type RunOptions, run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const ARRAY = `${FIXTURES}/22/sparse_basic`
const [FRAGMENT] = fragmentNames(ARRAY)
const DATA = `__fragments/${FRAGMENT}/a0.tdb`

function copy(name: string): string {
  const path = `${folder}/${name}`
  cpSync(ARRAY, path, { recursive: true })
  return path
}

/** Flips bits of bytes of a file. */
function flip(path: string, ...offsets: readonly number[]): void {
  const bytes = readFileSync(path)
  for (const offset of offsets) bytes[offset] ^= 1
  writeFileSync(path, bytes)
}

async function diff(args: readonly string[], options?: RunOptions): Promise<Json> {
  const [document = null] = (await runJson(['diff', ...args], options)).documents
  return document
}

describe('diff --files', () => {
  test('copies are equal', async () => {
    const { code, text } = await run(['diff', '--files', ARRAY, copy('same')])
    expect(text).toMatch(/^EQUAL: \d+ files the same, [\d,]+ bytes$/m)
    expect(code).toBe(0)
    expect(await diff(['--files', ARRAY, copy('same')])).toMatchObject({ kind: 'file-diff', equal: true, files: [] })
  })

  test('it says which bytes differ, and what the first one is, as at does', async () => {
    const path = copy('flipped')
    const size = readFileSync(`${path}/${DATA}`).length
    const last = size - 1
    flip(`${path}/${DATA}`, last, last - 2)
    const place = (await runJson(['at', `${ARRAY}/${DATA}`, String(last - 2), '--no-flips'])).documents[0]
    const before = readFileSync(`${ARRAY}/${DATA}`)[last - 2]
    expect(get(place, 'cells')).toBeDefined()
    const document = await diff(['--files', ARRAY, path])
    expect(get(document, 'files')).toMatchObject([
      { name: DATA, state: 'bytes', size, other_size: size, differing_num: 2, last },
    ])
    expect(get(items(get(document, 'files'))[0], 'first')).toEqual({
      offset: last - 2,
      byte: before,
      other_byte: before ^ 1,
      file_kind: 'data file',
      field_path: get(place, 'field_path'),
      tile: get(get(place, 'cells'), 'tile'),
      chunk: 0,
      cells: get(place, 'cells'),
    })
    const { code, text } = await run(['diff', '--files', ARRAY, path])
    expect(code).toBe(1)
    expect(text).toMatch(
      /2 of [\d,]+ bytes differ, the last at [\d,]+\n {2}first at .*\n {2}it is .*tiles\[\d+\]\.chunks\[0\]/,
    )
    expect(text).toMatch(/belongs to {2}cells? .* of tile \d+, .*, in chunk 0/)
  })

  test('two data files need no option; fragments have only their own files', async () => {
    const path = copy('one')
    flip(`${path}/${DATA}`, 20)
    const args = [`${ARRAY}/${DATA}`, `${path}/${DATA}`]
    expect(await diff(args)).toMatchObject({ kind: 'file-diff', files: [{ name: 'a0.tdb', first: { offset: 20 } }] })
    const fragments = [ARRAY, path].map((array) => `${array}/__fragments/${FRAGMENT}`)
    expect(await diff(['--files', ...fragments])).toMatchObject({ files: [{ name: 'a0.tdb', differing_num: 1 }] })
    // Metadata is compared by what it says, unless its bytes are asked for.
    const metadata = fragments.map((fragment) => `${fragment}/__fragment_metadata.tdb`)
    expect(await diff(metadata)).toMatchObject({ kind: 'diff', equal: true })
    expect(await diff(['--files', ...metadata])).toMatchObject({ kind: 'file-diff', equal: true, same_num: 1 })
  })

  test('files of one copy alone, and of other sizes', async () => {
    const path = copy('sizes')
    truncateSync(`${path}/${DATA}`, 10)
    writeFileSync(`${path}/surplus`, 'abc')
    rmSync(`${path}/__fragments/${FRAGMENT}/__fragment_metadata.tdb`)
    const files = items(get(await diff(['--files', ARRAY, path]), 'files'))
    expect(files.map((one) => [get(one, 'name'), get(one, 'state'), get(one, 'other_size')])).toEqual([
      [`__fragments/${FRAGMENT}/__fragment_metadata.tdb`, 'only-a', null],
      [DATA, 'size', 10],
      ['surplus', 'only-b', 3],
    ])
    const { text } = await run(['diff', '--files', ARRAY, path])
    expect(text).toMatch(/only in a, [\d,]+ bytes\n/)
    expect(text).toMatch(/bytes in a, 10 bytes in b\n/)
    expect(text).toMatch(/only in b, 3 bytes\n/)
  })

  test('where the metadata of one is damaged, the other one tells what a byte is', async () => {
    const path = copy('footer')
    flip(`${path}/${DATA}`, 30)
    writeFileSync(`${path}/__fragments/${FRAGMENT}/__fragment_metadata.tdb`, 'x')
    const files = items(get(await diff(['--files', path, ARRAY]), 'files'))
    expect(files.find((one) => get(one, 'name') === DATA)).toMatchObject({ first: { tile: 0, cells: { tile: 0 } } })
  })

  test('it reads pieces: of a file of 5 MiB no more than one MiB at once, and less with less memory', async () => {
    const path = copy('large')
    const other = copy('larger')
    for (const one of [path, other]) writeFileSync(`${one}/big`, new Uint8Array(5 * 2 ** 20))
    flip(`${other}/big`, 3 * 2 ** 20 + 7, 5 * 2 ** 20 - 1)
    let most = 0
    const open = (name: string) => {
      const source = localFiles.open(name)
      return {
        name,
        size: () => source.size(),
        close: () => source.close(),
        read(offset: number, length: number) {
          most = Math.max(most, length)
          return source.read(offset, length)
        },
      }
    }
    const storage = { ...localFiles, open }
    expect(await diff(['--files', path, other], { storage })).toMatchObject({
      files: [{ name: 'big', differing_num: 2, first: { offset: 3 * 2 ** 20 + 7 }, last: 5 * 2 ** 20 - 1 }],
    })
    expect(most).toBe(2 ** 20)
    most = 0
    await diff(['--files', path, other, '--memory', '3M'], { storage })
    expect(most).toBe(2 ** 19)
  })

  test('a file that cannot be read is not called equal', async () => {
    const lost = async (): Promise<never> => {
      throw new InspectError('NO_PERMISSION', 'permission denied', { file: 'a0.tdb' })
    }
    const path = copy('lost')
    const open = (name: string) =>
      name === `${path}/${DATA}` ? { name, size: lost, read: lost, close: async () => {} } : localFiles.open(name)
    const ran = await runJson(['diff', '--files', ARRAY, path], { storage: { ...localFiles, open } })
    expect(ran.documents[0]).toMatchObject({ equal: false, files: [{ name: DATA, state: 'not-compared' }] })
    expect(ran.code).toBe(3)
  })

  test.each(['--read', '--cells', '--names', '--schema-only'])('it is refused beside %s', async (option) => {
    expect(await run(['diff', '--files', option, ARRAY, ARRAY])).toMatchObject({ code: 2 })
  })

  test('diff alone says that bytes were not compared', async () => {
    expect((await run(['diff', ARRAY, ARRAY])).text).toMatch(/^EQUAL; .*--files/m)
  })
})
