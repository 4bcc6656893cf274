import { badValue, InspectError, longer } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead, notExaminedResult } from '../calls/document-parts.ts'
import { addHexOptions, type HexOptions } from '../calls/hex-options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { type Takes, targetsHelp } from '../calls/targets.ts'
import { rangesResult } from '../calls/values.ts'
import { throughFragments } from '../calls/walkers.ts'
import type { FooterDocument, FooterFieldOffsets, FooterPlace, OldFooter, WholeFooter } from '../documents/footer.ts'
import { consolidatedFragmentMetadata } from '../format/consolidated-fragment-metadata.ts'
import {
  type FooterFields,
  FRAGMENT_METADATA_FILE,
  type FragmentFooter,
  footerHead,
  fragmentFooter,
  OLD_SCHEMA_FILE,
  SLOT_SECTIONS,
  type SlotSectionOffsets,
} from '../format/fragment-footer.ts'
import { fragmentSlots, type Slot } from '../format/fragment-slots.ts'
import { decode, decodePrefix } from '../format/io.ts'
import type { RangeType } from '../format/range.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { readTileFile } from '../objects/generic-tile.ts'
import type { FileTarget } from '../objects/target.ts'

const TAKES = {
  'fragment or its file': '',
  array: 'every fragment',
  group: 'of each array',
  'consolidated fragment metadata': '.meta file',
} as const satisfies Takes

export const command: CommandModule<HexOptions> = {
  examples: [
    ['the footer of a fragment, field by field', 'footer places/__1714'],
    ['every byte of it', 'footer --hex places/__1714'],
    ['those of two arrays as JSON, one document a fragment', 'footer --json places weather'],
  ],

  takes: TAKES,

  configure(command) {
    command.argument('<target...>', targetsHelp(TAKES))
    addHexOptions(command)
  },

  async *run(cx, [path], options) {
    const target = path.endsWith('.meta') ? await cx.open(path) : undefined
    if (target?.type !== 'file') {
      yield* throughFragments(cx, path, 'footer', TAKES, async (fragment) =>
        options.hex
          ? (await import('../calls/hex.ts')).fragmentHex(cx, fragment, 'footer', options)
          : fragmentOutcome(cx, fragment),
      )
    } else if (options.hex) yield* (await import('../calls/hex.ts')).fileHex(cx, path, options)
    else yield* consolidatedFooters(cx, target)
  },
}

const WITHOUT_SCHEMA = 'nonempty_domain and all after it: the fragment lies in no array, its schema is missing'

const SHOWN_COPY = '; what is shown is its copy in consolidated fragment metadata'

async function fragmentOutcome(cx: CommandContext, fragment: Fragment): Promise<Outcome> {
  const path = cx.shownPath(fragment.folder.path)
  try {
    const document = footerDocument(cx, path, await fragment.asStored().info())
    const own = fragment.ownFooterFault
    if (own) cx.fault(new InspectError(own.code, longer(own.fault, SHOWN_COPY), own.at, { cause: own }))
    return outcome(document)
  } catch (error) {
    if (!(error instanceof InspectError) || error.code !== 'NO_SCHEMA') throw error
    const head = await fragment.head().catch(() => undefined)
    if (!head) throw error
    cx.fault(error)
    const { version, offset, size, ...rest } = head
    return outcome({
      ...documentHead('footer', path),
      format_version: version,
      ...rest,
      footer_offset: offset,
      footer_size: size,
      not_examined: [{ ...notExaminedResult(cx, error), message: WITHOUT_SCHEMA }],
    })
  }
}

function outcome(document: FooterDocument): Outcome {
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/footer.ts')).footerTable(document, out),
  }
}

