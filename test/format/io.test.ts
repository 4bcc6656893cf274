import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { enumerationOf } from '../../src/format/coding.ts'
import { type Describe, decode, decodePrefix, encode, type Io, trace } from '../../src/format/io.ts'
import { childrenOf, type Span } from '../../src/format/span.ts'
import { bytes, text32, textBytes, u8, u16, u32Bytes, u64Bytes } from '../helpers/build-bytes.ts'
import { coverageFault } from '../helpers/coverage.ts'
import { failure } from '../helpers/failure.ts'

interface Numbers {
  a: number
  b: number
  c: number
  d: number
  e: bigint
  f: number
  g: number
  h: number
  i: boolean
}

const numbers: Describe<Numbers> = (io) => ({
  a: io.u8('a', 'a field'),
  b: io.u16('b', 'a field'),
  c: io.u32('c', 'a field'),
  d: io.i32('d', 'a field'),
  e: io.u64('e', 'a field'),
  f: io.size('f', 'a field'),
  g: io.f32('g', 'a field'),
  h: io.f64('h', 'a field'),
  i: io.flag('i', 'a field'),
})

const NUMBERS: Numbers = {
  a: 255,
  b: 0xabcd,
  c: 0xfedcba98,
  d: -2,
  e: 2n ** 64n - 1n,
  f: 2 ** 53 - 1,
  g: -0,
  h: 1e300,
  i: true,
}

/** A list of words after a count. */
interface Words {
  words: { word: string }[]
}
const word: Describe<{ word: string }> = (io) => ({ word: io.string('word', 'uint32', 'a field') })
const words: Describe<Words> = (io) => {
  const count = io.derive('word_num', 'uint64', (w) => w.words.length, 'a field')
  return { words: io.list('words', count, word) }
}

describe('numbers', () => {
  test('are little-endian and come back exactly', () => {
    const stored = encode(NUMBERS, numbers)
    expect(stored).toEqual(
      bytes(
        [255, 0xcd, 0xab],
        u32Bytes(0xfedcba98),
        u32Bytes(0xfffffffe),
        u64Bytes(-1n),
        u64Bytes(2 ** 53 - 1),
        [0, 0, 0, 0x80],
        stored.slice(31, 39),
        [1],
      ),
    )
    expect(decode(stored, numbers)).toEqual(NUMBERS)
  })

  test('are written where the buffer grows', () => {
    // The writer starts with 256 bytes. Every kind of field must be written right when it enlarges that memory.
    for (let lead = 256 - 60; lead < 260; lead++) {
      const padded: Describe<{ pad: Uint8Array; numbers: Numbers }> = (io) => ({
        pad: io.bytes('pad', lead, 'a field'),
        numbers: io.struct('numbers', numbers),
      })
      const value = { pad: new Uint8Array(lead).fill(7), numbers: NUMBERS }
      expect(decode(encode(value, padded), padded)).toEqual(value)
    }
  })

  test('of 64 bits that stand for a size are refused from 2^53 on', () => {
    const size: Describe<{ size: number }> = (io) => ({ size: io.size('size', 'a field') })
    expect(decode(u64Bytes(2 ** 53 - 1), size)).toEqual({ size: 2 ** 53 - 1 })
    const error = failure(() => decode(u64Bytes(2n ** 53n), size, { offset: 16 }))
    expect(error).toMatchObject({ code: 'BAD_VALUE', at: { offset: 16, field: 'size' } })
    expect(error.message).toContain('9007199254740992')
  })

  test('of a flag are 0 or 1; where readers take all but 0 for true, another one is told', () => {
    const strict: Describe<{ set: boolean }> = (io) => ({ set: io.flag('set', 'a field', true) })
    expect(failure(() => decode(u8(2), strict))).toMatchObject({ code: 'BAD_VALUE', at: { offset: 0, field: 'set' } })
    const flag: Describe<{ set: boolean }> = (io) => ({ set: io.flag('set', 'a field') })
    const odd: unknown[] = []
    expect(decode(u8(2), flag, { onOddFlag: (...one) => odd.push(one) })).toEqual({ set: true })
    expect(odd).toEqual([['set', 2, 0]])
  })
})

