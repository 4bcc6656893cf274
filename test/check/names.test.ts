import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { check, shown } from './findings.ts'

/** `same`: it reads what it reads of the intact array; `differs`: something else, without a word. */
type Verdict = 'fails' | 'same' | 'differs'

interface Recorded {
  libtiledb: string
  fixtures: Readonly<
    Record<
      string,
      {
        /** What is in the file, and what TileDB does. */
        added?: Readonly<Record<string, readonly [string, Verdict]>>
        removed: Readonly<Record<string, Verdict>>
      }
    >
  >
}

const { libtiledb, fixtures }: Recorded = JSON.parse(
  readFileSync(fileURLToPath(new URL('names.json', import.meta.url)), 'utf8'),
)

/** Readers do without it; consolidation does not. */
const NOT_READ = /\/dci\.tdb$/

/** What check and TileDB do not agree on, as lines. */
async function disagreement(
  name: string,
  changed: Iterable<readonly [string, Verdict, (array: EditedArray) => void]>,
): Promise<string[]> {
  const lines: string[] = []
  for (const [path, verdict, change] of changed) {
    if (NOT_READ.test(path)) continue
    const array = new EditedArray(name)
    change(array)
    const said = await check(array.storage(), EDITED, { key: array.key, level: 'chunks' }).then(
      ({ findings }) => findings,
      () => undefined,
    )
    const errors = said?.filter(({ severity }) => severity === 'error')
    const fails = errors === undefined || errors.length > 0
    if (verdict === 'differs' ? fails : fails !== (verdict === 'fails'))
      lines.push(`${path}: TileDB ${verdict}; ${shown(errors ?? []).join('; ') || 'no error'}`)
  }
  return lines
}

describe(`check says error where libtiledb ${libtiledb} fails, and nowhere else`, () => {
  test.each(Object.keys(fixtures))('%s, less one file or folder', async (name) => {
    const changed = Object.entries(fixtures[name].removed).map(([path, verdict]) => {
      const inside = (file: string): boolean => file === `${EDITED}/${path}` || file.startsWith(`${EDITED}/${path}/`)
      const change = (array: EditedArray): void => {
        for (const file of [...array.files.keys()]) if (inside(file)) array.files.delete(file)
      }
      return [path, verdict, change] as const
    })
    expect(await disagreement(name, changed)).toEqual([])
  })

  test.each(Object.keys(fixtures).filter((name) => fixtures[name].added))('%s, and a file more', async (name) => {
    const changed = Object.entries(fixtures[name].added ?? {}).map(([path, [text, verdict]]) => {
      const change = (array: EditedArray): void => array.add(path, new TextEncoder().encode(text))
      return [path, verdict, change] as const
    })
    expect(await disagreement(name, changed)).toEqual([])
  })
})
