import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { hex, viewOf } from '../../src/filters/bytes.ts'
import { checksumMd5, checksumSha256 } from '../../src/filters/checksum.ts'
import type { ChecksumVerdict, FilterDefinition } from '../../src/filters/filter.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import { BACKENDS, contextOf, damage, fromHex, noise, PART_LISTS, plainText, refusal, stored } from './libraries.ts'

const KINDS: readonly [ChecksumVerdict['filter'], FilterDefinition, algorithm: string, digestBytes: number][] = [
  ['CHECKSUM_MD5', checksumMd5, 'md5', 16],
  ['CHECKSUM_SHA256', checksumSha256, 'sha256', 32],
]

describe.each(KINDS)('%s', (name, definition, algorithm, digestBytes) => {
  const config: FilterConfig = { name }
  const digestOf = (bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest('hex')

  describe.each(BACKENDS)('%s backend', (_backend, codecs) => {
    test('passes all bytes through and takes its own metadata off again', async () => {
      const filter = await definition.load(codecs)
      for (const parts of PART_LISTS) {
        const bytes = stored(filter.forward(parts, config, contextOf()))
        expect(bytes.data).toEqual(stored(parts).data)
        expect(filter.reverse(bytes, config, contextOf())).toEqual(stored(parts))
      }
    })

    test('writes a count of both kinds of parts, then length and digest of each, metadata parts first', async () => {
      const filter = await definition.load(codecs)
      const parts = { metadata: [noise(9), noise(4)], data: [plainText(100)] }
      const { metadata } = stored(filter.forward(parts, config, contextOf()))
      const view = viewOf(metadata)
      expect([view.getUint32(0, true), view.getUint32(4, true)]).toEqual([2, 1])
      ;[...parts.metadata, ...parts.data].forEach((part, i) => {
        const at = 8 + i * (8 + digestBytes)
        expect(view.getBigUint64(at, true)).toBe(BigInt(part.length))
        expect(hex(metadata.subarray(at + 8, at + 8 + digestBytes))).toBe(digestOf(part))
      })
      expect(metadata).toHaveLength(8 + 3 * (8 + digestBytes) + 13)
    })

    test('a chunk of nothing has one digest, that of nothing', async () => {
      const filter = await definition.load(codecs)
      const { metadata } = stored(filter.forward({ metadata: [], data: [new Uint8Array(0)] }, config, contextOf()))
      expect(hex(metadata)).toBe(`0000000001000000${'00'.repeat(8)}${digestOf(new Uint8Array(0))}`)
    })

    test('refuses damaged chunks with an InspectError and nothing else', async () => {
      const filter = await definition.load(codecs)
      expect(damage(filter, config, contextOf(), { metadata: [noise(20)], data: [noise(90)] }, 200)).toBeGreaterThan(
        900,
      )
    })
  })

  test('a changed byte raises CHECKSUM with both digests', async () => {
    const filter = await definition.load(portableCodecs)
    const part = noise(50)
    const { metadata, data } = stored(filter.forward({ metadata: [], data: [part] }, config, contextOf()))
    const changed = data.slice()
    changed[17] ^= 4
    const error = refusal(() => filter.reverse({ metadata, data: changed }, config, contextOf()))
    expect(error).toMatchObject({ code: 'CHECKSUM', at: { field: 'data_checksums.0.digest' } })
    expect(error.message).toContain(digestOf(part))
    expect(error.message).toContain(digestOf(changed))
  })

  test('a changed byte of earlier metadata is found too', async () => {
    const filter = await definition.load(portableCodecs)
    const { metadata, data } = stored(filter.forward({ metadata: [noise(10)], data: [noise(5)] }, config, contextOf()))
    metadata[metadata.length - 1] ^= 1
    const error = refusal(() => filter.reverse({ metadata, data }, config, contextOf()))
    expect(error).toMatchObject({ code: 'CHECKSUM', at: { field: 'metadata_checksums.0.digest' } })
  })

  test('a listener gets every verdict, and reading goes on', async () => {
    const filter = await definition.load(portableCodecs)
    const parts = { metadata: [noise(10)], data: [noise(5), noise(6)] }
    const { metadata, data } = stored(filter.forward(parts, config, contextOf()))
    const changed = data.slice()
    changed[7] ^= 1
    const verdicts: ChecksumVerdict[] = []
    const out = filter.reverse({ metadata, data: changed }, config, contextOf({ onVerdict: (v) => verdicts.push(v) }))
    expect(out.data).toEqual(changed)
    expect(out.metadata).toEqual(noise(10))
    expect(verdicts.map((v) => v.ok)).toEqual([true, true, false])
    expect(verdicts[2]).toEqual({
      filter: name,
      ok: false,
      expected: digestOf(noise(6)),
      actual: digestOf(changed.subarray(5)),
    })
  })

  test('lengths that do not add up to the bytes are damage, even with a listener', async () => {
    const filter = await definition.load(portableCodecs)
    const { metadata, data } = stored(filter.forward({ metadata: [], data: [noise(50)] }, config, contextOf()))
    const cx = contextOf({ onVerdict: () => undefined })
    const longer = new Uint8Array([...data, 0])
    expect(refusal(() => filter.reverse({ metadata, data: longer }, config, cx)).code).toBe('BAD_FILTERED_DATA')
    const shorter = data.subarray(0, 49)
    const error = refusal(() => filter.reverse({ metadata, data: shorter }, config, cx))
    expect(error).toMatchObject({ code: 'BAD_FILTERED_DATA', at: { field: 'data_checksums.0.length' } })
  })

  test('a count of 2^32 - 1 parts is refused at once', async () => {
    const filter = await definition.load(portableCodecs)
    const metadata = fromHex('ffffffffffffffff0000000000000000')
    expect(refusal(() => filter.reverse({ metadata, data: noise(5) }, config, contextOf())).code).toBe('TRUNCATED')
  })
})

test('reads a chunk of [MD5, SHA-256] that TileDB 2.30 wrote: SHA-256 covers the metadata of MD5', async () => {
  const metadata = fromHex(
    '01000000010000002000000000000000898686735301fe525dab5b5df04640589de5d17487b5cad50705575569ec22fb6000000000000000' +
      '5992941c1cf8fcb9bcc6eeeee82ece60497ffa54027c787efc8e3595b51687130000000001000000600000000000000036' +
      '32046c0d73117072388c81b34bcdce',
  )
  const data = fromHex(
    '0000000000000080b4f341b3bb9872c00100000000000000208eae0d40977f400e9ed204af24f6bfdc7be1bfc85368c158ec2972e8347d40' +
      'acf88803656fa441dc9bf1ddcce530429a91855559a684400000000000000000e4370c6edac28440',
  )
  const verdicts: ChecksumVerdict[] = []
  const cx = contextOf({ onVerdict: (v) => verdicts.push(v) })
  const sha256 = await checksumSha256.load(portableCodecs)
  const md5 = await checksumMd5.load(portableCodecs)
  const between = sha256.reverse({ metadata, data }, { name: 'CHECKSUM_SHA256' }, cx)
  expect(between.metadata).toHaveLength(32)
  const out = md5.reverse(between, { name: 'CHECKSUM_MD5' }, cx)
  expect(out.metadata).toHaveLength(0)
  expect(verdicts.map((v) => `${v.filter} ${v.ok}`)).toEqual([
    'CHECKSUM_SHA256 true',
    'CHECKSUM_SHA256 true',
    'CHECKSUM_MD5 true',
  ])
  expect(viewOf(out.data).getFloat64(8, true)).toBe(-297.54582525026785)
})
