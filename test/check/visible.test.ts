import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { lastPathPart } from '../../src/base/paths.ts'
import { u32Bytes } from '../../src/damage/bytes.ts'
import { parseFragmentName } from '../../src/format/timestamped-name.ts'
import type { InspectArray } from '../../src/objects/array.ts'
import { storedCellNum } from '../../src/objects/fragment.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { openEdited } from '../helpers/open-edited.ts'
import { shortTurn } from '../helpers/turn.ts'
import { check, shown } from './findings.ts'

type Edit =
  | readonly ['rm' | 'mkdir', path: string]
  | readonly ['mv' | 'cp', path: string, to: string]
  | readonly ['put', path: string, text: string]
  | readonly ['u32', path: string, offset: number, value: number]

/** Results of TileDB: the fragments that FragmentInfo lists, and what a query returns. */
interface Answer {
  listed: readonly string[]
  cell_num: number
  /** Only for sparse arrays. */
  cells?: number
  empty: boolean
}

interface Recorded {
  libtiledb: string
  fixtures: Readonly<Record<string, Readonly<Record<string, { edits: readonly Edit[]; tiledb: Answer | null }>>>>
}

const { libtiledb, fixtures }: Recorded = JSON.parse(
  readFileSync(fileURLToPath(new URL('visible.json', import.meta.url)), 'utf8'),
)

const SHORT: Readonly<Record<string, string>> = { 0: '0123456789abcdef0123456789abcdef', F: '9999999999999' }

/** Replaces placeholders by names: `{A}` by a name, `{A@5_5}` by that name with other times. */
function written(name: string): (text: string) => string {
  const names = new Map<string, string>()
  for (const file of new EditedArray(name).files.keys()) {
    for (const part of file.split('/').slice(0, -1)) if (parseFragmentName(part)) names.set(part, part)
  }
  const times = (one: string): readonly [bigint, bigint] => parseFragmentName(one)?.timestamp_range ?? [0n, 0n]
  const sorted = [...names.keys()].sort((a, b) => {
    const [[a1, a2], [b1, b2]] = [times(a), times(b)]
    return a1 !== b1 ? (a1 < b1 ? -1 : 1) : a2 !== b2 ? (a2 < b2 ? -1 : 1) : a < b ? -1 : 1
  })
  const whole = (letter: string): string => sorted[letter.charCodeAt(0) - 'A'.charCodeAt(0)]
  const dated = (letter: string, to: string): string =>
    to.includes('_') ? whole(letter).replace(/^__\d+_\d+/, `__${to}`) : whole(letter).replace(/_\d+$/, `_${to}`)
  return (text) =>
    text
      .replace(/\{([0F])\}/g, (_, short: string) => SHORT[short])
      .replace(/\{([A-Z])@([^}]*)\}/g, (_, letter: string, to: string) => dated(letter, to))
      .replace(/\{([A-E])\}/g, (_, letter: string) => whole(letter))
}

/** @returns whether a folder without files is left, which a storage in memory cannot hold */
function edited(array: EditedArray, edits: readonly Edit[], full: (text: string) => string): void {
  for (const edit of edits) {
    const [kind, from] = edit
    const to = kind === 'put' || kind === 'mv' || kind === 'cp' ? edit[2] : ''
    const path = `${EDITED}/${full(from)}`
    const below = [...array.files.keys()].filter((file) => file === path || file.startsWith(`${path}/`))
    if (kind === 'put') array.files.set(path, new TextEncoder().encode(full(to)))
    if (kind === 'u32') array.patch(path, edit[2], u32Bytes(edit[3]))
    // A file that TileDB ignores stands for an empty folder.
    if (kind === 'mkdir') array.files.set(`${path}/empty`, new Uint8Array())
    for (const file of kind === 'rm' || kind === 'mv' || kind === 'cp' ? below : []) {
      const bytes = array.files.get(file) ?? new Uint8Array()
      if (kind !== 'rm') array.files.set(`${EDITED}/${full(to)}${file.slice(path.length)}`, bytes)
      if (kind !== 'cp') array.files.delete(file)
    }
  }
}

