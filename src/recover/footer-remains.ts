import { unlessDamaged } from '../base/errors.ts'
import { inflatePrefix } from '../filters/codecs/short-inflate.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import {
  FRAGMENT_METADATA_FILE,
  type FragmentFooter,
  footerHead,
  fragmentFooter,
  OLD_SCHEMA_FILE,
} from '../format/fragment-footer.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { decodePrefix } from '../format/io.ts'
import { type NDRange, ndRange, ndRangeSize } from '../format/range.ts'
import { CHUNK_COUNT_BYTES, CHUNK_HEAD_BYTES } from '../format/tile-chunks.ts'
import { u32, u64 } from '../format/u32.ts'
import type { InspectArray } from '../objects/array.ts'
import { walkSections } from '../objects/footer-fault.ts'
import type { Fragment } from '../objects/fragment.ts'
import { readStored } from '../objects/generic-tile.ts'
import { withSource } from '../storage/source.ts'
import { emptySlot, type FragmentMetadataToWrite, writeFragmentMetadata } from '../write/fragment-metadata-writer.ts'
import { wholeDomain } from './dense-domain.ts'
import type { MetadataFacts } from './facts.ts'

/** The readable part of a damaged footer. */
export interface FooterRemains {
  schemaName: string
  schema: ArraySchema
  dense: boolean
  domain: NDRange
  /** The whole footer, if none of it is cut off. Its values may still be wrong. */
  footer: FragmentFooter | undefined
  /** Whether this is the copy in a consolidated fragment metadata file. */
  copied: boolean
}

/** The remains of a fragment's footer: the copy in a `.meta` file, or what is left in the metadata file. */
export async function footerRemains(array: InspectArray, fragment: Fragment): Promise<FooterRemains | undefined> {
  const copy = (await array.consolidatedFooters().catch(unlessDamaged))?.get(fragment.name)
  const ofCopy = copy && (await remainsIn(array, copy.bytes, true))
  if (ofCopy) return ofCopy
  if ((await fragment.folder.kind(FRAGMENT_METADATA_FILE)) !== 'file') return undefined
  return withSource(fragment.metadataSource(), async (source) => {
    const bytes = await readStored(source, fragment.cx)
    const { end } = await walkSections(source, bytes.length)
    return end === 0 ? undefined : remainsIn(array, bytes.subarray(end), false)
  }).catch(unlessDamaged)
}

/**
 * Reads the box from a footer whose other bytes are damaged. If the file has its full length, the place of the box follows from the
 * shape of the footer.
 * @returns undefined if the bytes there do not look like the head of such a footer
 */
export async function domainInPlace(
  fragment: Fragment,
  {
    version,
    schema,
    schemaName,
    slots,
    dense,
  }: Pick<MetadataFacts, 'version' | 'schema' | 'schemaName' | 'slots' | 'dense'>,
): Promise<NDRange | undefined> {
  if ((await fragment.folder.kind(FRAGMENT_METADATA_FILE)) !== 'file') return undefined
  const bytes = await withSource(fragment.metadataSource(), (source) => readStored(source, fragment.cx)).catch(
    unlessDamaged,
  )
  if (version < 3) return bytes && domainInTile(bytes, schema)
  const metadata: FragmentMetadataToWrite = {
    fragment: { schema, schemaName, formatVersion: version },
    dense,
    slots,
    slotMetadata: slots.map(() => emptySlot(0)),
    nonemptyDomain: wholeDomain(schema),
    tiles: [],
    lastTileCellNum: 0,
  }
  const cx = { codecs: fragment.cx.codecs, key: undefined, randomBytes: (length: number) => new Uint8Array(length) }
  const { file, footerAt } = await writeFragmentMetadata(metadata, cx)
  const expected = file.subarray(footerAt)
  const head = decodePrefix(expected, footerHead).length
  for (const slack of version === 11 ? [0, SLACK] : [0]) {
    const found = bytes?.subarray(Math.max(0, bytes.length - expected.length - slack))
    if (!found || found.length < expected.length) return undefined
    let other = 0
    for (let i = 0; i < head; i++) if (found[i] !== expected[i]) other++
    if (other > head / BYTES_PER_OTHER) continue
    return decodePrefix(found.subarray(head), ndRange(schema.domain.dimensions)).value
  }
  return undefined
}

/** The box in metadata of versions 1 and 2. It is at the start of the tile, so damage further on does not matter. */
function domainInTile(bytes: Uint8Array, { domain: { dimensions } }: ArraySchema): NDRange | undefined {
  try {
    const header = decodePrefix(bytes, genericTileHeader)
    const [filter, ...more] = header.value.filters.filters
    if (filter?.name !== 'GZIP' || more.length > 0) return undefined
    const chunk = bytes.subarray(header.length + CHUNK_COUNT_BYTES)
    const size = ndRangeSize(dimensions) ?? 0
    const content = inflatePrefix(chunk.subarray(CHUNK_HEAD_BYTES + u32(chunk, OF_METADATA_LENGTH)), BEFORE_BOX + size)
    if (content.length < BEFORE_BOX + size || u64(content, 4) !== size) return undefined
    return decodePrefix(content.subarray(BEFORE_BOX), ndRange(dimensions)).value
  } catch (error) {
    return unlessDamaged(error)
  }
}

/** Offset in the head of a chunk of the length of its filters' metadata. */
const OF_METADATA_LENGTH = 8
/** Bytes before the box: format version, and the length of the box. */
const BEFORE_BOX = 12

/** Bytes that some releases leave after the footer of version 11. */
const SLACK = 8
/** One in this many bytes of a footer's head may differ from the expected ones. */
const BYTES_PER_OTHER = 4

/** Decodes as much of a footer as there is. Its first fields do not depend on later ones, so a cut footer still has them. */
async function remainsIn(array: InspectArray, bytes: Uint8Array, copied: boolean): Promise<FooterRemains | undefined> {
  try {
    const head = decodePrefix(bytes, footerHead)
    const schemaName = head.value.array_schema_name ?? OLD_SCHEMA_FILE
    const schema = await array.schema(schemaName)
    const domain = decodePrefix(bytes.subarray(head.length), ndRange(schema.domain.dimensions)).value
    let footer: FragmentFooter | undefined
    try {
      footer = decodePrefix(bytes, fragmentFooter(schema)).value
    } catch (error) {
      unlessDamaged(error)
    }
    return { schemaName, schema, dense: head.value.dense, domain, footer, copied }
  } catch (error) {
    return unlessDamaged(error)
  }
}
