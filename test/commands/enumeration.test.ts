import { describe, expect, test } from '@jest/globals'
import { enumerationResult } from '../../src/calls/schema-result.ts'
import type { Enumeration } from '../../src/format/enumeration.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

/** An enumeration with var-sized values. */
function enumeration(type: Enumeration['type'], values: readonly string[]): Enumeration {
  const data = new TextEncoder().encode(values.join(''))
  const starts = values.map((_, i) => values.slice(0, i).join('').length)
  return {
    version: 0,
    name: 'e',
    path_name: '',
    type,
    cell_val_num: 'var',
    ordered: false,
    data,
    offsets: Float64Array.from(starts),
  }
}

describe('values of an enumeration', () => {
  test('are shown by their type', () => {
    expect(enumerationResult(enumeration('STRING_UTF8', ['ii', 'jjj']), { raw: false }).values).toEqual(['ii', 'jjj'])
    expect(enumerationResult(enumeration('INT16', ['ab', 'abab']), { raw: false }).values).toEqual([
      [0x6261],
      [0x6261, 0x6261],
    ])
  })

  test('are bytes where some are no whole values of it, as the engine for MariaDB writes texts as INT64', () => {
    const { type, values } = enumerationResult(enumeration('INT64', ['ii', 'eightchr']), { raw: false })
    expect(type).toBe('INT64')
    expect(values).toEqual([new TextEncoder().encode('ii'), new TextEncoder().encode('eightchr')])
  })
})

test('a terminal names --labels below indexes, a pipe does not', async () => {
  const array = `${FIXTURES}/22/enumerations`
  for (const call of [
    ['read', array],
    ['decode', firstFragment(array)],
  ]) {
    const hint = /indexes of an enumeration \(--labels shows its values\)/
    expect((await run(call, { columns: 100 })).text).toMatch(hint)
    expect((await run(call)).text).not.toMatch(hint)
    expect((await run([...call, '--labels'], { columns: 100 })).text).not.toMatch(hint)
  }
})
