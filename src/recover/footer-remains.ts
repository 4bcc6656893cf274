import { unlessFault } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type FragmentFooter, footerHead, fragmentFooter, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { decodePrefix } from '../format/io.ts'
import { type NDRange, ndRange } from '../format/range.ts'
import { readAll, withSource } from '../source/source.ts'
import type { InspectArray } from '../store/array.ts'
import { walkSections } from '../store/footer-fault.ts'
import type { Fragment } from '../store/fragment.ts'

/** What is left of a footer. */
export interface FooterRemains {
  schemaName: string
  schema: ArraySchema
  dense: boolean
  domain: NDRange
  /** The whole footer, if all of it is there. It may still be damaged. */
  footer: FragmentFooter | undefined
  /** Whether this is a copy from a consolidated fragment metadata file. */
  copied: boolean
}

/** The remains of a fragment's footer: the copy in a `.meta` file, or what the metadata file still has of it. */
export async function footerRemains(array: InspectArray, fragment: Fragment): Promise<FooterRemains | undefined> {
  const copy = (await array.consolidatedFooters().catch(unlessFault))?.get(fragment.name)
  const ofCopy = copy && (await remainsIn(array, copy, true))
  if (ofCopy) return ofCopy
  if ((await fragment.folder.kind('__fragment_metadata.tdb')) !== 'file') return undefined
  return withSource(fragment.metadataSource(), async (source) => {
    const bytes = await readAll(source)
    const { end } = await walkSections(source, bytes.length)
    return end === 0 ? undefined : remainsIn(array, bytes.subarray(end), false)
  }).catch(unlessFault)
}

/** The fields that lead the footer do not depend on those after them, so a cut footer still has its first ones. */
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
      unlessFault(error)
    }
    return { schemaName, schema, dense: head.value.dense, domain, footer, copied }
  } catch (error) {
    return unlessFault(error)
  }
}
