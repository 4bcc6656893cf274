import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run, runJson } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/datetime_dims`
const FRAGMENT = firstFragment(ARRAY)

test.each([[['at', '--no-flips', '--cell']], [['tile']], [['decode', '--field']]])(
  '%j takes an array for its only fragment',
  async (command) => {
    const cell = await firstCell()
    const [name, ...options] = command
    const rest = [...options, name === 'at' ? cell : await firstField()]
    const [ofArray, ofFragment] = [await runJson([name, ARRAY, ...rest]), await runJson([name, FRAGMENT, ...rest])]
    expect([ofArray.code, ofArray.stderr]).toEqual([0, ''])
    expect(ofArray.text.replaceAll(ARRAY, '')).toBe(ofFragment.text.replaceAll(ARRAY, ''))
  },
)

test('an array of several fragments is refused, with what to type', async () => {
  const { code, stderr } = await run(['at', `${FIXTURES}/22/vacuum_left`, '--cell', 'x=1,y=1'])
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/at --cell expects one fragment, found an array; .*as in: at --cell /)
})

/** The first cell of the array, as `--cell` takes it. */
async function firstCell(): Promise<string> {
  const [cell] = await rows(['decode', FRAGMENT, '--limit', '1'])
  const [document] = (await runJson(['schema', ARRAY])).documents as { dimensions: { name: string }[] }[]
  return document.dimensions.map(({ name }) => `${name}=${cell[name]}`).join(',')
}

async function firstField(): Promise<string> {
  const [document] = (await runJson(['schema', ARRAY])).documents as { attributes: { name: string }[] }[]
  return document.attributes[0].name
}

async function rows(args: string[]): Promise<Record<string, unknown>[]> {
  const { text } = await run([...args, '--format', 'ndjson'])
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

test('of several fragments, at --cell names the one from which a reader has the cell', async () => {
  const array = `${FIXTURES}/22/deletes`
  const rows = JSON.parse((await run(['read', array, '--provenance', '--json'])).text).cells as {
    x: number
    y: number
    __fragment: string
  }[]
  for (const { x, y, __fragment } of rows.slice(0, 3)) {
    const { stderr } = await run(['at', array, '--cell', `x=${x},y=${y}`])
    expect(stderr.trimEnd()).toMatch(
      new RegExp(`; a reader has this cell from: at --cell ${array}/__fragments/${__fragment}$`),
    )
  }
  // No reader has this one.
  expect((await run(['at', array, '--cell', 'x=0,y=0'])).stderr).toMatch(/; as in: at --cell /)
})
