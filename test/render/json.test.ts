import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import type { Result } from '../../src/base/result.ts'
import { type JsonStyle, toJson, writeJson } from '../../src/rows/json.ts'
import { writeNdjson } from '../../src/rows/ndjson.ts'
import { later, sink } from './sink.ts'

const COMPACT: JsonStyle = { int64: 'number', indent: false }
const INDENTED: JsonStyle = { int64: 'number', indent: true }

async function written(value: Result, style: JsonStyle): Promise<string> {
  const out = sink()
  await writeJson(value, out, style)
  return out.text()
}

describe('values in JSON', () => {
  test.each([
    [null, 'null'],
    [true, 'true'],
    [0.1, '0.1'],
    [-0, '-0.0'],
    [1e21, '1e+21'],
    [Number.NaN, '"NaN"'],
    [Number.POSITIVE_INFINITY, '"Infinity"'],
    [Number.NEGATIVE_INFINITY, '"-Infinity"'],
    [18_446_744_073_709_551_615n, '18446744073709551615'],
    ['a"\\\n\u0007é👍', '"a\\"\\\\\\n\\u0007é👍"'],
    ['\x7f\x9b\u2028\u202e\u200b\ufeff', '"\\u007f\\u009b\\u2028\\u202e\\u200b\\ufeff"'],
    ['\u{e0041}\u200d', '"\\udb40\\udc41\u200d"'],
    // a name that is not UTF-8
    ['a\udcff', '{"base64":"Yf8="}'],
    [{ 'a\udcff': 1, 'base64:': 2, '\x9b': 3 }, '{"base64:Yf8=":1,"base64:YmFzZTY0Og==":2,"\\u009b":3}'],
    [Uint8Array.of(1, 2, 3), '{"base64":"AQID"}'],
    [new Uint8Array(), '{"base64":""}'],
    [Float64Array.of(1, 2.5), '[1,2.5]'],
    [[], '[]'],
    [{}, '{}'],
    [{ a: undefined }, '{}'],
    [{ b: 1, a: undefined, '': null, '1': 2 }, '{"1":2,"b":1,"":null}'],
    [new Set([1, 2]), '[1,2]'],
  ] as const)('%p is written as %s', (value, text) => {
    expect(toJson(value, COMPACT)).toBe(text)
  })

  test('a view of bytes is written without its surroundings', () => {
    expect(toJson(Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4), COMPACT)).toBe('{"base64":"AQID"}')
  })

  test('a number has the digits of String, whatever its size and its decimal places', () => {
    const wrong: number[] = []
    for (let exponent = -9; exponent <= 18; exponent++) {
      for (const digits of [
        1,
        5,
        7,
        12,
        999,
        1000.5,
        1001,
        12_345,
        99_999.5,
        1_234_567,
        0.1 + 0.2,
        Math.PI,
        9_007_199_254,
      ]) {
        const size = digits * 10 ** exponent
        for (const value of [size, -size]) if (toJson(value, COMPACT) !== String(value)) wrong.push(value)
      }
    }
    for (let i = -30_000; i < 30_000; i += 7) if (toJson(i / 10_000, COMPACT) !== String(i / 10_000)) wrong.push(i)
    expect(wrong).toEqual([])
  })

  test('objects whose keys differ, or come in another order, keep theirs', () => {
    const rows = [{ a: 1, b: 2 }, { a: 1, c: 3, b: 2 }, { b: 2, a: 1 }, { c: [{}], a: undefined, b: 'é' }, { b: 1 }]
    expect(toJson(rows, COMPACT)).toBe(JSON.stringify(rows))
    expect(`${toJson(rows[1], INDENTED)}`).toBe(JSON.stringify(rows[1], undefined, 2))
  })

  test('a list that fails on its first line leaves nothing of it', async () => {
    const failing = {
      *[Symbol.iterator]() {
        yield 1
        throw new InspectError('BAD_VALUE', 'damaged', {})
      },
    }
    const out = sink()
    await writeJson({ a: failing }, out, COMPACT, { ending: ({ message }) => message })
    expect(JSON.parse(out.text())).toEqual({ a: null, error: 'damaged' })
  })

  test('64-bit integers of any size become strings on request', () => {
    const value = { small: 1n, large: [-(2n ** 63n)], number: 7 }
    expect(toJson(value, { int64: 'string', indent: false })).toBe(
      '{"small":"1","large":["-9223372036854775808"],"number":7}',
    )
  })

  test('an integer beyond 2^53 printed as a number is reported', async () => {
    expect(await writeJson([2n ** 53n - 1n], sink(), COMPACT)).toEqual({ rounded: false })
    expect(await writeJson({ a: [[2n ** 53n]] }, sink(), INDENTED)).toEqual({ rounded: true })
    expect(await writeJson([-(2n ** 60n)], sink(), COMPACT)).toEqual({ rounded: true })
    expect(await writeJson([2n ** 60n], sink(), { int64: 'string', indent: false })).toEqual({ rounded: false })
    expect(await writeNdjson([{ a: 1 }, { a: 2n ** 60n }], sink(), COMPACT)).toEqual({ rounded: true })
  })
})

