import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { Answer, Effect } from '../../src/why/answer.ts'
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

/** What the effects say of the opening up to a time, in the letters of the recording. */
function letters({ without }: Answer, to: number): string {
  const at = without.filter(
    ({ as_of: [first, last], between }) => !between && first <= to && (last === null || to <= last),
  )
  const of = (outcome: Effect['outcome']): Effect | undefined => at.find((one) => one.outcome === outcome)
  if (of('fails')) return 'o'
  if (of('opens')) return 'O'
  const { lost = 0, added = 0, changed = 0, certainty } = of('cells') ?? {}
  const cells =
    certainty === undefined ? '' : `c-${lost + changed}+${added + changed}${certainty === 'at most' ? '?' : ''}`
  const { names = [], certainty: all } = of('fields') ?? {}
  const fields = names.length > 0 ? `r${names.join()}${all === 'at most' ? '?' : ''}` : cells
  return `${fields}${of('schema') || of('members') ? 's' : ''}${of('metadata') ? 'm' : ''}${of('enumerations') ? 'e' : ''}${of('labels') ? 'l' : ''}`
}

/** Names of the attributes that some read cannot give. */
function failingIn(said: Said): string[] {
  return said.flatMap(([text]) => (/^r[^e]/.test(text) ? text.slice(1).split(',') : []))
}

/**
 * Whether TileDB does what the letters say.
 * @param attributes names of attributes; reads of dimensions alone are not recorded
 */
function agrees(predicted: string, text: string, attributes: ReadonlySet<string>): boolean {
  if (predicted === text || text === CRASHED) return true
  const isMost = predicted.endsWith('?')
  if (isMost && text === '') return true
  // Where the schema differs, so do the cells; where the members do, so does what they hold.
  if (predicted.endsWith('s')) return /(?:s|sl|e)$/.test(text)
  // TileDB-Py reads the enumeration of an attribute, too.
  if (predicted === 'e') return /^r.*e$/.test(text)
  if (predicted.startsWith('r') && text.startsWith('r')) {
    const fail = predicted.replace('?', '').slice(1).split(',')
    return fail.filter((name) => attributes.has(name)).join() === text.slice(1)
  }
  const [most, found] = [predicted, text].map((one) => /^c-(\d+)\+(\d+)/.exec(one)?.slice(1).map(Number))
  return isMost && most !== undefined && found?.every((count, i) => count <= most[i]) === true
}

describe(`held against what libtiledb ${libtiledb} reads without a file or folder`, () => {
  test.each(Object.keys(arrays))('%s', async (name) => {
    const { views, paths, vacuums } = arrays[name]
    const array = new EditedArray(name)
    const attributes = new Set(Object.values(paths).flatMap(failingIn))
    const wrong: string[] = []
    for (const [path, said] of Object.entries(paths)) {
      const answer = await why(array.storage(), `${EDITED}/${path}`, contextFor({ key: array.key }))
      if (answer.delete === 'yes' && said.some(([text]) => text !== '' && text !== CRASHED))
        wrong.push(`${path}: yes, but TileDB ${JSON.stringify(said)}`)
      const [call, mode = 'fragments'] = answer.how?.split(' ') ?? []
      if (call === 'vacuum') {
        const { gone = [], then } = vacuums[mode] ?? {}
        if (!gone.includes(path) || then !== '') wrong.push(`${path}: ${answer.how}, which leaves it, or ${then}`)
      }
      // Labels and members are arrays of their own, which were not opened by themselves.
      if (answer.root !== EDITED) continue
      const texts = said.flatMap(([text, count]) => Array<string>(count).fill(text))
      for (const [i, [from, to]] of views.entries()) {
        const predicted = letters(answer, to)
        if (from === 0 && !agrees(predicted, texts[i], attributes))
          wrong.push(`${path} ..${to}: ${predicted}, TileDB ${texts[i]}`)
      }
    }
    expect(wrong).toEqual([])
  })
})
