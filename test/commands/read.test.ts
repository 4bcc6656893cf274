import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'

test('the title of the table says which time was asked for', async () => {
  const title = async (...times: string[]): Promise<string> =>
    (await run(['read', `${FIXTURES}/22/deletes`, ...times])).text.split('\n')[0]
  expect(await title()).toBe(`${FIXTURES}/22/deletes`)
  expect(await title('--as-of', '15')).toBe(`${FIXTURES}/22/deletes, as opened at 15`)
  expect(await title('--between', '5..15')).toBe(`${FIXTURES}/22/deletes, as opened between 5 and 15`)
})

test('on a narrow terminal, too, the table of --provenance shows the fragments', async () => {
  const { text } = await run(['read', `${FIXTURES}/22/dense_basic`, '--provenance'], { columns: 60 })
  expect(text).toMatch(/│ .*y.* │ .*x.* │ .*__fragment.* │ .*a.* │/)
})