/** The footers of a `.meta` file, in its order. */
async function* consolidatedFooters(cx: CommandContext, target: FileTarget): AsyncGenerator<Outcome> {
  const { array, path: file } = target
  const { entries, footers } = await readTileFile(cx.storage.open(file), consolidatedFragmentMetadata, cx.reading)
  if (!array) {
    const message = 'expected the file inside its array, whose schemas tell the fields; found no array around it'
    throw new InspectError('NO_SCHEMA', message, { file })
  }
  const space = 'unfiltered content of the generic tile at 0'
  const base = entries[0]?.offset ?? 0
  for (const [i, { fragment_name, offset }] of entries.entries()) {
    const start = offset - base
    const end = i + 1 < entries.length ? entries[i + 1].offset - base : footers.length
    if (start < 0 || end < start || end > footers.length) {
      const fault = { expected: 'footers one after the other', found: `one at ${offset}` }
      throw badValue(fault, { file, field: `entries.${i}.offset`, space })
    }
    const bytes = footers.subarray(start, end)
    const origin = { file, offset, space }
    const { value: head } = decodePrefix(bytes, footerHead, origin)
    const schema = await array.schema(head.array_schema_name ?? OLD_SCHEMA_FILE)
    const footer = decode(bytes, fragmentFooter(schema, 'rounded'), origin)
    const slots = fragmentSlots(footer.version, schema, footer)
    yield outcome({
      ...documentHead('footer', cx.shownPath(file)),
      fragment_name: lastPathPart(fragment_name),
      ...footerResult(cx, footer, slots, schema.domain.dimensions),
      footer_offset: offset,
      footer_size: bytes.length,
    })
  }
}

function footerDocument(cx: CommandContext, path: string, info: FragmentInfo): WholeFooter | OldFooter {
  const head = documentHead('footer', path)
  if (info.footer) {
    const { offset, size, ...footer } = info.footer
    return {
      ...head,
      ...footerResult(cx, footer, info.slots, info.schema.domain.dimensions),
      footer_offset: offset,
      footer_size: size,
    }
  }
  const { v1 } = info
  return {
    ...head,
    format_version: info.format_version,
    array_schema_name: info.schemaName,
    dense: info.dense,
    null_nonempty_domain: info.nonempty_domain === undefined,
    nonempty_domain: info.nonempty_domain
      ? rangesResult(info.schema.domain.dimensions, info.nonempty_domain, cx.style)
      : null,
    sparse_tile_num: v1?.mbr_num ?? 0,
    last_tile_cell_num: v1?.last_tile_cell_num ?? 0,
    fields: info.slots.map((slot, i) => ({
      name: slot.name,
      file_size: info.file_sizes[i],
      file_var_size: info.file_var_sizes[i],
    })),
    metadata_file: FRAGMENT_METADATA_FILE,
  }
}

type FooterResult = Omit<WholeFooter, keyof FooterPlace>
/** Fields of the footer that the document shows in another form than as one value of the same name. */
type NotOneValue = Exclude<
  keyof FragmentFooter,
  keyof FooterFields | keyof SlotSectionOffsets | 'file_var_sizes' | 'file_validity_sizes'
>

/** A footer as part of its document: the fields in the order in which they are stored. */
function footerResult(
  cx: CommandContext,
  footer: FragmentFooter,
  slots: readonly Slot[],
  dimensions: readonly RangeType[],
): FooterResult {
  const offsetsOf = (i: number): FooterFieldOffsets =>
    Object.fromEntries(SLOT_SECTIONS.map(({ name, key }) => [name, footer[key]?.[i]]))
  const shown: Record<NotOneValue | 'array_schema_name', Partial<FooterResult>> = {
    version: { format_version: footer.version },
    array_schema_name: { array_schema_name: footer.array_schema_name ?? OLD_SCHEMA_FILE },
    nonempty_domain: { nonempty_domain: rangesResult(dimensions, footer.nonempty_domain, cx.style) },
    file_sizes: {
      fields: slots.map((slot, i) => ({
        name: slot.name,
        phantom: slot.phantom || undefined,
        file_size: footer.file_sizes[i],
        file_var_size: footer.file_var_sizes[i],
        file_validity_size: footer.file_validity_sizes?.[i],
        offsets: offsetsOf(i),
      })),
    },
    optional_sections: {
      optional_sections: footer.optional_sections?.map(({ identifier, payload }) => ({
        identifier,
        size: payload.length,
        payload,
      })),
    },
    slack: { slack_size: footer.slack.length || undefined },
  }
  const parts = Object.entries({ ...footer, ...shown }).map(([key, value]) =>
    typeof value === 'object' ? key in shown && value : { [key]: value },
  )
  return Object.assign({}, ...parts)
}
