import { readdirSync, readlinkSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const DESCRIPTORS = '/proc/self/fd'
const ARRAY = `${FIXTURES}/22/sparse_basic`
const FRAGMENT = firstFragment(ARRAY)

/** Open files of this process among the fixtures. */
function openFixtures(): string[] {
  const names = readdirSync(DESCRIPTORS).flatMap((fd) => {
    try {
      return [readlinkSync(`${DESCRIPTORS}/${fd}`)]
    } catch {
      // The descriptor that listed the folder is closed by now.
      return []
    }
  })
  return names.filter((name) => name.startsWith(FIXTURES))
}

const onLinux = process.platform === 'linux' ? describe : describe.skip

onLinux('no file is left open', () => {
  test.each([
    ['ls', ARRAY],
    ['ls', FRAGMENT],
    ['schema', ARRAY],
    ['footer', ARRAY],
    ['footer', FRAGMENT],
    ['footer', `${FRAGMENT}/__fragment_metadata.tdb`],
    ['rtree', ARRAY],
    ['rtree', FRAGMENT],
    ['metadata', FRAGMENT],
    ['commits', `${FIXTURES}/22/commits_consolidated`],
    ['decode', FRAGMENT],
    ['verify-checksums', ARRAY],
    ['verify-checksums', FRAGMENT],
  ])('behind %s %s', async (command, target) => {
    const before = openFixtures()
    expect((await run([command, '--json', target])).code).toBe(0)
    expect(openFixtures()).toEqual(before)
  })

  test('after decode --limit, which ends early', async () => {
    const before = openFixtures()
    await run(['decode', '--limit', '1', '--format', 'ndjson', FRAGMENT])
    expect(openFixtures()).toEqual(before)
  })
})