describe('enumerations', () => {
  const coding = enumerationOf<'zero' | 'one'>('colour', ['zero', 'one'])
  const coded: Describe<{ colour: 'zero' | 'one' }> = (io) => ({
    colour: io.coded('colour', 'uint16', coding, 'a field'),
  })

  test('are read and written by their names', () => {
    expect(decode(u16(1), coded)).toEqual({ colour: 'one' })
    expect(encode<{ colour: 'zero' | 'one' }>({ colour: 'one' }, coded)).toEqual(u16(1))
  })

  test('tell what would have been accepted', () => {
    const error = failure(() => decode(u16(7), coded, { offset: 3 }))
    expect(error).toMatchObject({ code: 'BAD_ENUM', at: { offset: 3, field: 'colour' } })
    expect(error.message).toBe('expected a colour (0 zero, 1 one), found 7')
  })
})

describe('frames', () => {
  interface Framed {
    first: number
    rest: Uint8Array
    behind: number
  }
  const framed: Describe<Framed> = (io) => {
    const inner = io.within('frame', 'uint32', (frame) => ({
      first: frame.u16('first', 'a field'),
      rest: frame.rest('rest', 'a field'),
    }))
    return { ...inner, behind: io.u8('behind', 'a field') }
  }

  test('end where their length says, and the rest of one is what is left in it', () => {
    const stored = bytes(u32Bytes(5), u16(1), [9, 9, 9], u8(4))
    expect(decode(stored, framed)).toEqual({ first: 1, rest: bytes([9, 9, 9]), behind: 4 })
    expect(encode({ first: 1, rest: bytes([9, 9, 9]), behind: 4 }, framed)).toEqual(stored)
  })

  test('may end without a rest', () => {
    expect(decode(bytes(u32Bytes(2), u16(1), u8(4)), framed).rest).toEqual(new Uint8Array(0))
  })

  test('do not let a read out, although bytes follow', () => {
    const error = failure(() => decode(bytes(u32Bytes(1), u16(1), u8(4)), framed))
    expect(error).toMatchObject({ code: 'TRUNCATED', at: { offset: 4, field: 'frame.first' } })
  })

  test('must be used up', () => {
    const tight: Describe<{ a: number }> = (io) =>
      io.within('frame', 'uint32', (frame) => ({ a: frame.u8('a', 'a field') }))
    const error = failure(() => decode(bytes(u32Bytes(3), [1, 2, 3]), tight))
    expect(error).toMatchObject({ code: 'TRAILING_BYTES', at: { offset: 5, field: 'frame' } })
  })

  test('cannot be longer than what is around them', () => {
    expect(failure(() => decode(bytes(u32Bytes(100), u16(1)), framed))).toMatchObject({
      code: 'TRUNCATED',
      at: { offset: 4 },
    })
  })
})

describe('derived numbers', () => {
  test('are worked out when writing, and not part of the value', () => {
    const value = { words: [{ word: 'to' }, { word: '' }] }
    const stored = bytes(u64Bytes(2), text32('to'), text32(''))
    expect(encode(value, words)).toEqual(stored)
    expect(decode(stored, words)).toEqual(value)
  })

  test('that are no unsigned integer of their width are refused when writing', () => {
    const wide: Describe<{ list: number[] }> = (io) => {
      io.derive('count', 'uint8', (v) => v.list.length * 300, 'a field')
      return { list: [] }
    }
    expect(() => encode({ list: [1] }, wide)).toThrow(TypeError)
  })
})

