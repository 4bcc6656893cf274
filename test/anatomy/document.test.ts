import { readFileSync, writeFileSync } from 'node:fs'
import { env } from 'node:process'
import { expect, test } from '@jest/globals'
import { ROOT } from '../golden/cases.ts'
import { run } from '../helpers/run.ts'

const DOCUMENT = `${ROOT}/docs/hex.md`

/** The sessions on the page: each command, and what it printed. */
const SESSION = /<!-- session -->\n\n```console\n\$ tiledb-inspect (.*)\n([\s\S]*?)```/g

test('docs/hex.md shows what the program prints (UPDATE_DOCS=1 writes it)', async () => {
  const text = readFileSync(DOCUMENT, 'utf8')
  const sessions = Array.from(text.matchAll(SESSION))
  expect(sessions.length).toBe(4)
  let updated = text
  for (const [whole, command] of sessions) {
    const { code, text: printed } = await run(command.split(' '))
    expect([command, code]).toEqual([command, 0])
    updated = updated.replace(
      whole,
      () => `<!-- session -->\n\n\`\`\`console\n$ tiledb-inspect ${command}\n${printed}\`\`\``,
    )
  }
  if (env.UPDATE_DOCS) writeFileSync(DOCUMENT, updated)
  else expect(updated).toBe(text)
})
