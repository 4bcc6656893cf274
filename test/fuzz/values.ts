import { InspectError } from '../../src/base/errors.ts'
import { lastPathPart } from '../../src/base/paths.ts'
import type { CellValNum } from '../../src/format/cell-val-num.ts'
import { parseConsolidatedCommits, parseLines } from '../../src/format/commit-files.ts'
import { DATATYPES, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import { decodeText, encodeText } from '../../src/format/text.ts'
import {
  compareByTimestamps,
  isConsolidatedName,
  parseFragmentName,
  parseTimestampedName,
} from '../../src/format/timestamped-name.ts'
import { bytesOf, cellValue, sumValue } from '../../src/format/value.ts'
import type { Random } from '../helpers/random.ts'
import { sameBytes } from '../helpers/specimen.ts'
import { type Broken, broken } from './fuzzer.ts'
import { mutateBytes } from './mutations.ts'

/** An error that is no InspectError breaks a law. */
function lawful(what: string, work: () => string | undefined): Broken | undefined {
  try {
    const law = work()
    return law === undefined ? undefined : { law, what }
  } catch (error) {
    if (error instanceof InspectError) return undefined
    return broken(error, what)
  }
}

/** NaN and true have many bit patterns. Only one of them is written back. */
const keepsBytes = (value: unknown): boolean =>
  !(Array.isArray(value) ? value : [value]).some((one) => one === true || Number.isNaN(one))

/** Converts a cell of a random type from bytes to a value and back; also values that fit no type. */
export function fuzzValue(random: Random): Broken | undefined {
  const type = random.pick(DATATYPES)
  const count: CellValNum = random.pick([1, 1, 1, 2, 3, 'var', 'var'])
  const style = { raw: random.below(2) === 0 }
  const size = datatypeSize(type)
  const text = datatypeKind(type) === 'text' && random.below(2) === 0
  const length = (count === 'var' ? random.below(5) : count) * size + (random.below(8) === 0 ? random.below(9) : 0)
  const bytes = text
    ? encodedText(random, size, length)
    : random.integers(size, Math.ceil(length / size)).slice(0, length)
  const what = `${type} ${count} ${style.raw ? 'raw ' : ''}[${bytes.join(' ')}]`
  return (
    lawful(what, () => {
      const value = cellValue(type, count, bytes, style)
      if (!keepsBytes(value)) return undefined
      const again = bytesOf(type, count, value, style)
      return sameBytes(again, bytes) ? undefined : `[${again.join(' ')}] comes back`
    }) ??
    lawful(what, () => {
      sumValue(type, random.integers(8, 1).subarray(0, random.pick([8, 8, 7])))
      return undefined
    }) ??
    lawful(`a value for ${type}`, () => {
      cellValue(type, count, bytesOf(type, count, anyValue(random, 0), style), style)
      return undefined
    })
  )
}

/** Text in code units of `size` bytes. Most of it is valid. */
function encodedText(random: Random, size: number, length: number): Uint8Array {
  const out = new Uint8Array(length)
  const view = new DataView(out.buffer)
  const character = (): number => random.pick([0x20 + random.below(0x5f), 0xd800 + random.below(0x800), 0x1f600, 0xe9])
  for (let at = 0; at + size <= length; at += size) {
    if (size === 1) out[at] = character()
    else if (size === 2) view.setUint16(at, character(), true)
    else view.setUint32(at, character(), true)
  }
  return out
}

const TEXTS = [
  '',
  '0',
  '-1',
  '1e3',
  '1.5',
  'NaN',
  'Infinity',
  '-Infinity',
  'NaT',
  '9223372036854775808',
  '-9223372036854775808',
  '2024-02-29',
  '2023-02-29',
  '1970-01-01T00:00:00.000000000',
  '2024-01-31T23:59:59.999999999Z',
  '-0044-03-15',
  '+292277026596-12-04',
  '12:34:56.789',
  '99:59:59',
  'AAE=',
  'A',
  'é',
  '\ud800',
  'x'.repeat(70),
  '-12345678901234567890123456789012345678901234567890123456789012345',
  'true',
]

/** Values as a document or an option may spell them. */
function anyValue(random: Random, depth: number): unknown {
  switch (random.below(10)) {
    case 0:
      return random.pick([true, false, null, undefined, Number.NaN, Number.POSITIVE_INFINITY, -0])
    case 1:
      return random.bits() - 2 ** 31
    case 2:
      return random.pick([0.5, 1e300, 2 ** 53, -(2 ** 63), 255, 256, -1])
    case 3:
      return BigInt.asIntN(65, BigInt(random.bits()) << BigInt(random.below(40)))
    case 4:
      return depth > 1 ? [] : Array.from({ length: random.below(4) }, () => anyValue(random, depth + 1))
    case 5:
      return { base64: anyText(random) }
    case 6:
      return random.bytes(random.below(9))
    default:
      return anyText(random)
  }
}

function anyText(random: Random): string {
  const text = random.pick(TEXTS)
  if (random.below(2) === 0) return text
  const bytes = mutateBytes(random, new TextEncoder().encode(text), new TextEncoder().encode(random.pick(TEXTS)))
  return new TextDecoder().decode(bytes)
}

const UUID = '0123456789abcdef0123456789ABCDEF'
const NAMES = [
  `__1_2_${UUID}_22`,
  `__1_1_${UUID}`,
  `__${UUID}_1`,
  `__${UUID}_2_1`,
  `__1_2_${UUID}_22.wrt`,
  `__commits/__1_2_${UUID}_22.del`,
  `__fragments/__1_2_${UUID}_9\n__fragments/__3_3_${UUID}_9`,
  `a/__1_2_${UUID}_9/\n\n\n__1_2_${UUID}_9`,
  'é\ud83d\ude00',
]

/** Decodes names and lists of names from bytes, and encodes them again. The bytes must be the same. */
export function fuzzText(random: Random): Broken | undefined {
  const encoder = new TextEncoder()
  let bytes: Uint8Array = encoder.encode(random.pick(NAMES))
  for (let left = random.below(4); left > 0; left--)
    bytes = mutateBytes(random, bytes, random.below(3) === 0 ? random.bytes(40) : encoder.encode(random.pick(NAMES)))
  return lawful(`[${bytes.join(' ')}]`, () => {
    const text = decodeText(bytes)
    if (!sameBytes(encodeText(text), bytes)) return 'other bytes come back'
    parseTimestampedName(text)
    isConsolidatedName(text)
    const other = random.pick(NAMES)
    const [one, two] = [text, other].map((name) => ({
      name,
      timestamp_range: parseFragmentName(name)?.timestamp_range,
    }))
    if (compareByTimestamps(one, two) !== -compareByTimestamps(two, one) && text !== other)
      return `no order beside ${other}`
    for (const line of parseLines(bytes)) {
      const stored = bytes.subarray(line.offset, line.offset + encodeText(line.text).length)
      if (!sameBytes(encodeText(line.text), stored)) return 'a line is not what stands at its offset'
      if (!line.text.includes(lastPathPart(line.text))) return 'the last part of a path is not in it'
    }
    parseConsolidatedCommits(bytes)
    return undefined
  })
}
