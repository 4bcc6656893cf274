import { describe, expect, test } from '@jest/globals'
import { commandLineText, InspectError } from '../../src/base/errors.ts'
import { parseSize } from '../../src/calls/option-values.ts'
import { u32Bytes, u64Bytes } from '../../src/damage/bytes.ts'
import { bytes } from '../helpers/build-bytes.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

/** An array one of whose tiles says that it is a million times as large as its cells need. */
async function inflated(): Promise<EditedArray> {
  const array = new EditedArray('22/filter_gzip')
  array.patch(array.find(/\/a0\.tdb$/), 0, [...u64Bytes(1), ...u32Bytes(0x7fffffff)])
  return array
}

describe('parseSize', () => {
  test.each([
    ['0', 0],
    ['1000000', 1_000_000],
    ['100K', 102_400],
    ['64m', 64 * 2 ** 20],
    ['1.5GiB', 1.5 * 2 ** 30],
    ['25 GB', 25e9],
    ['1T', 2 ** 40],
    ['12B', 12],
  ])('%s', (text, bytes) => {
    expect(parseSize('--budget', text)).toBe(bytes)
  })

  test.each(['', '1.5', '-1', '1e6', 'K', '5iB', '9000000T', '1 000'])('%j is refused', (text) => {
    const refused = (): unknown => {
      try {
        return parseSize('--budget', text)
      } catch (error) {
        return error instanceof InspectError ? commandLineText(error) : error
      }
    }
    expect(refused()).toMatch(/^--budget expects bytes, as 1000000 or 64M, found "/)
  })
})

describe('--memory', () => {
  const whole = new EditedArray('22/sparse_basic')
  const storage = whole.storage()
  const fragment = whole.fragmentPath()

  test.each([
    ['decode', fragment],
    ['tile', fragment, 'a', '0'],
    ['schema', EDITED],
    ['metadata', fragment],
  ])('%s refuses larger tiles with exit code 3, and reads those that fit', async (...args) => {
    const { code, stderr } = await run([...args, '--memory', '90'], { storage })
    expect(stderr).toMatch(/expected at most 30 unfiltered bytes in a tile \(a third of --memory\), found \d+/)
    expect(code).toBe(3)
    expect(await run([...args, '--memory', '3M'], { storage })).toMatchObject({ code: 0, stderr: '' })
  })

  test('files of metadata that are larger are not read', async () => {
    const array = new EditedArray('22/metadata')
    array.files.set(array.find(/\/__meta\/__10_[^/]*$/), new Uint8Array(20 * 2 ** 20))
    for (const command of ['metadata', 'check', 'verify-checksums']) {
      const { code, text, stderr } = await run([command, EDITED, '--memory', '1M'], { storage: array.storage() })
      expect([code, `${text}${stderr}`]).toEqual([
        3,
        expect.stringMatching(/a file of at most 349525 bytes \(a third of --memory\)/),
      ])
    }
  })

  test('check and verify-checksums say what they did not examine', async () => {
    const large = { storage: new EditedArray('22/big_tile').storage() }
    for (const command of ['check', 'verify-checksums']) {
      const { code, documents } = await runJson([command, EDITED, '--memory', '6K', ...deep(command)], large)
      const said = items(get(documents[0], 'not_examined')).map((one) => String(get(one, 'message')))
      expect(said.some((message) => message.includes('--memory'))).toBe(true)
      expect(code).toBe(3)
    }
  })

  test('a tile that declares gigabytes is damaged whatever it is, as its bytes and its metadata show', async () => {
    const array = await inflated()
    const path = array.fragmentPath()
    const bounded = await run(['tile', path, 'a0.tdb', '--offset', '0', '--memory', '192M'], {
      storage: array.storage(),
    })
    expect(bounded.stderr).toMatch(
      /expected at most \d+ bytes, all that \d+ stored ones can give, found an original length/,
    )
    expect(bounded.code).toBe(1)
    const { code, stderr } = await run(['decode', path], { storage: array.storage() })
    expect(stderr).toMatch(/expected \d+ unfiltered bytes, found chunks of 2147483647/)
    expect(code).toBe(1)
  })

  test.each(['', '1x', '-1', '1e3', '99999999999999999999'])('%j is no size', async (size) => {
    const { code, stderr } = await run(['ls', EDITED, '--memory', size], { storage })
    expect(code).toBe(2)
    expect(stderr).toMatch(/--memory expects bytes, as 1000000 or 64M/)
  })
})

describe('a tile of few bytes that holds gigabytes', () => {
  const array = new EditedArray('22/filter_rle')
  const fragment = array.fragmentPath()
  // Its only chunk says that it has a run for each 65,535 cells: nothing contradicts that but its size.
  const cells = 400_000_000
  const runs = Math.ceil(cells / 65_535)
  const stored = bytes(
    ...Array.from({ length: runs }, (_, i) => bytes(u32Bytes(7), u16big(Math.min(65_535, cells - i * 65_535)))),
  )
  const path = array.find(/\/a0\.tdb$/)
  array.files.set(
    path,
    bytes(
      u64Bytes(1),
      u32Bytes(cells * 4),
      u32Bytes(stored.length),
      u32Bytes(16),
      u32Bytes(0),
      u32Bytes(1),
      u32Bytes(cells * 4),
      u32Bytes(stored.length),
      stored,
    ),
  )

  test('is refused before it is made', async () => {
    const before = process.memoryUsage().rss
    const { code, stderr } = await run(['tile', fragment, 'a0.tdb', '--offset', '0', '--memory', '1G'], {
      storage: array.storage(),
    })
    expect(stderr).toMatch(
      /expected at most 357913941 unfiltered bytes in a tile \(a third of --memory\), found 1600000000/,
    )
    expect(code).toBe(3)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20)
  })
})

function u16big(n: number): Uint8Array {
  return Uint8Array.of(n >> 8, n & 255)
}

function deep(command: string): string[] {
  return command === 'check' ? [] : ['--deep', '--jobs', '1']
}
