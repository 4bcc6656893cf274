import { cpSync, readdirSync, renameSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { consolidatedInMemory } from '../../src/advice/in-memory.ts'
import { localFiles } from '../../src/node/file.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { openTarget } from '../../src/objects/target.ts'
import { openAt } from '../../src/read/opening.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

/** An array whose last delete condition is dated 2100. */
const AHEAD = `${temporaryFolder()}/array`
const IN_2100 = '__4102444800000_4102444800000_0123456789abcdef0123456789abcdef_22.del'
cpSync(`${FIXTURES}/22/deletes`, AHEAD, { recursive: true })
const last = readdirSync(`${AHEAD}/__commits`).find((name) => /^__25_25_.*\.del$/.test(name))
renameSync(`${AHEAD}/__commits/${last}`, `${AHEAD}/__commits/${IN_2100}`)

test('commits: a delete condition dated ahead does not count yet', async () => {
  const { documents } = await runJson(['commits', AHEAD])
  const deletes = items(get(documents[0], 'commits')).filter((row) => get(row, 'kind') === 'delete')
  expect(deletes.map((row) => [get(row, 'file'), get(row, 'effect')])).toEqual([
    [expect.stringMatching(/__15_15_/), 'deletes'],
    [`__commits/${IN_2100}`, 'future'],
  ])
})

test('the overview and stats --read say when a delete condition dated ahead takes effect', async () => {
  const words = 'deletes later 1 delete condition, which takes effect at 2100-01-01T00:00:00Z'
  const flat = async (...args: string[]) => (await run(args)).text.replaceAll(/\s+/g, ' ')
  expect(await flat(AHEAD)).toContain(words)
  expect(await flat('stats', '--read', AHEAD)).toContain(words)
  expect(await flat(AHEAD, '--as-of', '15')).toContain(words)
  const { documents } = await runJson(['stats', '--read', AHEAD])
  expect(get(documents[0], 'later_deletes')).toEqual(['2100-01-01T00:00:00.000Z'])
})

test('ls counts delete conditions dated ahead apart, and says when they take effect', async () => {
  const { text } = await run(['ls', AHEAD])
  expect(text).toContain('1 delete condition, not looked at')
  expect(text).toContain('not applied yet: 1 delete condition, which takes effect at 2100-01-01T00:00:00Z\n')
  expect((await run(['ls', AHEAD, '--as-of', '15'])).text).toContain('not applied yet: ')
  expect((await run(['ls', `${FIXTURES}/22/deletes`])).text).not.toContain('not applied yet')
  const { documents } = await runJson(['ls', AHEAD])
  expect(get(documents[0], 'later_deletes')).toEqual(['2100-01-01T00:00:00.000Z'])
})

test('consolidation is worked out with the delete conditions dated ahead, as TileDB applies them', async () => {
  const target = await openTarget(localFiles, AHEAD, readContext(nodeCodecs))
  if (target.type !== 'array') throw new Error('no array')
  const consolidated = await consolidatedInMemory(await openAt(target.array), nodeCodecs)
  const conditions = await consolidated?.fragments[0].fragment.processedConditions()
  expect(conditions).toContain(`__commits/${IN_2100}`)
})
