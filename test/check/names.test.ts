import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import type { FindingCode } from '../../src/check/codes.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { shortTurn } from '../helpers/turn.ts'
import { check, shown } from './findings.ts'

/** `same`: TileDB reads the same cells as in the undamaged array; `differs`: it reads other cells without an error. */
type Verdict = 'fails' | 'same' | 'differs'

interface Recorded {
  libtiledb: string
  fixtures: Readonly<
    Record<
      string,
      {
        /** The content of the file, and what TileDB does with it. */
        added?: Readonly<Record<string, readonly [string, Verdict]>>
        removed: Readonly<Record<string, Verdict>>
      }
    >
  >
}

const { libtiledb, fixtures }: Recorded = JSON.parse(
  readFileSync(fileURLToPath(new URL('names.json', import.meta.url)), 'utf8'),
)

/** Codes about files that only consolidation needs. */
const NOT_READ = /\/dci\.tdb$/

/** Codes for arrays of which TileDB reads fewer cells. visible.test.ts compares them with TileDB. */
const READS_LESS: ReadonlySet<FindingCode> = new Set(['ARRAY_READS_EMPTY', 'VACUUM_HIDES_CELLS'])

/** One line for each difference between check and TileDB. */
async function disagreement(
  name: string,
  changed: readonly (readonly [string, Verdict, (array: EditedArray) => void])[],
): Promise<string[]> {
  const lines: string[] = []
  for (const [path, verdict, change] of shortTurn(changed, 24, 8)) {
    if (NOT_READ.test(path)) continue
    const array = new EditedArray(name)
    change(array)
    const said = await check(array.storage(), EDITED, { key: array.key, level: 'chunks' }).then(
      ({ findings }) => findings,
      () => undefined,
    )
    const errors = said?.filter(
      ({ severity, code }) => severity === 'error' && !(verdict === 'differs' && READS_LESS.has(code)),
    )
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