async function cellNum(array: InspectArray, paths: readonly string[]): Promise<number> {
  let cells = 0
  for (const path of paths) cells += storedCellNum(await array.fragment(path).info())
  return cells
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort()

describe(`what libtiledb ${libtiledb} reads is what is said of an array`, () => {
  test.each(Object.keys(fixtures))('%s', async (name) => {
    const full = written(name)
    const wrong: string[] = []
    for (const [what, { edits, tiledb }] of shortTurn(Object.entries(fixtures[name]), 12)) {
      const array = new EditedArray(name)
      edited(array, edits, full)
      const checked = await check(array.storage(), EDITED, { key: array.key, level: 'structure' }).catch(
        () => undefined,
      )
      const errors = (checked?.findings ?? []).filter(({ severity }) => severity === 'error')
      const said = (): string => shown(errors).join('; ') || 'no error'
      if (!tiledb) {
        // Names and footers may have a version that is newer than all known ones.
        const isUnknown = checked?.notExamined.some(({ code }) => code === 'UNSUPPORTED_VERSION')
        if (checked && errors.length === 0 && !isUnknown) wrong.push(`${what}: TileDB fails; no error`)
        continue
      }
      const entries = await (await openEdited(array)).fragments()
      const visible = sorted(entries.filter((one) => one.visible).map(({ path }) => path))
      const listed = sorted(tiledb.listed.map(full))
      if (visible.join() !== listed.join()) wrong.push(`${what}: TileDB lists ${listed}; visible ${visible}`)
      const isRead = entries.some((one) => one.isRead)
      if (isRead === tiledb.empty) wrong.push(`${what}: TileDB reads ${tiledb.empty ? 'nothing' : 'cells'}; ${visible}`)
      const cells = await cellNum(await openEdited(array), visible)
      if (tiledb.listed.length === listed.length && cells !== tiledb.cell_num)
        wrong.push(`${what}: TileDB counts ${tiledb.cell_num} cells; the listed fragments have ${cells}`)
      // Fragments on disk that TileDB will never read.
      const lost = (path: string): boolean => !listed.includes(path)
      const whole = entries.filter(({ path }) => array.files.has(`${EDITED}/${path}/__fragment_metadata.tdb`))
      const hidden = whole.filter(({ path, state }) => lost(path) && state === 'hidden')
      const isAhead = whole.every(({ state }) => state === 'future')
      const expected = hidden.length > 0 || (tiledb.empty && whole.length > 0 && !isAhead)
      const twice = tiledb.listed.length > listed.length && /duplicates/.test(name)
      if (errors.length > 0 !== (expected || twice)) wrong.push(`${what}: ${said()}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('what a list hides', () => {
  test.each(Object.keys(fixtures).filter((name) => 'list of itself' in fixtures[name] && name !== '22/vacuum_left'))(
    '%s: cells that no other fragment holds are an error, and others are not',
    async (name) => {
      const full = written(name)
      const LOST = /gone|uncommitted|before|behind|itself|circle|list of|does not end|other folder/
      const lists = Object.entries(fixtures[name]).filter(([what, { tiledb }]) => tiledb && /list/.test(what))
      for (const [what, { edits, tiledb }] of shortTurn(lists, 8)) {
        if (!tiledb) continue
        const array = new EditedArray(name)
        edited(array, edits, full)
        const { findings } = await check(array.storage(), EDITED, { key: array.key, level: 'structure' })
        const found = findings.filter(({ code }) => code === 'VACUUM_HIDES_CELLS')
        const A = full('{A}')
        const isListed = tiledb.listed.some((path) => lastPathPart(full(path)) === A)
        const isCopied = / there$/.test(what) && !/before|behind/.test(what)
        const before5 = Number(name.split('/')[0]) < 5 && /around, its fragment uncommitted/.test(what)
        const isLost = !isListed && LOST.test(what) && !isCopied && !before5
        expect([what, found.length > 0]).toEqual([what, isLost])
      }
    },
  )
})