describe('indented JSON', () => {
  test('has a list that is too wide for its line below its key, and the keys after it as usual', async () => {
    const wide = Array.from({ length: 4 }, (_, i) => `${i}`.repeat(30))
    const lines = wide.map((one) => `    "${one}"`).join(',\n')
    const text = `{\n  "a": [1, [2, 3]],\n  "b": [\n${lines}\n  ],\n  "c": [4],\n  "d": 5\n}\n`
    expect(await written({ a: [1, [2, 3]], b: wide, c: [4], d: 5 }, INDENTED)).toBe(text)
  })

  test('has a key a line, short lists on one line, and a line feed at the end', async () => {
    const value = {
      kind: 'rtree',
      levels: [
        [
          [
            [1, 4],
            [1n, 4n],
          ],
        ],
        [],
      ],
      filters: [{ name: 'ZSTD', level: -1 }],
      bytes: Uint8Array.of(1),
      none: {},
    }
    expect(await written(value, INDENTED)).toBe(`{
  "kind": "rtree",
  "levels": [
    [[[1, 4], [1, 4]]],
    []
  ],
  "filters": [
    {
      "name": "ZSTD",
      "level": -1
    }
  ],
  "bytes": {"base64": "AQ=="},
  "none": {}
}
`)
  })

  test('a list that does not fit into 100 columns has an element a line', async () => {
    const fits = Array.from({ length: 23 }, () => 11)
    expect(await written({ a: fits }, INDENTED)).toBe(`{\n  "a": [${fits.join(', ')}]\n}\n`)
    const long = [...fits, 11]
    expect(await written({ a: long }, INDENTED)).toBe(`{\n  "a": [\n    ${long.join(',\n    ')}\n  ]\n}\n`)
    const lines = (await written({ a: long, b: [['x'.repeat(80), 'y'.repeat(80)]] }, INDENTED)).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  test('iterables look like the arrays that they stand for', async () => {
    const again = { [Symbol.iterator]: () => [1, 2, 3].values() }
    expect(await written({ a: again }, INDENTED)).toBe('{\n  "a": [1, 2, 3]\n}\n')
  })

  test('a generator, which can be walked once, keeps all its elements', async () => {
    const once = (function* () {
      yield* [1, 2]
    })()
    expect(await written([once], INDENTED)).toBe('[\n  [\n    1,\n    2\n  ]\n]\n')
  })
})

describe('streaming', () => {
  test('synchronous and asynchronous iterables are written inside one another', async () => {
    const value = {
      rows: later([{ cells: later([1, 2]) }, { cells: new Set([3]) }]),
      empty: later([]),
      after: [later(['x'])],
    }
    expect(await written(value, COMPACT)).toBe('{"rows":[{"cells":[1,2]},{"cells":[3]}],"empty":[],"after":[["x"]]}\n')
  })

  test('agrees with JSON.parse on generated documents', async () => {
    let seed = 42
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const generated = (depth: number): Result => {
      const kind = random(depth > 4 ? 4 : 6)
      if (kind === 0) return random(1000) / 8
      if (kind === 1) return String.fromCharCode(random(0x300), 0x22, random(0x20))
      if (kind === 2) return random(2) === 0
      if (kind === 3) return null
      const children = Array.from({ length: random(6) }, () => generated(depth + 1))
      return kind === 4 ? children : Object.fromEntries(children.map((child, i) => [`k${i}"`, child]))
    }
    for (let i = 0; i < 300; i++) {
      const value = generated(0)
      const expected: unknown = JSON.parse(JSON.stringify(value))
      expect(JSON.parse(await written(value, COMPACT))).toEqual(expected)
      expect(JSON.parse(await written(value, INDENTED))).toEqual(expected)
      expect(toJson(value, INDENTED)).toBe((await written(value, INDENTED)).trimEnd())
    }
  })

  test('a long document is written in pieces of about 64 KiB, each awaited', async () => {
    const out = sink()
    let busy = false
    const slow = {
      ...out,
      write: async (piece: string | Uint8Array) => {
        expect(busy).toBe(false)
        busy = true
        await new Promise((resolve) => setTimeout(resolve, 1))
        busy = false
        void out.write(piece)
      },
    }
    const mbrs = Array.from({ length: 20_000 }, (_, i) => [
      [i, i + 9],
      [2 * i, 2 * i + 9],
    ])
    await writeJson({ levels: [mbrs] }, slow, COMPACT)
    expect(JSON.parse(out.text())).toEqual({ levels: [mbrs] })
    expect(out.pieces.length).toBeGreaterThan(5)
    expect(Math.max(...out.pieces.map((piece) => piece.length))).toBeLessThan(66_000)
  })

  test('sources are closed when the output fails', async () => {
    let closed = 0
    const endless = async function* (): AsyncGenerator<Result> {
      try {
        for (;;) yield 'x'.repeat(1000)
      } finally {
        closed++
      }
    }
    const broken = { ...sink(), write: () => Promise.reject(new Error('closed pipe')) }
    await expect(writeJson({ cells: endless() }, broken, COMPACT)).rejects.toThrow('closed pipe')
    await expect(writeNdjson(endless(), broken, COMPACT)).rejects.toThrow('closed pipe')
    await expect(writeNdjson([{ cells: endless() }], broken, COMPACT)).rejects.toThrow('closed pipe')
    expect(closed).toBe(3)
  })

  test('the error of a source is passed on', async () => {
    const failing = function* (): Generator<Result> {
      yield 1
      throw new Error('damaged')
    }
    await expect(writeJson({ a: failing() }, sink(), COMPACT)).rejects.toThrow('damaged')
    await expect(writeNdjson([failing()], sink(), COMPACT)).rejects.toThrow('damaged')
  })

  test('what a list returns are the last keys of the document', async () => {
    const counted = async function* (): AsyncGenerator<Result, object> {
      let rows = 0
      for (; rows < 3; rows++) yield rows
      return { rows, none: undefined }
    }
    const out = sink()
    await writeJson({ a: counted(), b: 1 }, out, COMPACT)
    await writeJson({ a: { b: counted() }, c: 1 }, out, COMPACT)
    expect(out.text()).toBe('{"a":[0,1,2],"b":1,"rows":3}\n{"a":{"b":[0,1,2]},"c":1,"rows":3}\n')
  })

  test('the last keys of an object that ends early are left out', async () => {
    const failing = async function* (fails: boolean): AsyncGenerator<Result, object> {
      yield 1
      if (fails) throw new InspectError('BAD_VALUE', 'damaged')
      return { ok: true }
    }
    const out = sink()
    const parts = { ending: ({ code }: InspectError) => code }
    await writeJson({ a: failing(true) }, out, COMPACT, parts)
    await writeJson({ a: failing(false), b: failing(true) }, out, COMPACT, parts)
    expect(out.text()).toBe('{"a":[1],"error":"BAD_VALUE"}\n{"a":[1],"b":[1],"error":"BAD_VALUE"}\n')
  })

  test('nothing asynchronous can be written at once', () => {
    expect(() => toJson([later([1])], COMPACT)).toThrow(TypeError)
  })

  test('deep nesting does not exhaust the stack', async () => {
    let value: Result = 1
    for (let i = 0; i < 20_000; i++) value = { a: value }
    expect((await written(value, COMPACT)).length).toBe(20_000 * 6 + 2)
  })
})

describe('NDJSON', () => {
  test('has one compact document a line', async () => {
    const rows: Result[] = [{ a: 1, b: [1, 2] }, { a: null, b: 'line\nfeed' }, [], 7n]
    for (const source of [rows, later(rows)]) {
      const out = sink()
      await writeNdjson(source, out, { int64: 'string' })
      expect(out.text()).toBe('{"a":1,"b":[1,2]}\n{"a":null,"b":"line\\nfeed"}\n[]\n"7"\n')
    }
  })

  test('rows may hold iterables', async () => {
    const out = sink()
    await writeNdjson([{ a: later([1, 2]) }, { a: new Set([3]) }], out, { int64: 'number' })
    expect(out.text()).toBe('{"a":[1,2]}\n{"a":[3]}\n')
  })

  test('no row, no line', async () => {
    const out = sink()
    await writeNdjson([], out, { int64: 'number' })
    expect(out.pieces).toEqual([])
  })

  test('many rows are written in pieces', async () => {
    const out = sink()
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'cell' }))
    await writeNdjson(rows, out, { int64: 'number' })
    expect(out.pieces.length).toBeGreaterThan(5)
    expect(
      out
        .text()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows)
  })
})
