import { readdirSync } from 'node:fs'
import process from 'node:process'
import { expect, test } from '@jest/globals'
import { DAMAGES } from '../../src/damage/damages.ts'
import { commandNames } from '../helpers/commands.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { type RunOptions, run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const ARRAYS = ['1/sparse_2d_row', '22/empty_sparse', '22/deletes_consolidated', '22/evolved_dense', '22/enumerations']
const PATHS = [...ARRAYS.map((name) => `${FIXTURES}/${name}`), `${FIXTURES}/22/group`, 'examples/damaged/places']
const OTHERS = ['diff', 'tile', 'dump', 'at', 'write-sample', 'completion', 'page']
const COMMANDS = (await commandNames()).filter((name) => !OTHERS.includes(name))

/** Lines of stdout and stderr that end in a space. */
async function spaced(call: readonly string[], options?: RunOptions): Promise<string[]> {
  const { text, stderr } = await run(call, options)
  return `${text}${stderr}`.split('\n').filter((line) => /\s$/.test(line))
}

test.each(shortTurn(PATHS, 3))('no line of any command ends in a space: %s', async (path) => {
  const folder = readdirSync(path).includes('__fragments') ? `${path}/__fragments` : path
  const fragment = readdirSync(folder).find((name) => /^__[0-9a-f_]+$/.test(name))
  const calls = COMMANDS.map((command) => [command, path])
  calls.push(
    ['decode', '--all-fragments', path],
    ['check', '--all', '--level', 'cells', path],
    ['diff', path, PATHS[0]],
  )
  if (fragment !== undefined) {
    const file = `${folder}/${fragment}/__fragment_metadata.tdb`
    for (const command of [...COMMANDS, 'dump']) calls.push([command, `${folder}/${fragment}`])
    calls.push(['dump', '--depth', '2', file], ['at', '--no-flips', file, '20'], ['footer', '--hex', file])
  }
  for (const call of calls) expect([...call, await spaced(call)]).toEqual([...call, []])
})

test('no line of page, which serves until Ctrl-C, ends in a space', async () => {
  const interrupts = setInterval(() => process.emit('SIGINT'), 100)
  try {
    expect(await spaced(['page', PATHS[0]])).toEqual([])
  } finally {
    clearInterval(interrupts)
  }
})

test('a finding about the array itself has no space after its code', async () => {
  const array = new EditedArray('22/empty_sparse')
  await DAMAGES.ARRAY_NO_SCHEMA.plant(array)
  expect(await spaced(['check', EDITED], { storage: array.storage() })).toEqual([])
})
