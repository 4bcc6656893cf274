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
import { fits, type Shows, shownList, writeLine, writeSection } from './parts.ts'
import { countText, domainText, fullSizeText, slotText, versionText } from './wording.ts'

type FileSizes = Pick<FooterField, 'file_size' | 'file_var_size' | 'file_validity_size'>
/** Keys of the numbers of a field, each with the name of its column. */
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
  const fields = 'fields' in document ? document.fields : []
  const names = 'fields' in document ? dimensionNames(document) : []
  const texts: { readonly [key: string]: string } = {
    format_version: versionText(document.format_version),
    ...('nonempty_domain' in document && { nonempty_domain: domainText(names, document.nonempty_domain) }),
    ...('footer_size' in document && { footer_size: fullSizeText(document.footer_size) }),
    ...('slack_size' in document && { slack_size: fullSizeText(document.slack_size) }),
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
  if (fields.length > 0) {
    await writeSection('fields, bytes of their files', out)
    await writeFields(fields, FILE_SIZES, (field) => field, out)
  }
  if (fields.some(({ offsets }) => offsets !== undefined)) {
    await writeSection('fields, where the metadata file has their sections', out)
    await writeFields(fields, SECTIONS, (field) => field.offsets ?? {}, out)
  }
  if (after.length > 0) {
    await out.write('\n')
    await writeKeyValues(after, out)
  }
  if ('not_examined' in document)
    for (const { message } of document.not_examined) await writeLine(`not examined: ${message}`, out, 'bad')
}

/** Returns the names of the dimensions. Since format 5, they follow the coordinates. */
function dimensionNames({ nonempty_domain, fields }: WholeFooter | OldFooter): string[] {
  const count = nonempty_domain?.length ?? 0
  const coords = fields.findLastIndex(({ name }) => name === '__coords')
  if (coords < 0 || fields.length < coords + 1 + count) return []
  return fields.slice(coords + 1, coords + 1 + count).map(({ name }) => name)
}

function valueText(value: string | number | bigint | boolean): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' ? countText(value) : String(value)
}

function sectionsText(sections: readonly FooterOptionalSection[] = []): string {
  const texts = sections.map(({ identifier, payload }) => `${shortValue(identifier)}: ${shortValue(payload, 40)}`)
  return texts.length === 0 ? 'none' : texts.join('; ')
}

/** Shows a row for each field. Columns without any value are left out. On a narrow terminal there are two tables. */
async function writeFields<K extends string>(
  fields: readonly FooterField[],
  wanted: Keys<{ [key in K]?: unknown }>,
  of: (field: FooterField) => { readonly [key in K]?: number | undefined },
  out: Output,
): Promise<void> {
  const shown = wanted.filter(([key]) => fields.some((field) => of(field)[key] !== undefined))
  if (shown.length === 0) return
  const columns: Shows<FooterField>[] = [
    { name: 'field', role: 'field', cell: slotText },
    ...shown.map(
      ([key, name]): Shows<FooterField> => ({ name, align: 'right', cell: (field) => countText(of(field)[key]) }),
    ),
  ]
  const content = shownList(columns, fields)
  if (fits(columns, content.rows, out) || shown.length < 2) {
    await writeTable(content, out)
    return
  }
  const half = Math.ceil(wanted.length / 2)
  await writeFields(fields, wanted.slice(0, half), of, out)
  await writeFields(fields, wanted.slice(half), of, out)
}
