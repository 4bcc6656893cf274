import { compareChecksums } from './compare-checksums.ts'
import { compareCommits } from './compare-commits.ts'
import { compareDecode } from './compare-decode.ts'
import { compareFooter } from './compare-footer.ts'
import { compareGroup } from './compare-group.ts'
import { compareLs } from './compare-ls.ts'
import { compareKeyValues } from './compare-metadata.ts'
import { compareReads } from './compare-reads.ts'
import { compareRtree } from './compare-rtree.ts'
import { compareSchema } from './compare-schema.ts'
import { compareStats } from './compare-stats.ts'
import { compareTileRows } from './compare-tile-rows.ts'
import { compareTiles } from './compare-tiles.ts'
import { Differences } from './differences.ts'
import { type ExpectedArray, readExpected } from './expected.ts'
import { GoldenArray } from './golden-array.ts'

type Check = (array: GoldenArray, found: Differences) => Promise<void>

/** Every check of an array, by the command that it is about. */
const CHECKS: Readonly<Record<string, Check>> = {
  schema: compareSchema,
  ls: compareLs,
  footer: compareFooter,
  rtree: compareRtree,
  'metadata of tiles': compareTiles,
  tiles: compareTileRows,
  stats: compareStats,
  decode: compareDecode,
  commits: compareCommits,
  metadata: async (array, found) => {
    compareKeyValues(await array.json(['metadata'], array.path, 'metadata'), array.expected.metadata, found)
  },
  'verify-checksums': compareChecksums,
  read: compareReads,
}

/**
 * Holds what the program prints of `<path>` against `<path>.expected.json`, label arrays and group members included.
 * @returns the differences, each with the check that found it; none when all agrees
 */
export async function compareCase(path: string): Promise<string[]> {
  const expected = readExpected(`${path}.expected.json`)
  const { key, tags = [] } = expected
  if ('object' in expected) {
    const lines = await checked('group', (found) => compareGroup(path, key, expected, found))
    for (const [inside, array] of Object.entries(expected.arrays)) {
      lines.push(...(await compareArray(new GoldenArray(`${path}/${inside}`, key, array, tags), `${inside}: `)))
    }
    return lines
  }
  return compareArray(new GoldenArray(path, key, expected, tags), '')
}

async function compareArray(array: GoldenArray, prefix: string): Promise<string[]> {
  const lines: string[] = []
  for (const [name, check] of Object.entries(CHECKS)) {
    lines.push(...(await checked(`${prefix}${name}`, (found) => check(array, found))))
  }
  for (const { array: inside, uri } of array.expected.dimension_labels ?? []) {
    if (inside) lines.push(...(await compareArray(labelArray(array, inside, uri), `${prefix}${uri}: `)))
  }
  return lines
}

function labelArray(array: GoldenArray, inside: ExpectedArray, uri: string): GoldenArray {
  return new GoldenArray(`${array.path}/${uri}`, array.key, inside, array.tags)
}

async function checked(name: string, check: (found: Differences) => Promise<void>): Promise<string[]> {
  const found = new Differences()
  try {
    await check(found)
  } catch (error) {
    found.add(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  }
  return found.found.map((line) => `${name}: ${line}`)
}
