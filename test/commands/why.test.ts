import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { why } from '../../src/why/why.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor } from '../helpers/fixtures.ts'

/** A text for each opening, and how often it repeats: see test/tiledb/removed.py. */
type Said = readonly (readonly [text: string, count: number])[]

/** TileDB-Py ends with a signal at some reads of intact arrays, too. */
const CRASHED = 'x'

interface Recorded {
  libtiledb: string
  arrays: Readonly<
    Record<
      string,
      {
        views: readonly (readonly [number, number])[]
        paths: Readonly<Record<string, Said>>
        /** What vacuum removes in each mode, and how a read as of now differs then. */
        vacuums: Readonly<Record<string, { gone: readonly string[]; then: string }>>
      }
    >
  >
}

const { libtiledb, arrays }: Recorded = JSON.parse(
  gunzipSync(readFileSync(fileURLToPath(new URL('removed.json.gz', import.meta.url)))).toString(),
)

describe(`held against what libtiledb ${libtiledb} reads without a file or folder`, () => {
  test.each(Object.keys(arrays))('%s: what may be deleted, nobody misses', async (name) => {
    const { paths, vacuums } = arrays[name]
    const array = new EditedArray(name)
    const wrong: string[] = []
    for (const [path, said] of Object.entries(paths)) {
      const answer = await why(array.storage(), `${EDITED}/${path}`, contextFor({ key: array.key }))
      if (answer.delete === 'yes' && said.some(([text]) => text !== '' && text !== CRASHED))
        wrong.push(`${path}: yes, but TileDB ${JSON.stringify(said)}`)
      const [call, mode = 'fragments'] = answer.how?.split(' ') ?? []
      if (call !== 'vacuum') continue
      const { gone = [], then } = vacuums[mode] ?? {}
      if (!gone.includes(path) || then !== '') wrong.push(`${path}: ${answer.how}, which leaves it, or ${then}`)
    }
    expect(wrong).toEqual([])
  })
})
