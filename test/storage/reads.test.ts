import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type CommandContext, type CommandModule, NO_PROGRESS } from '../../src/calls/command.ts'
import { command } from '../../src/commands/footer.ts'
import type { FooterDocument } from '../../src/documents/footer.ts'
import { type ArraySchema, arraySchema } from '../../src/format/array-schema.ts'
import { fragmentFooter } from '../../src/format/fragment-footer.ts'
import { encode } from '../../src/format/io.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openTarget } from '../../src/objects/target.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { Folder, type Storage } from '../../src/storage/source.ts'
import { bytes, u64Bytes } from '../helpers/build-bytes.ts'
import { CountedStorage, hugeSource } from '../helpers/counted-storage.ts'
import { contextFor, type FixtureFolder, fixtureFolders } from '../helpers/fixtures.ts'
import { anyFooter, anySchema } from '../helpers/generate.ts'
import { genericTileBytes } from '../helpers/generic-tile-bytes.ts'
import { Random } from '../helpers/random.ts'

const METADATA = '__fragment_metadata.tdb'
const MAX_READS = 3
const FREE_BYTES = 64 * 1024

/** A line for each fragment of an array whose `footer` took too many reads or bytes. */
async function tooMuch(storage: (path: string) => CountedStorage, fixture: FixtureFolder): Promise<string[]> {
  const lines: string[] = []
  const listing = new InspectArray(new Folder(localFiles, fixture.path), contextFor(fixture))
  for (const { path, name } of await listing.fragments()) {
    const counted = storage(`${fixture.path}/${path}`)
    const [document] = await documents(command, counted, fixture, `${fixture.path}/${path}`)
    const { read_num, bytes: read } = counted.of(METADATA)
    const size = 'footer_size' in document ? document.footer_size : 0
    if (size > 0 && read > Math.max(FREE_BYTES, 2 * size)) lines.push(`${name}: ${read} bytes for a footer of ${size}`)
    if (read_num > MAX_READS) lines.push(`${name}: ${read_num} reads`)
  }
  return lines
}

/** The footers of a target in any storage. */
async function documents(
  module: CommandModule<object>,
  storage: Storage,
  fixture: FixtureFolder,
  target: string,
): Promise<FooterDocument[]> {
  const reading = contextFor(fixture)
  const cx: CommandContext = {
    storage,
    reading,
    style: { raw: false },
    full: false,
    shownPath: (path) => path,
    namesOptions: true,
    internalPath: (path) => path,
    open: (path) => openTarget(storage, path, reading),
    progress: () => NO_PROGRESS,
    fault: (error) => {
      throw error
    },
    foundWrong() {},
    note() {},
    async refuseReadPlace() {},
  }
  const out: FooterDocument[] = []
  for await (const outcome of module.run(cx, [target], {})) {
    if (outcome.kind === 'document') out.push(outcome.document as FooterDocument)
  }
  return out
}

const arrays = fixtureFolders().filter(({ kind }) => kind === 'array')

describe('reading a footer', () => {
  test('takes at most three reads, and 64 KiB or twice the footer, in every fixture', async () => {
    const lines: string[] = []
    for (const fixture of arrays) lines.push(...(await tooMuch(() => new CountedStorage(localFiles), fixture)))
    expect(lines).toEqual([])
  })

  test('takes no more if 100 MB come before it in the metadata file', async () => {
    const lines: string[] = []
    for (const fixture of arrays) {
      if (Number(fixture.name.split('/')[0]) < 3) continue
      const huge = (fragment: string): CountedStorage => {
        const path = `${fragment}/${METADATA}`
        return new CountedStorage(
          localFiles,
          new Map([[path, hugeSource(path, 100e6, new Uint8Array(readFileSync(path)))]]),
        )
      }
      lines.push(...(await tooMuch(huge, fixture)))
    }
    expect(lines).toEqual([])
  })

  test('larger than 64 KiB is read once, wherever it begins', async () => {
    const random = new Random(5)
    const attributes = Array.from({ length: 1200 }, () => anySchema(22, random).attributes)
    const schema: ArraySchema = { ...anySchema(22, random), attributes: attributes.flat().slice(0, 1000) }
    const schemaName = '__1_1_0123456789abcdef0123456789abcdef'
    const name = `${schemaName}_22`
    const footer = {
      ...anyFooter(22, schema, random),
      array_schema_name: schemaName,
      dense: false,
      includes_timestamps: false,
      includes_delete_metadata: false,
    }
    const sized = { ...footer, ...listsFor(schema, footer) }
    const stored = encode(sized, fragmentFooter(schema))
    expect(stored.length).toBeGreaterThan(FREE_BYTES)
    const files: Storage = new MemoryStorage(
      new Map([[`/array/__schema/${schemaName}`, genericTileBytes(schema, arraySchema)]]),
    )
    const path = `/array/__fragments/${name}/${METADATA}`
    for (const before of [0, 100e6]) {
      const end = bytes(stored, u64Bytes(stored.length))
      const counted = new CountedStorage(files, new Map([[path, hugeSource(path, before + end.length, end)]]))
      const array = new InspectArray(new Folder(counted, '/array'), contextFor({ key: undefined }))
      const info = await array.fragment(`__fragments/${name}`).info()
      expect(info.footer?.size).toBe(stored.length)
      expect(info.footer?.file_sizes).toEqual(sized.file_sizes)
      expect(counted.of(METADATA).read_num).toBeLessThanOrEqual(MAX_READS)
      expect(counted.of(METADATA).bytes).toBeLessThanOrEqual(2 * stored.length)
    }
  })
})

/** The lists of a footer without timestamps and deletes. */
function listsFor(schema: ArraySchema, footer: ReturnType<typeof anyFooter>): Partial<ReturnType<typeof anyFooter>> {
  const n = schema.attributes.length + 1 + schema.domain.dimensions.length
  const lists: Partial<Record<string, Float64Array>> = {}
  for (const [key, value] of Object.entries(footer)) if (value instanceof Float64Array) lists[key] = value.slice(0, n)
  return lists
}
