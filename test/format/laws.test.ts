import { describe, expect, test } from '@jest/globals'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { SLOT_SECTIONS } from '../../src/format/fragment-footer.ts'
import { collectSpecimens } from '../helpers/collect-specimens.ts'
import { Random } from '../helpers/random.ts'
import { prefixLengths, type Specimen, sameBytes } from '../helpers/specimen.ts'
import { shortTurn } from '../helpers/turn.ts'

const specimens = await collectSpecimens()

/** Returns the number of format versions from this one on. */
function since(version: number): number {
  return NEWEST_FORMAT_VERSION + 1 - version
}

/** Every structure that the fixtures must have, with the least number of format versions. */
const STRUCTURES: Readonly<Record<string, number>> = {
  'array schema': since(1),
  enumeration: 1,
  'generic tile header': since(1),
  'generic tile chunks': since(1),
  'filter pipeline': since(1),
  'array metadata': 3,
  'group details': 1,
  'delete condition': 1,
  'consolidated fragment metadata': 1,
  'fragment metadata v1': 2,
  footer: since(3),
  rtree: since(3),
  ...Object.fromEntries(SLOT_SECTIONS.map((section) => [section.name.replaceAll('_', ' '), since(section.since)])),
  'fragment statistics': since(12),
  'processed conditions': since(16),
  'global order bounds': since(23),
  'tile chunks': since(1),
  'compressor metadata': since(1),
  'checksum metadata': 5,
  'aes metadata': 1,
  'bit width metadata': 5,
  'positive delta metadata': 1,
  'part lengths metadata': 1,
  'rle string metadata': 1,
  'dictionary metadata': 1,
}

function versionsOf(structure: string): Map<number, Specimen[]> {
  const by = new Map<number, Specimen[]>()
  for (const one of specimens) {
    if (one.structure !== structure) continue
    const list = by.get(one.version)
    if (list) list.push(one)
    else by.set(one.version, [one])
  }
  return by
}

/** Specimens of a structure and version whose prefixes are tried. There are hundreds that are alike. */
const ENOUGH_PREFIXED = 40

/** Returns prefixes that are read as if they were complete. */
function prefixesRead(list: readonly Specimen[], random: Random): string[] {
  const read: string[] = []
  const some = list.length <= ENOUGH_PREFIXED ? list : Array.from({ length: ENOUGH_PREFIXED }, () => random.pick(list))
  for (const one of some) {
    for (const length of prefixLengths(one.bytes.length, random)) {
      if (one.prefix(length) === 'shorter' && !one.openEnded) read.push(`${length} bytes of ${one.where}`)
    }
  }
  return read
}

/** Runs `work` without stack traces. Those of a hundred thousand errors would take most of the time. */
function withoutStacks<T>(work: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
  }
}

test('there are fixtures of every format version', () => {
  const versions = new Set(specimens.map(({ version }) => version))
  expect([...versions].sort((a, b) => a - b)).toEqual(Array.from({ length: NEWEST_FORMAT_VERSION }, (_, i) => i + 1))
})

test('the fixtures hold every structure', () => {
  const counts = Object.entries(STRUCTURES).map(([structure, least]) => [
    structure,
    Math.min(least, versionsOf(structure).size),
  ])
  expect(Object.fromEntries(counts)).toEqual(STRUCTURES)
  expect(new Set(specimens.map(({ structure }) => structure))).toEqual(new Set(Object.keys(STRUCTURES)))
})

for (const structure of Object.keys(STRUCTURES)) {
  describe(`${structure}: in every version`, () => {
    const versions = [...versionsOf(structure)]
    // A structure of few versions is tried in all of them.
    const some = versions.length < 6 ? versions : shortTurn(versions, 16, 8)

    test.each(versions)('version %i is written back byte for byte', (_version, list) => {
      const wrong = list.filter((one) => !sameBytes(one.roundTrip(), one.bytes))
      expect(wrong.map(({ where }) => where)).toEqual([])
    })

    test.each(versions)('version %i: spans lie side by side over every byte', (_version, list) => {
      const faults = list.map((one) => [one.where, one.coverage()]).filter(([, fault]) => fault !== undefined)
      expect(faults).toEqual([])
    })

    test.each(some)('version %i: no proper prefix is read', (version, list) => {
      expect(withoutStacks(() => prefixesRead(list, new Random(version)))).toEqual([])
    })
  })
}