describe('records', () => {
  const pair: Describe<{ x: number; y: number }> = (io) => ({ x: io.u16('x', 'a field'), y: io.u16('y', 'a field') })
  interface Run {
    bytes: Uint8Array
    starts: Float64Array | undefined
  }
  const fixed: Describe<Run> = (io) =>
    io.records(
      'bytes',
      io.derive('n', 'uint8', (r) => r.bytes.length / 4, 'a field'),
      4,
      pair,
      'a field',
    )
  const varied: Describe<Run> = (io) =>
    io.records(
      'bytes',
      io.derive('n', 'uint8', () => 2, 'a field'),
      undefined,
      word,
      'a field',
    )

  test('of one length stay bytes', () => {
    const stored = bytes(u8(2), u16(1), u16(2), u16(3), u16(4))
    const value = decode(stored, fixed)
    expect(value).toEqual({ bytes: stored.slice(1), starts: undefined })
    expect(encode(value, fixed)).toEqual(stored)
  })

  test('of different lengths also say where each starts', () => {
    const stored = bytes(u8(2), text32('larch'), text32('yew'))
    const value = decode(stored, varied)
    expect([...(value.starts ?? [])]).toEqual([0, 9])
    expect(encode(value, varied)).toEqual(stored)
  })

  test('are traced one by one when asked for, each in its place', () => {
    for (const [stored, describe] of [
      [bytes(u8(2), u16(1), u16(2), u16(3), u16(4)), fixed],
      [bytes(u8(2), text32('larch'), text32('yew')), varied],
    ] as const) {
      const { root, error } = trace(stored, describe, 'run', { offset: 100 })
      expect(error).toBeUndefined()
      expect(coverageFault(root)).toBeUndefined()
      const list = [...childrenOf(root)].at(-1)
      expect(list).toMatchObject({ name: 'bytes', type: 'list', offset: 101, elements: { count: 2 } })
      expect(list?.children).toBeUndefined()
    }
  })
})

/** An element that is only bytes. */
function lengthOf(length: number): Describe<Uint8Array> {
  return (io) => {
    const out = new Uint8Array(length)
    for (let i = 0; i < length; i++) out[i] = io.derive('byte', 'uint8', (value) => value[i], 'a field')
    return out
  }
}

describe('tuples and lists', () => {
  test('of a value that is itself an array have a description for each element', () => {
    const two: Describe<Uint8Array[]> = (io) => io.tuple([lengthOf(1), lengthOf(3)], ['short', 'long'])
    const stored = bytes(u8(3), textBytes('abc'))
    const value = [bytes(u8(3)), textBytes('abc')]
    expect(decode(stored, two)).toEqual(value)
    expect(encode(value, two)).toEqual(stored)
    expect([...childrenOf(trace(stored, two, 'two').root)].map(({ name }) => name)).toEqual(['short', 'long'])
    expect(failure(() => decode(u8(3), two)).at).toMatchObject({ offset: 1, field: 'long.byte' })
    expect(() => encode([value[0]], two)).toThrow(TypeError)
    expect(() => encode([value[0], undefined] as unknown as Uint8Array[], two)).toThrow(TypeError)
  })

  test('to the end stop there', () => {
    const toEnd: Describe<Words> = (io) => ({ words: io.listToEnd('words', word) })
    const stored = bytes(text32('a'), text32('bc'))
    expect(decode(stored, toEnd)).toEqual({ words: [{ word: 'a' }, { word: 'bc' }] })
    expect(decode(new Uint8Array(0), toEnd)).toEqual({ words: [] })
    expect(encode({ words: [{ word: 'a' }, { word: 'bc' }] }, toEnd)).toEqual(stored)
  })

  test('of elements without bytes do not run forever', () => {
    const empty: Describe<{ all: object[] }> = (io) => ({ all: io.listToEnd('all', () => ({})) })
    expect(failure(() => decode(u8(1), empty)).code).toBe('BAD_VALUE')
  })

  test('longer than 64 are traced only on request, and still cover every byte', () => {
    const value = { words: Array.from({ length: 200 }, (_, i) => ({ word: 'x'.repeat(i % 5) })) }
    const { root } = trace(encode(value, words), words, 'words')
    const list = root.children?.at(-1)
    expect(list?.children).toBeUndefined()
    expect(list?.elements?.count).toBe(200)
    expect(list?.elements?.at(199).length).toBe(4 + (199 % 5))
    expect(coverageFault(root)).toBeUndefined()
  })
})

