import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { main } from '../../src/cli/cli.ts'
import { localFiles } from '../../src/node/file.ts'
import { writeNdjson } from '../../src/rows/ndjson.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'

const folder = temporaryFolder()

/** How many pieces were written when each row was made, and behind the last. */
async function piecesBefore(flushRows: boolean): Promise<number[]> {
  const pieces: (string | Uint8Array)[] = []
  const before: number[] = []
  async function* rows(): AsyncGenerator<{ row: number }> {
    for (let row = 0; row < 3; row++) {
      before.push(pieces.length)
      yield { row }
    }
  }
  const out = {
    write: (piece: string | Uint8Array) => void pieces.push(Buffer.from(piece).toString()),
    columns: undefined,
    color: false,
  }
  await writeNdjson(rows(), out, { int64: 'number', flushRows })
  expect(pieces.join('')).toBe('{"row":0}\n{"row":1}\n{"row":2}\n')
  return [...before, pieces.length]
}

test('lines are gathered into pieces worth a write', async () => {
  expect(await piecesBefore(false)).toEqual([0, 0, 0, 1])
})

test('findings are written as they are found', async () => {
  expect(await piecesBefore(true)).toEqual([0, 1, 2, 3])
})

test.each(['check', 'verify-checksums'])('%s writes each finding at once', async (command) => {
  const array = `${folder}/${command}`
  cpSync(`${FIXTURES}/22/filter_md5`, array, { recursive: true })
  const [fragment] = fragmentNames(array)
  for (const file of readdirSync(`${array}/__fragments/${fragment}`).filter((name) => /^a\d+\.tdb$/.test(name))) {
    const path = `${array}/__fragments/${fragment}/${file}`
    const bytes = readFileSync(path)
    bytes[bytes.length - 1] ^= 1
    writeFileSync(path, bytes)
  }
  const pieces: string[] = []
  const write = (piece: string | Uint8Array): void => void pieces.push(Buffer.from(piece).toString())
  const code = await main({
    argv: [command, '--format', 'ndjson', array],
    env: {},
    stdout: { write, columns: undefined, color: false, isTTY: false },
    stderr: () => {},
    storage: localFiles,
  })
  expect(code).toBe(1)
  expect(pieces.length).toBeGreaterThan(1)
  for (const piece of pieces) expect(piece).toMatch(/^\{.*\}\n$/)
})
