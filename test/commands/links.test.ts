import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { runJson } from '../helpers/run.ts'

const folder = mkdtempSync(`${tmpdir()}/links-`)
afterAll(() => rmSync(folder, { recursive: true }))

test('a link to a fragment is that fragment, in its array', async () => {
  const fragments = `${FIXTURES}/22/sparse_basic/__fragments`
  const [name] = readdirSync(fragments).sort()
  symlinkSync(`${fragments}/${name}`, `${folder}/link`)
  const { documents } = await runJson(['footer', `${folder}/link`])
  const { documents: direct } = await runJson(['footer', `${fragments}/${name}`])
  const withoutTarget = (all: unknown): object[] => (all as { target: string }[]).map(({ target: _, ...rest }) => rest)
  expect(withoutTarget(documents)).toEqual(withoutTarget(direct))
})
