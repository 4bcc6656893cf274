import type { AttributeDescription, DimensionDescription } from '../../documents/common.ts'
import { shortValue } from '../../render/units.ts'
import { heading } from '../../render/views/headings.ts'
import {
  countText,
  domainText,
  fieldName,
  NOTHING,
  pipelineText,
  rangeText,
  typeText,
  versionText,
} from '../../render/views/wording.ts'
import { type Column, Facts, Table, textFact } from '../table.tsx'
import { Text } from '../text.tsx'
import { timeWords } from '../times.ts'
import type { ViewParts, ViewProps } from '../view.ts'
import { WithSchema } from '../with-schema.tsx'

/** The schema that a reader uses. */
export const schema: ViewParts = {
  call: ({ link }) => ({ words: ['schema', ...timeWords(link)] }),
  Show: Schema,
}

function Schema({ inspected, link }: ViewProps) {
  return (
    <WithSchema
      {...{ inspected, link }}
      show={(found) => (
        <>
          <Facts
            facts={[
              ['Array type', found.array_type],
              ['Format version', versionText(found.format_version)],
              ['Tile order', found.tile_order],
              ['Cell order', found.cell_order],
              ['Capacity', countText(found.capacity)],
              ['Duplicates', found.allows_duplicates ? 'allowed' : 'not allowed'],
              ['Coords filters', pipelineText(found.coords_filters)],
              ['Offsets filters', pipelineText(found.offsets_filters)],
              found.validity_filters && ['Validity filters', pipelineText(found.validity_filters)],
              found.current_domain &&
                textFact(
                  'Current domain',
                  domainText(Object.keys(found.current_domain), Object.values(found.current_domain)),
                ),
              textFact('File', found.name),
            ]}
          />
          <Table caption="Dimensions" columns={DIMENSIONS} rows={found.dimensions} keyOf={({ name }) => name} />
          <Table caption="Attributes" columns={ATTRIBUTES} rows={found.attributes} keyOf={({ name }) => name} />
          {found.enumerations.length > 0 && (
            <Table
              caption="Enumerations"
              columns={[
                { title: 'enumeration', show: ({ name }) => <Text>{name}</Text> },
                { title: 'type', show: (one) => typeText(one) },
                { title: 'values', isNumber: true, show: ({ values }) => countText(values.length) },
                { title: 'first', show: ({ values }) => <Text>{shortValue(values)}</Text> },
              ]}
              rows={found.enumerations}
              keyOf={({ name }) => name}
            />
          )}
          {found.dimension_labels.length > 0 && (
            <Table
              caption="Dimension labels"
              columns={[
                { title: 'label', show: ({ name }) => <Text>{name}</Text> },
                {
                  title: 'dimension',
                  show: ({ dimension_index }) => <Text>{found.dimensions[dimension_index]?.name ?? NOTHING}</Text>,
                },
                { title: 'type', show: (one) => typeText(one) },
                { title: 'order', show: ({ order }) => order },
                { title: 'uri', show: ({ uri }) => <Text>{uri}</Text> },
              ]}
              rows={found.dimension_labels}
              keyOf={({ name }) => name}
            />
          )}
        </>
      )}
    />
  )
}

const DIMENSIONS: readonly Column<DimensionDescription>[] = [
  { title: 'dimension', show: ({ name }) => <Text>{name}</Text> },
  { title: 'type', show: (one) => typeText(one) },
  { title: 'domain', show: ({ domain }) => <Text>{domain ? rangeText(domain) : NOTHING}</Text> },
  {
    title: heading('tile_extent'),
    isNumber: true,
    show: ({ tile_extent }) => (tile_extent === null ? NOTHING : <Text>{shortValue(tile_extent)}</Text>),
  },
  { title: 'filters', show: ({ filters }) => pipelineText(filters) },
]

const ATTRIBUTES: readonly Column<AttributeDescription>[] = [
  { title: 'attribute', show: ({ name }) => <Text>{fieldName(name)}</Text> },
  { title: 'type', show: (one) => typeText(one) },
  { title: 'nullable', show: ({ nullable }) => (nullable ? 'yes' : 'no') },
  { title: heading('fill_value'), show: ({ fill_value }) => <Text>{shortValue(fill_value)}</Text> },
  { title: 'filters', show: ({ filters }) => pipelineText(filters) },
  { title: 'enumeration', show: ({ enumeration }) => <Text>{enumeration ?? NOTHING}</Text> },
]
