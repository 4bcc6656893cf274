import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { Slab } from '../../src/base/slab.ts'
import type { ArraySchema } from '../../src/format/array-schema.ts'
import { FooterLayout } from '../../src/format/footer-layout.ts'
import { FOOTER_LENGTH_BYTES, FRAGMENT_METADATA_FILE, fragmentFooter } from '../../src/format/fragment-footer.ts'
import { decode } from '../../src/format/io.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { FooterLayouts } from '../../src/objects/laid-out-info.ts'
import { Folder, readAll, withSource } from '../../src/storage/source.ts'
import { contextFor, fixtureFolders } from '../helpers/fixtures.ts'
import { shortTurn } from '../helpers/turn.ts'

interface Footer {
  name: string
  bytes: Uint8Array
  schema: ArraySchema
  info: object
}

/** Returns the footers of all fixtures since version 10. */
async function* footers(): AsyncGenerator<Footer> {
  for (const folder of fixtureFolders()) {
    if (folder.kind !== 'array') continue
    const array = new InspectArray(new Folder(localFiles, folder.path), contextFor(folder))
    for (const { path } of await array.fragments()) {
      const fragment = array.fragment(path)
      const info = await fragment.info().catch(() => undefined)
      await fragment.close()
      if (!info?.footer || info.format_version < 10) continue
      const { footer, schema } = info
      const file = await withSource(localFiles.open(`${folder.path}/${path}/${FRAGMENT_METADATA_FILE}`), readAll)
      expect(file.length).toBe(footer.offset + footer.size + FOOTER_LENGTH_BYTES)
      yield {
        name: `${folder.name}/${path}`,
        bytes: file.subarray(footer.offset, footer.offset + footer.size),
        schema,
        info,
      }
    }
  }
}

const PLACE = { file: 'f', folder: new Folder(localFiles, 'f'), offset: 0 }

/** Reads a footer with its description. Returns undefined if it is damaged. */
function decoded(bytes: Uint8Array, schema: ArraySchema): object | undefined {
  try {
    return decode(bytes, fragmentFooter(schema), PLACE)
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

describe('footers read by the layout of another footer', () => {
  test('give what the description gives, in all fixtures', async () => {
    // They are read when all are packed: a layout keeps the last one unpacked.
    const laidOut: (() => void)[] = []
    const layouts = new Map<ArraySchema, FooterLayouts>()
    for await (const { name, bytes, schema, info } of footers()) {
      const known = layouts.get(schema) ?? new FooterLayouts()
      layouts.set(schema, known)
      const found = known.info(bytes, PLACE)
      if (found) {
        const { footer, footer_span } = info as typeof found
        const moved = { footer: { ...footer, offset: 0 }, footer_span: { ...footer_span, offset: 0 } }
        laidOut.push(() => {
          const keys = Object.keys(info) as (keyof typeof found)[]
          const read = Object.fromEntries(keys.map((key) => [key, found[key]]))
          expect({ name, ...read }).toEqual({ name, ...info, ...moved })
        })
      }
      // The second footer of a schema makes the layout.
      else for (let times = 0; times < 2; times++) known.learn(bytes, schema)
    }
    for (const compare of laidOut) compare()
    expect(laidOut.length).toBeGreaterThan(20)
  })

  test('are packed without loss', async () => {
    for await (const { name, bytes, schema } of footers()) {
      const [layout, slab] = [new FooterLayout(bytes, schema), new Slab()]
      const changed = bytes.map((byte, i) => (i % 5 < 2 ? byte ^ 0xa5 : byte))
      const all = [bytes, changed, bytes.map((byte) => ~byte)]
      const packed = all.map((footer) => layout.packed(footer, slab))
      const unpacked = packed.map((one) => layout.unpacked(one).slice())
      expect([name, unpacked]).toEqual([name, all])
    }
  })

  test('give domains that stay as they are when another footer is unpacked', async () => {
    for await (const { bytes, schema } of footers()) {
      const [layout, slab] = [new FooterLayout(bytes, schema), new Slab()]
      const packed = layout.packed(bytes, slab)
      const other = layout.packed(
        bytes.map((byte) => ~byte),
        slab,
      )
      const domain = layout.domainOf(packed)
      layout.unpacked(other)
      expect(domain).toEqual(layout.domain(bytes))
    }
  })

  test('are refused where the description refuses them, and where they have another layout', async () => {
    const forms = new Map<string, Footer>()
    for await (const footer of footers()) forms.set(`${footer.name.split('/')[0]} ${footer.bytes.length}`, footer)
    expect(forms.size).toBeGreaterThan(20)
    for (const { name, bytes, schema } of shortTurn([...forms.values()], 4)) {
      const layout = new FooterLayout(bytes, schema)
      const same = layout.fits(bytes)
      expect([name, same]).toEqual([name, true])
      const changed = bytes.slice()
      for (let at = 0; at < bytes.length; at++) {
        for (const value of [bytes[at] ^ 1, 0xff]) {
          changed[at] = value
          if (layout.fits(changed)) {
            const by = decoded(changed, schema) as { nonempty_domain?: unknown; file_sizes?: unknown } | undefined
            if (!by) throw new Error(`${name}: byte ${at} as ${value} is damage that the layout does not see`)
            const read = [layout.domain(changed), layout.sizes(changed, 'file_sizes')]
            if (!isDeepStrictEqual(read, [by.nonempty_domain, by.file_sizes]))
              throw new Error(`${name}: with byte ${at} as ${value} the layout reads other values`)
          }
        }
        changed[at] = bytes[at]
      }
    }
  })
})
