import { describe, expect, test } from '@jest/globals'
import { aes256Gcm } from '../../src/filters/aes-256-gcm.ts'
import { hex, viewOf } from '../../src/filters/bytes.ts'
import type { ChecksumVerdict } from '../../src/filters/filter.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { BACKENDS, contextOf, damage, fromHex, noise, PART_LISTS, plainText, refusal, stored } from './libraries.ts'

const config: FilterConfig = { name: 'AES_256_GCM' }
const key = noise(32, 77)

/** Initialisation vectors 1, 2, 3, … */
function counting(): (length: number) => Uint8Array {
  let count = 0
  return (length) => new Uint8Array(length).fill(++count)
}

describe.each(BACKENDS)('%s backend', (_backend, codecs) => {
  test('gives back all parts, those of earlier metadata apart from the data', async () => {
    const filter = await aes256Gcm.load(codecs)
    for (const parts of PART_LISTS) {
      const bytes = stored(filter.forward(parts, config, contextOf({ key, randomBytes: counting() })))
      expect(filter.reverse(bytes, config, contextOf({ key }))).toEqual(stored(parts))
    }
  })

  test('encrypts each part alone, with a vector of its own, and keeps its length', async () => {
    const filter = await aes256Gcm.load(codecs)
    const parts = { metadata: [plainText(9)], data: [plainText(100), plainText(100)] }
    const { metadata, data } = stored(filter.forward(parts, config, contextOf({ key, randomBytes: counting() })))
    const view = viewOf(metadata)
    expect([view.getUint32(0, true), view.getUint32(4, true)]).toEqual([1, 2])
    const described = [0, 1, 2].map((i) => {
      const at = 8 + i * 36
      return [view.getUint32(at, true), view.getUint32(at + 4, true), hex(metadata.subarray(at + 8, at + 20))]
    })
    expect(described).toEqual([
      [9, 9, '01'.repeat(12)],
      [100, 100, '02'.repeat(12)],
      [100, 100, '03'.repeat(12)],
    ])
    expect(metadata).toHaveLength(8 + 3 * 36)
    expect(data).toHaveLength(209)
    expect(hex(data.subarray(9, 109))).not.toBe(hex(data.subarray(109)))
  })

  test('reads a chunk that TileDB 2.30 wrote', async () => {
    const filter = await aes256Gcm.load(codecs)
    const metadata = fromHex('00000000010000006000000060000000ac222c153bedb83892def7a4eda678e86e8678676052f10c3335fa97')
    const data = fromHex(
      'ce1d3979440dfbd0165d9d079fb53078946e4e3017596aecb69a36bfbf6d87c37cee9b222214fe09b5b8062f9ab1c4853db008cceef7752f' +
        'ef8a38ad34cdcdd850b2c9288e15e92a174fb6a17af503c1bfe7a39c8e61b1e33e5ca582f0de1089',
    )
    const cx = contextOf({ key: new TextEncoder().encode('0123456789abcdeF0123456789abcdeF') })
    const out = filter.reverse({ metadata, data }, config, cx)
    const view = viewOf(out.data)
    const first = [0, 1, 2, 3].map((i) => view.getBigInt64(i * 8, true))
    expect(first).toEqual([838378699860133236n, -67n, -45n, -1871784539266508756n])
  })

  test('refuses damaged chunks with an InspectError and nothing else', async () => {
    const filter = await aes256Gcm.load(codecs)
    const cx = contextOf({ key, randomBytes: counting() })
    expect(damage(filter, config, cx, { metadata: [noise(20)], data: [noise(90)] }, 200)).toBeGreaterThan(900)
  })

  test('a wrong key and a changed byte are the same to the cipher: WRONG_KEY, saying both', async () => {
    const filter = await aes256Gcm.load(codecs)
    const { metadata, data } = stored(
      filter.forward({ metadata: [], data: [noise(50)] }, config, contextOf({ key, randomBytes: counting() })),
    )
    const changed = data.slice()
    changed[3] ^= 1
    const wrongKey = refusal(() => filter.reverse({ metadata, data }, config, contextOf({ key: noise(32, 78) })))
    const damaged = refusal(() => filter.reverse({ metadata, data: changed }, config, contextOf({ key })))
    for (const error of [wrongKey, damaged]) {
      expect(error).toMatchObject({ code: 'WRONG_KEY', at: { field: 'data_parts.0.tag' } })
      expect(error.message).toMatch(/key is wrong.*damaged/)
    }
  })
})

test('a listener hears of each tag, and of the one that does not fit before reading stops', async () => {
  const filter = await aes256Gcm.load(portableCodecs)
  const parts = { metadata: [noise(4)], data: [noise(50), noise(51)] }
  const { metadata, data } = stored(filter.forward(parts, config, contextOf({ key, randomBytes: counting() })))
  data[10] ^= 1
  const verdicts: ChecksumVerdict[] = []
  const cx = contextOf({ key, onVerdict: (v) => verdicts.push(v) })
  expect(refusal(() => filter.reverse({ metadata, data }, config, cx)).code).toBe('WRONG_KEY')
  expect(verdicts.map((v) => v.ok)).toEqual([true, false])
  const tag = hex(metadata.subarray(8 + 36 + 20, 8 + 36 + 36))
  expect(verdicts[1]).toEqual({ filter: 'AES_256_GCM', ok: false, expected: tag, actual: undefined })
})

test('without a key the array cannot be read or written: KEY_NEEDED', async () => {
  const filter = await aes256Gcm.load(portableCodecs)
  const parts = { metadata: [], data: [noise(5)] }
  const bytes = stored(filter.forward(parts, config, contextOf({ key, randomBytes: counting() })))
  expect(refusal(() => filter.reverse(bytes, config, contextOf())).code).toBe('KEY_NEEDED')
  expect(refusal(() => filter.forward(parts, config, contextOf({ randomBytes: counting() }))).code).toBe('KEY_NEEDED')
})

test('a key of another length than 32 bytes is the wrong key', async () => {
  const filter = await aes256Gcm.load(portableCodecs)
  const bytes = stored(
    filter.forward({ metadata: [], data: [noise(5)] }, config, contextOf({ key, randomBytes: counting() })),
  )
  for (const length of [0, 16, 31, 33]) {
    const error = refusal(() => filter.reverse(bytes, config, contextOf({ key: noise(length) })))
    expect(error).toMatchObject({ code: 'WRONG_KEY', message: `expected a key of 32 bytes, found ${length}` })
  }
})

test('a part whose two lengths differ is damage', async () => {
  const filter = await aes256Gcm.load(portableCodecs)
  const { metadata, data } = stored(
    filter.forward({ metadata: [], data: [noise(50)] }, config, contextOf({ key, randomBytes: counting() })),
  )
  viewOf(metadata).setUint32(8, 49, true)
  const error = refusal(() => filter.reverse({ metadata, data }, config, contextOf({ key })))
  expect(error).toMatchObject({ code: 'BAD_FILTERED_DATA', at: { field: 'data_parts.0.encrypted_length' } })
})

test('what follows AES sees bytes without a type', () => {
  expect(aes256Gcm.outputType?.('INT32', config)).toBe('BLOB')
})
