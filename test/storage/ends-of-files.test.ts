import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import type { Storage } from '../../src/storage/source.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'

/** Files whose end is read at once are read by other code than those for which that is not possible. Both must give the same answers. */

const folder = temporaryFolder()
const METADATA = '__fragment_metadata.tdb'
const ARRAYS: Readonly<Record<string, readonly string[]>> = {
  numbers: ['--dim', 'x:INT64:0..999:100', '--attr', 'a:FLOAT64', '--attr', 'b:INT32'],
  texts: ['--dim', 's:STRING_ASCII', '--attr', 't:STRING_UTF8:var', '--attr', 'n:INT32:1:nullable'],
}
const COMMANDS = [
  ['stats', '--json'],
  ['explain', '--json'],
  ['check', '--json'],
  ['rtree', '--json'],
  ['read', '--format', 'ndjson', '--limit', '30'],
]
const SIZES = [0n, 1n, 3n, 65_537n, 2n ** 32n, 2n ** 40n, 2n ** 53n, 2n ** 64n - 1n]
/** Changes of each array. */
const CHANGES = 12

// The tests of a process share its environment.
const usual = process.env.TILEDB_INSPECT_NOW
afterAll(() => {
  process.env.TILEDB_INSPECT_NOW = usual
})

beforeAll(async () => {
  process.env.TILEDB_INSPECT_NOW = '4000000000000'
  for (const [name, fields] of Object.entries(ARRAYS)) {
    const size = ['--fragments', '6', '--cells', '120', '--capacity', '5']
    const { stderr } = await run(['write-sample', join(folder, name), ...size, ...fields])
    expect(stderr).toBe('')
  }
})

/** Where the sections of a file begin: where a number of the footer leads to its format version. */
function sections(bytes: Buffer, footer: number): readonly number[] {
  const version = bytes.readUInt32LE(footer)
  return Array.from({ length: bytes.length - 16 - footer }, (_, i) => bytes.readBigUInt64LE(footer + i))
    .filter((offset) => offset > 0n && offset < footer - 32)
    .map(Number)
    .filter((offset) => bytes.readUInt32LE(offset) === version)
}

/** Changes a file in one of the ways in which a file of metadata can be wrong, and says in which. */
function change(bytes: Buffer, random: Random): Buffer {
  const footer = Number(bytes.readBigUInt64LE(bytes.length - 8))
  const start = bytes.length - 8 - footer
  const size = random.pick([...SIZES, BigInt(start), BigInt(bytes.length)])
  const out = Buffer.from(bytes)
  switch (random.below(7)) {
    case 0:
      return out.subarray(0, random.below(out.length))
    case 1:
      return Buffer.concat([out, Buffer.alloc(random.pick([1, 8, 70_000]))])
    case 2:
      // Pushes the sections away from the end.
      return Buffer.concat([out.subarray(0, start), Buffer.alloc(70_000), out.subarray(start)])
    case 3:
      out.writeBigUInt64LE(size, start + random.below(footer - 8))
      return out
    case 4:
    case 5: {
      // The stored size, or that of the content.
      const section = random.pick(sections(bytes, start))
      out.writeBigUInt64LE(random.pick([size, bytes.readBigUInt64LE(section + 4) + 1n]), section + random.pick([4, 12]))
      return out
    }
    default:
      out[random.below(out.length)] ^= 1 << random.below(8)
      return out
  }
}

test.each(Object.keys(ARRAYS))('the end of a file, read at once, changes no answer about damage: %s', async (name) => {
  const { readEnd: _, ...others } = localFiles
  const storages: readonly Storage[] = [localFiles, others]
  const path = join(folder, name)
  const random = new Random(7)
  const fragments = fragmentNames(path)
  let found = 0
  for (let left = CHANGES; left > 0; left--) {
    const file = join(path, '__fragments', random.pick(fragments), METADATA)
    const intact = readFileSync(file)
    writeFileSync(file, change(intact, random))
    for (const [command, ...options] of COMMANDS) {
      const answers = []
      for (const storage of storages) answers.push(await run([command, path, ...options], { storage }))
      const [atOnce, usual] = answers.map(({ code, text, stderr }) => ({ left, command, code, text, stderr }))
      expect(atOnce).toEqual(usual)
      if (usual?.code !== 0) found++
    }
    writeFileSync(file, intact)
  }
  expect(found).toBeGreaterThan(CHANGES / 2)
})
