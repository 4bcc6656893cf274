import { existsSync, readFileSync } from 'node:fs'
import { type AskedRead, answerOf } from '../helpers/asked-reads.ts'
import type { Differences } from './differences.ts'
import type { GoldenArray } from './golden-array.ts'

/** Merged reads, where TileDB was asked for some: `<array>.reads.json` is a list of queries (test/fixtures/README.md). */
export async function compareReads({ path, key }: GoldenArray, found: Differences): Promise<void> {
  const file = `${path}.reads.json`
  if (!existsSync(file)) return
  const asked: AskedRead[] = JSON.parse(readFileSync(file, 'utf8'))
  for (const { cell_num, answer, ...query } of asked) {
    const place = JSON.stringify(query)
    const got = await answerOf(path, key ?? undefined, query).catch((error) => error)
    if (got instanceof Error) found.add(`${place}: ${got.message}`)
    else if (got.cell_num !== cell_num) found.add(`${place}: ${got.cell_num} cells, TileDB gives ${cell_num}`)
    else if (got.answer !== answer) found.add(`${place}: ${got.answer}, TileDB gives ${answer}`)
  }
}
