import { describe, expect, test } from '@jest/globals'
import { commandLineText, InspectError } from '../../src/base/errors.ts'
import { parseSize } from '../../src/commands/option-values.ts'
import { u32, u64 } from '../../src/damage/bytes.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

/** An array one of whose tiles says that it is a million times as large as its cells need. */
async function inflated(): Promise<EditedArray> {
  const array = new EditedArray('22/filter_gzip')
  array.patch(array.find(/\/a0\.tdb$/), 0, [...u64(1), ...u32(0x7fffffff)])
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

describe('--max-tile-size', () => {
  const whole = new EditedArray('22/sparse_basic')
  const storage = whole.storage()
  const fragment = whole.fragmentPath()

  test.each([
    ['decode', fragment],
    ['tile', fragment, 'a', '0'],
    ['schema', EDITED],
    ['metadata', fragment],
  ])('%s refuses larger tiles with exit code 3, and reads those that fit', async (...args) => {
    const { code, stderr } = await run([...args, '--max-tile-size', '30'], { storage })
    expect(stderr).toMatch(/expected at most 30 unfiltered bytes in a tile \(--max-tile-size\), found \d+/)
    expect(code).toBe(3)
    expect(await run([...args, '--max-tile-size', '1M'], { storage })).toMatchObject({ code: 0, stderr: '' })
  })

  test('check and verify-checksums say what they did not examine', async () => {
    const large = { storage: new EditedArray('22/big_tile').storage() }
    for (const command of ['check', 'verify-checksums']) {
      const { code, documents } = await runJson([command, EDITED, '--max-tile-size', '2K', ...deep(command)], large)
      const said = items(get(documents[0], 'not_examined')).map((one) => String(get(one, 'message')))
      expect(said.some((message) => message.includes('--max-tile-size'))).toBe(true)
      expect(code).toBe(3)
    }
  })

  test('a tile that declares gigabytes is refused by it, and by the metadata without it', async () => {
    const array = await inflated()
    const path = array.fragmentPath()
    const bounded = await run(['tile', path, 'a0.tdb', '--offset', '0', '--max-tile-size', '64M'], {
      storage: array.storage(),
    })
    expect(bounded.stderr).toMatch(/expected at most 67108864 unfiltered bytes/)
    const { code, stderr } = await run(['decode', path], { storage: array.storage() })
    expect(stderr).toMatch(/expected \d+ unfiltered bytes, found chunks of 2147483647/)
    expect(code).toBe(1)
  })

  test.each(['', '1x', '-1', '1e3', '99999999999999999999'])('%j is no size', async (size) => {
    const { code, stderr } = await run(['ls', EDITED, '--max-tile-size', size], { storage })
    expect(code).toBe(2)
    expect(stderr).toMatch(/--max-tile-size expects bytes, as 1000000 or 64M/)
  })
})

function deep(command: string): string[] {
  return command === 'check' ? [] : ['--deep', '--jobs', '1']
}
