import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run, runJson } from '../helpers/run.ts'

const COPIES = 12
const array = `${temporaryFolder()}/array`
const [ORIGINAL] = fragmentNames(`${FIXTURES}/22/sparse_basic`)

/** An array with many fragments: copies of one fragment. */
beforeAll(() => {
  cpSync(`${FIXTURES}/22/sparse_basic`, array, { recursive: true })
  for (let i = 0; i < COPIES; i++) {
    const name = ORIGINAL.replace('__10_10_', `__${20 + i}_${20 + i}_`)
    cpSync(`${array}/__fragments/${ORIGINAL}`, `${array}/__fragments/${name}`, { recursive: true })
    writeFileSync(`${array}/__commits/${name}.wrt`, '')
    if (i % 3 === 0) flipLastByte(`${array}/__fragments/${name}/a0.tdb`)
  }
})

function flipLastByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length - 1] ^= 1
  writeFileSync(path, bytes)
}

async function lines(args: readonly string[]): Promise<string[]> {
  const { text } = await run([...args, '--format', 'ndjson', '--quiet', array])
  return text.split('\n').slice(0, -1)
}

describe.each([['verify-checksums'], ['check']])('%s --shard', (command) => {
  /** The findings, without the summary at the end of `check`. */
  const findings = async (more: readonly string[]): Promise<string[]> =>
    (await lines([command, ...more])).filter((line) => !line.startsWith('{"kind"'))

  test.each([1, 2, 5, 16])('in %d parts together finds what one run finds', async (count) => {
    const all = await findings([])
    expect(all.length).toBeGreaterThanOrEqual(COPIES / 3)
    const parts: string[][] = []
    for (let i = 1; i <= count; i++) parts.push(await findings(['--shard', `${i}/${count}`]))
    expect(parts.flat().sort()).toEqual(all.sort())
    if (count > 1) expect(parts.filter((part) => part.length > 0).length).toBeGreaterThan(1)
  })

  test('is named in the result', async () => {
    expect((await run([command, '--shard', '2/5', array])).text).toMatch(/^shard 2\/5: (NOT OK|DAMAGED): \d/m)
    expect((await runJson([command, '--shard', '2/5', array])).documents[0]).toMatchObject({ shard: '2/5' })
    expect((await run([command, array])).text).not.toContain('shard')
    expect((await runJson([command, array])).documents[0]).not.toHaveProperty('shard')
  })

  test.each(['0/2', '3/2', '1', 'a/b', '1/1000000'])('%s is refused', async (shard) => {
    expect((await run([command, '--shard', shard, array])).code).toBe(2)
  })
})