describe('errors', () => {
  interface Nested {
    head: { names: string[] }
    words: { word: string }[]
  }
  const nested: Describe<Nested> = (io) => ({
    head: io.struct('head', (head: Io<Nested['head']>) => ({ names: head.strings('names', 1, 'uint64', 'a field') })),
    words: io.list('words', 2, word),
  })

  test('give offset and dotted path of the field', () => {
    const stored = bytes(u64Bytes(1), textBytes('n'), text32('ok'), u32Bytes(9), textBytes('short'))
    const error = failure(() => decode(stored, nested, { offset: 1000, file: 'f.tdb' }))
    expect(error.code).toBe('TRUNCATED')
    expect(error.at).toMatchObject({ file: 'f.tdb', offset: 1019, field: 'words.1.word' })
    expect(error.message).toBe('expected 9 bytes, found 5')
  })

  test('name the address space that an offset counts in', () => {
    const error = failure(() => decode(new Uint8Array(3), nested, { space: 'tile' }))
    expect(error.at).toMatchObject({ space: 'tile', offset: 0, field: 'head.names' })
  })

  test('of a description itself name the file, too', () => {
    const picky: Describe<{ version: number }> = (io) => {
      const version = io.u32('version', 'a field')
      if (version > 1) throw new InspectError('UNSUPPORTED_VERSION', 'expected 1', { field: 'version' })
      return { version }
    }
    const error = failure(() => decode(u32Bytes(2), picky, { file: 'f.tdb', space: 'tile' }))
    expect(error).toMatchObject({ code: 'UNSUPPORTED_VERSION', at: { file: 'f.tdb', space: 'tile', field: 'version' } })
  })

  test('count bytes behind the end', () => {
    const error = failure(() => decode(bytes(u64Bytes(1), text32('a'), [1, 2]), words))
    expect(error).toMatchObject({
      code: 'TRAILING_BYTES',
      at: { offset: 13 },
      message: 'expected the end, found 2 more bytes',
    })
    expect(decodePrefix(bytes(u64Bytes(1), text32('a'), [1, 2]), words)).toEqual({
      value: { words: [{ word: 'a' }] },
      length: 13,
    })
  })

  test('say how many elements a list may have at most', () => {
    const stored = bytes(u64Bytes(3), text32('a'), text32('b'), text32('c'))
    expect(decode(stored, words, { mostElements: 3 }).words).toHaveLength(3)
    expect(failure(() => decode(stored, words, { mostElements: 2 }))).toMatchObject({
      code: 'TOO_LARGE',
      at: { field: 'words' },
      message: 'expected at most 2 elements in lists for the bytes stored, found more',
      commandLine: 'expected at most 2 elements in lists for the bytes stored (--memory raises this bound), found more',
    })
  })

  test('end a trace with what was read until then', () => {
    const { root, error, value } = trace(bytes(u64Bytes(2), text32('ok'), u32Bytes(9)), words, 'words')
    expect(value).toBeUndefined()
    expect(error).toMatchObject({ code: 'TRUNCATED', at: { field: 'words.1.word' } })
    expect(names(root)).toContain('word_num')
  })

  test('of a description that asks for what is not there are TypeErrors when writing', () => {
    expect(() =>
      encode({ words: [{ word: 'a' }, { word: 'b' }] }, (io: Io<Words>) => ({ words: io.list('words', 1, word) })),
    ).toThrow(TypeError)
    expect(() => encode({ a: 300 }, (io: Io<{ a: number }>) => ({ a: io.u8('a', 'a field') }))).toThrow(TypeError)
    expect(() => encode({ a: -1 }, (io: Io<{ a: number }>) => ({ a: io.u32('a', 'a field') }))).toThrow(TypeError)
    expect(() => encode({ a: 1.5 }, (io: Io<{ a: number }>) => ({ a: io.size('a', 'a field') }))).toThrow(TypeError)
  })
})

