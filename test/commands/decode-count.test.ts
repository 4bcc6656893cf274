import { rmSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const array = `${temporaryFolder()}/array`
const empty = `${temporaryFolder()}/empty`
let fragment = ''

beforeAll(async () => {
  expect((await run(['write-sample', array, '--cells', '40', '--fragments', '1'])).code).toBe(0)
  fragment = firstFragment(array)
})

/** The last line of the table. */
async function counted(...args: readonly string[]): Promise<string | undefined> {
  const { code, text } = await run(['decode', ...args])
  expect(code).toBe(0)
  return text.trimEnd().split('\n').at(-1)
}

describe('decode --limit: the count of cells is true', () => {
  test('where cells are selected', async () => {
    expect(await counted(fragment, '--limit', '3')).toBe('3 of 40 cells')
    expect(await counted(fragment, '--limit', '99')).toBe('40 cells')
    const all = await counted(fragment, '--tiles', '0')
    expect(all).toMatch(/^\d+ cells$/)
    expect(await counted(fragment, '--tiles', '0', '--limit', '1')).toBe('the first 1 cell')
    expect(await counted(fragment, '--tiles', '0', '--limit', '99')).toBe(all)
    expect(
      await counted(
        `${FIXTURES}/nan/row_major/__fragments/__10_10_6530213ac023461ec8cf5a0f8871e9f0_22`,
        '--range',
        'd0=2..4',
        '--limit',
        '2',
      ),
    ).toBe('the first 2 cells')
    expect(await counted(array, '--all-fragments', '--limit', '2')).toBe('the first 2 cells')
    expect(await counted(fragment, '--limit', '0')).toBe('no cells asked for')
  })
})

describe('an array without fragments', () => {
  test('has none to name', async () => {
    expect((await run(['write-sample', empty, '--cells', '4'])).code).toBe(0)
    rmSync(`${empty}/__fragments`, { recursive: true })
    for (const command of ['decode', 'tile']) {
      const { code, stderr } = await run([command, empty, ...(command === 'tile' ? ['a0'] : [])])
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/found an array that has no fragments$/m),
      })
    }
  })
})
