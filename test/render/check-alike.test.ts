import { expect, test } from '@jest/globals'
import type { CheckFinding } from '../../src/documents/check.ts'
import { checkTable } from '../../src/render/views/check.ts'

const TAIL = {
  ok: false,
  finding_num: { error: 30, warning: 0, note: 0 },
  counts: { fragment_num: 0, file_num: 0, tile_num: 0, cell_num: 0 },
  not_examined: [],
  not_checked: [],
}

/** What a table of 30 findings of one kind shows. */
async function shown(out: { columns?: number; full?: boolean }): Promise<string> {
  async function* findings() {
    for (let i = 0; i < 30; i++) {
      const place = { file: `g/m${i}`, offset: null, field: null }
      const texts = { expected: 'a', found: 'b', message: 'expected a, found b', meaning: 'm' }
      yield { severity: 'error', code: 'FILE_MISSING', ...place, ...texts } as const satisfies Partial<CheckFinding>
    }
    return TAIL
  }
  let text = ''
  const write = (more: string | Uint8Array): void => {
    text += String(more)
  }
  await checkTable({ path: 'g', level: 'chunks', shard: undefined }, findings() as never, { ...out, write } as never)
  return text
}

test('on a terminal many findings of one kind are three, and how many more', async () => {
  const text = await shown({ columns: 80 })
  expect(text.match(/expected a, found b/g)).toHaveLength(3)
  expect(text).toContain('error FILE_MISSING: 27 more, --full shows them\n  in m3, m4, m5, m6, m7, …\n')
})

test('a pipe and --full have each of them', async () => {
  for (const out of [{}, { columns: 80, full: true }])
    expect((await shown(out)).match(/expected a, found b/g)).toHaveLength(30)
})
