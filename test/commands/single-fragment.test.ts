import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run, runJson } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/datetime_dims`
const FRAGMENT = firstFragment(ARRAY)

test.each([[['tile']], [['decode', '--field']]])('%j takes an array for its only fragment', async (command) => {
  const [name, ...options] = command
  const rest = [...options, await firstField()]
  const [ofArray, ofFragment] = [await runJson([name, ARRAY, ...rest]), await runJson([name, FRAGMENT, ...rest])]
  expect([ofArray.code, ofArray.stderr]).toEqual([0, ''])
  expect(ofArray.text.replaceAll(ARRAY, '')).toBe(ofFragment.text.replaceAll(ARRAY, ''))
})

test('at --cell says of an array what it says of its only fragment, and that a reader has the cell', async () => {
  const rest = ['--no-flips', '--cell', await firstCell()]
  const [ofArray, ofFragment] = [await runJson(['at', ARRAY, ...rest]), await runJson(['at', FRAGMENT, ...rest])]
  const seen = { state: 'current', other_fragments: [] }
  const [document] = ofFragment.documents as { path: string }[]
  const [{ path }] = ofArray.documents as { path: string }[]
  expect([ofArray.code, ofArray.documents]).toEqual([0, [{ ...document, path, ...seen }]])
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