function names(span: Span): string[] {
  return [...childrenOf(span)].flatMap((child) => [child.name, ...names(child)])
}

describe('a count of 2^52 and more in 40 bytes', () => {
  const COUNTS = [2n ** 60n, 2n ** 64n - 1n, 2n ** 53n - 1n, 2n ** 32n, 41n]
  const bytesRun: Describe<{ data: Uint8Array }> = (io) => ({
    data: io.bytes(
      'data',
      io.derive('n', 'uint64', (v) => v.data.length, 'a field'),
      'a field',
    ),
  })
  const sizesRun: Describe<{ data: Float64Array }> = (io) => ({
    data: io.sizes(
      'data',
      io.derive('n', 'uint64', (v) => v.data.length, 'a field'),
      'a field',
    ),
  })
  const stringsRun: Describe<{ data: string[] }> = (io) => ({
    data: io.strings(
      'data',
      io.derive('n', 'uint64', (v) => v.data.length, 'a field'),
      'uint32',
      'a field',
    ),
  })
  const fixedRun: Describe<{ data: Uint8Array }> = (io) => ({
    data: io.records(
      'data',
      io.derive('n', 'uint64', (v) => v.data.length / 4, 'a field'),
      4,
      (one: Io<{ x: number }>) => ({ x: one.u32('x', 'a field') }),
      'a field',
    ).bytes,
  })
  const variedRun: Describe<{ data: Uint8Array }> = (io) => ({
    data: io.records(
      'data',
      io.derive('n', 'uint64', () => 1, 'a field'),
      undefined,
      word,
      'a field',
    ).bytes,
  })

  test.each([
    ['bytes', (stored: Uint8Array) => decode(stored, bytesRun)],
    ['sizes', (stored: Uint8Array) => decode(stored, sizesRun)],
    ['strings', (stored: Uint8Array) => decode(stored, stringsRun)],
    ['a list', (stored: Uint8Array) => decode(stored, words)],
    ['records', (stored: Uint8Array) => decode(stored, fixedRun)],
    ['records of different lengths', (stored: Uint8Array) => decode(stored, variedRun)],
  ])('of %s fails at once', (_, read) => {
    const started = performance.now()
    for (const count of COUNTS) {
      const error = failure(() => read(bytes(u64Bytes(count), new Uint8Array(32))))
      expect(['TRUNCATED', 'BAD_VALUE']).toContain(error.code)
      expect(error.at.offset).toBe(count > 2n ** 53n ? 0 : 8)
    }
    expect(performance.now() - started).toBeLessThan(200)
  })
})

describe('coverage', () => {
  const leaf = (name: string, offset: number, length: number): Span => ({ name, type: 'uint8', offset, length })

  test('finds a hole, an overlap and a short end', () => {
    const parent = (children: Span[]): Span => ({ name: 'p', type: 'struct', offset: 10, length: 4, children })
    expect(coverageFault(parent([leaf('a', 10, 2), leaf('b', 12, 2)]))).toBeUndefined()
    expect(coverageFault(parent([leaf('a', 10, 2), leaf('b', 13, 1)]))).toContain('b starts at 13, expected 12')
    expect(coverageFault(parent([leaf('a', 10, 2), leaf('b', 11, 3)]))).toContain('b starts at 11')
    expect(coverageFault(parent([leaf('a', 10, 2)]))).toContain('end at 12, expected 14')
  })

  test('looks into content of another space on its own', () => {
    const inner: Span = {
      name: 'content',
      type: 'struct',
      space: 'x',
      offset: 0,
      length: 9,
      children: [{ ...leaf('a', 0, 8), space: 'x' }],
    }
    const outer: Span = { name: 'p', type: 'struct', offset: 0, length: 1, children: [leaf('stored', 0, 1), inner] }
    expect(coverageFault(outer)).toContain('content: children end at 8')
  })
})
