import { describe, expect, test } from '@jest/globals'
import { viewOf } from '../../src/filters/bytes.ts'
import type { FilterDefinition } from '../../src/filters/filter.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { BACKENDS, contextOf, damage, fromHex, PART_LISTS, plainText, refusal, stored } from './libraries.ts'

/** A chunk that a real release wrote. */
export interface RealChunk {
  metadata: string
  data: string
  original: Int32Array
}

/** Tests for the four compression filters that use a general-purpose codec. */
export function compressionTests(name: FilterConfig['name'], definition: FilterDefinition, real: RealChunk): void {
  const config: FilterConfig = { name, level: -1 }

  describe.each(BACKENDS)(`${name}, %s backend`, (_backend, codecs) => {
    test('gives back all parts, those of earlier metadata apart from the data', async () => {
      const filter = await definition.load(codecs)
      for (const parts of PART_LISTS) {
        const bytes = stored(filter.forward(parts, config, contextOf()))
        expect(filter.reverse(bytes, config, contextOf())).toEqual(stored(parts))
      }
    })

    test('counts each part in its metadata and leaves no other metadata outside', async () => {
      const filter = await definition.load(codecs)
      const parts = { metadata: [plainText(9), plainText(11)], data: [plainText(100)] }
      const { metadata, data } = stored(filter.forward(parts, config, contextOf()))
      const view = viewOf(metadata)
      const lengths = [0, 1, 2].map((i) => view.getUint32(8 + i * 8, true))
      const compressed = [0, 1, 2].map((i) => view.getUint32(12 + i * 8, true))
      expect([view.getUint32(0, true), view.getUint32(4, true), ...lengths]).toEqual([2, 1, 9, 11, 100])
      expect(metadata).toHaveLength(8 + 3 * 8)
      expect(compressed[0] + compressed[1] + compressed[2]).toBe(data.length)
    })

    test('reads a chunk that TileDB 2.30 wrote', async () => {
      const filter = await definition.load(codecs)
      const bytes = { metadata: fromHex(real.metadata), data: fromHex(real.data) }
      const out = filter.reverse(bytes, config, contextOf())
      expect(new Int32Array(out.data.slice().buffer)).toEqual(real.original)
      expect(out.metadata).toHaveLength(0)
    })

    test('refuses damaged chunks with an InspectError and nothing else', async () => {
      const filter = await definition.load(codecs)
      const parts = { metadata: [plainText(20)], data: [plainText(200)] }
      expect(damage(filter, config, contextOf({ limit: 1 << 16 }), parts, 150)).toBeGreaterThan(500)
    })

    test('refuses declared sizes above the limit before it allocates', async () => {
      const filter = await definition.load(codecs)
      const metadata = fromHex('0000000001000000ffffffff01000000')
      const error = refusal(() =>
        filter.reverse({ metadata, data: new Uint8Array(1) }, config, contextOf({ limit: 1000 })),
      )
      expect(error).toMatchObject({ code: 'BAD_FILTERED_DATA', at: { field: 'original_length' } })
    })
  })
}
