import type { Output } from '../../base/result.ts'
import type {
  FooterDocument,
  FooterField,
  FooterFieldOffsets,
  FooterOptionalSection,
  OldFooter,
  WholeFooter,
} from '../../documents/footer.ts'
import { SLOT_SECTIONS } from '../../format/fragment-footer.ts'
import { type Pair, writeHeading, writeKeyValues, writeTable } from '../table.ts'
import { shortValue } from '../units.ts'
import { fits, listOf, type Shows, writeLine, writeSection } from './parts.ts'
import { countText, domainText, sizeText, slotText, versionText } from './wording.ts'

type FileSizes = Pick<FooterField, 'file_size' | 'file_var_size' | 'file_validity_size'>
/** Keys of the numbers of a slot, each with the name of its column. */
type Keys<T> = readonly (readonly [key: keyof T, column: string])[]

const FILE_SIZES: Keys<FileSizes> = [
  ['file_size', 'file'],
  ['file_var_size', 'var file'],
  ['file_validity_size', 'validity file'],
]
/** The sections, by their names without the parts that most names share. */
const SECTIONS: Keys<FooterFieldOffsets> = SLOT_SECTIONS.map(({ name }) => [
  name,
  name
    .replace(/^tile_/, '')
    .replace(/_offsets$/, '')
    .replace(/_counts$/, 's')
    .replaceAll('_', ' '),
])
/** Keys of a document that are not in a footer. */
const HEAD = new Set(['kind', 'path', 'schema_version', 'fields', 'not_examined'])

/** Shows every field of the footer with its name in the format, in stored order. */
export async function footerTable(document: FooterDocument, out: Output): Promise<void> {
  const slots = 'fields' in document ? document.fields : []
  const names = 'fields' in document ? dimensionNames(document) : []
  const texts: { readonly [key: string]: string } = {
    format_version: versionText(document.format_version),
    ...('nonempty_domain' in document && { nonempty_domain: domainText(names, document.nonempty_domain) }),
    ...('footer_size' in document && { footer_size: sizeText(document.footer_size) }),
    ...('slack_size' in document && { slack_size: sizeText(document.slack_size) }),
    ...('optional_sections' in document && { optional_sections: sectionsText(document.optional_sections) }),
  }
  const before: Pair[] = []
  const after: Pair[] = []
  let pairs = before
  for (const [key, value] of Object.entries(document)) {
    if (key === 'fields') pairs = after
    if (HEAD.has(key) || value === undefined) continue
    pairs.push([key, texts[key] ?? valueText(value)])
  }
  await writeHeading(document.path, out)
  await writeKeyValues(before, out)
  if (slots.length > 0) {
    await writeSection('fields, bytes of their files', out)
    await writeSlots(slots, FILE_SIZES, (slot) => slot, out)
  }
  if (slots.some(({ offsets }) => offsets !== undefined)) {
    await writeSection('fields, where the metadata file has their sections', out)
    await writeSlots(slots, SECTIONS, (slot) => slot.offsets ?? {}, out)
  }
  if (after.length > 0) {
    await out.write('\n')
    await writeKeyValues(after, out)
  }
  if ('not_examined' in document)
    for (const { message } of document.not_examined) await writeLine(`not examined: ${message}`, out, 'bad')
}

/** Returns the names of the dimensions. Since format 5, their slots follow the slot of the coordinates. */
function dimensionNames({ nonempty_domain, fields: slots }: WholeFooter | OldFooter): string[] {
  const count = nonempty_domain?.length ?? 0
  const coords = slots.findLastIndex(({ name }) => name === '__coords')
  if (coords < 0 || slots.length < coords + 1 + count) return []
  return slots.slice(coords + 1, coords + 1 + count).map(({ name }) => name)
}

function valueText(value: string | number | bigint | boolean): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' ? countText(value) : String(value)
}

function sectionsText(sections: readonly FooterOptionalSection[] = []): string {
  const texts = sections.map(({ identifier, payload }) => `${shortValue(identifier)}: ${shortValue(payload, 40)}`)
  return texts.length === 0 ? 'none' : texts.join('; ')
}

/** Shows a row for each slot. Columns without any value are left out. On a narrow terminal there are two tables. */
async function writeSlots<K extends string>(
  slots: readonly FooterField[],
  wanted: Keys<{ [key in K]?: unknown }>,
  of: (slot: FooterField) => { readonly [key in K]?: number | undefined },
  out: Output,
): Promise<void> {
  const shown = wanted.filter(([key]) => slots.some((slot) => of(slot)[key] !== undefined))
  if (shown.length === 0) return
  const columns: Shows<FooterField>[] = [
    { name: 'field', role: 'field', cell: slotText },
    ...shown.map(
      ([key, name]): Shows<FooterField> => ({ name, align: 'right', cell: (slot) => countText(of(slot)[key]) }),
    ),
  ]
  const content = listOf(columns, slots)
  if (fits(columns, content.rows, out) || shown.length < 2) {
    await writeTable(content, out)
    return
  }
  const half = Math.ceil(wanted.length / 2)
  await writeSlots(slots, wanted.slice(0, half), of, out)
  await writeSlots(slots, wanted.slice(half), of, out)
}
