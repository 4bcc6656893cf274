import type { CellValue } from '../../documents/common.ts'
import type { HistoryVersion } from '../../documents/history.ts'
import { heading } from '../../render/views/headings.ts'
import { countText, fieldName, NEVER_WRITTEN, writtenText } from '../../render/views/wording.ts'
import { AttributeChoice, chosenAttributes, optionWords } from '../cell-query.tsx'
import { Form, formText } from '../controls.tsx'
import { Damaged } from '../damaged.tsx'
import { FragmentName, PathName } from '../fragment-name.tsx'
import type { Documents } from '../inspected.ts'
import { changeLink } from '../link.ts'
import { NotExamined } from '../not-examined.tsx'
import { listInLink } from '../range-list.ts'
import { shortCell } from '../short-cell.ts'
import { type Column, Facts, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { timeOptions } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'
import { WithSchema } from '../with-schema.tsx'
import { Labelled, labelsOf } from './cells.tsx'

/** The versions of a cell (`history`). In the link, `c` is the cell as `--cell` takes it, and `f` has the attributes. */
export const history: ViewParts = {
  call: ({ link }) => (link.c ? { words: ['history', ...optionWords(optionsOf(link))] } : undefined),
  Show: History,
}

function optionsOf(link: ViewProps['link']) {
  return { ...timeOptions(link), cell: [link.c ?? ''], ...(link.f && { field: listInLink(link.f) }) }
}

function History({ inspected, link }: ViewProps) {
  return (
    <WithSchema
      {...{ inspected, link }}
      show={(schema) => (
        <>
          <Form
            class="query"
            of={JSON.stringify(link)}
            use={(values) => {
              const names = schema.dimensions.map(({ name }) => name)
              changeLink(link, {
                c: namedCell(names, formText(values, 'c')),
                f: chosenAttributes(values, schema.attributes),
              })
            }}
          >
            <label>
              cell{' '}
              <input
                name="c"
                class="wide"
                required
                defaultValue={link.c}
                placeholder={schema.dimensions.map(({ name, domain }) => `${name}=${domain?.[0] ?? '"a"'}`).join(',')}
              />
            </label>{' '}
            <AttributeChoice {...{ attributes: schema.attributes, link }} />
            <button type="submit">Show its versions</button>
          </Form>
          {link.c ? (
            <Versions {...{ inspected, link, schema }} />
          ) : (
            <p class="note">A value for each dimension; or follow “versions” in Cells.</p>
          )}
        </>
      )}
    />
  )
}

/** Adds the names of the dimensions to `750,750` or `750 750`. Other text stays as it is. */
function namedCell(names: readonly string[], text: string): string {
  const values = text.includes(',') ? text.split(',').map((value) => value.trim()) : text.split(/\s+/)
  if (text.includes('=') || values.length !== names.length) return text
  return values.map((value, d) => `${names[d]}=${value}`).join(',')
}

function Versions({ inspected, link, schema }: ViewProps & { schema: Documents['schema'] }) {
  const document = useLoaded(() => inspected.document('history', optionsOf(link)), [inspected, link.t, link.c, link.f])
  if (document && 'error' in document) return <Damaged {...{ inspected, link }} error={document.error} />
  return (
    <Shown
      of={document}
      what="every fragment"
      show={({ cell, versions, fill_values, not_examined }) => (
        <>
          <Facts facts={factsOf(cell, schema)} />
          {versions.length === 0 && <p>No fragment holds this cell.</p>}
          {fill_values && (
            <>
              <p>A read gives none of them, but the fill values:</p>
              <Facts facts={factsOf(fill_values, schema)} />
            </>
          )}
          {versions.length > 0 && (
            <Table
              caption="Versions, oldest first"
              columns={columnsOf(versions, schema)}
              rows={versions}
              keyOf={(_, i) => i}
            />
          )}
          <NotExamined errors={not_examined ?? []} />
        </>
      )}
    />
  )
}

function factsOf(values: Readonly<Record<string, CellValue>>, schema: Documents['schema']) {
  return Object.entries(values).map(
    ([name, value]) =>
      [fieldName(name), <Labelled key="" cell={shortCell(value)} labels={labelsOf(schema, name)} />] as const,
  )
}

function columnsOf(
  [{ values }]: readonly HistoryVersion[],
  schema: Documents['schema'],
): readonly Column<HistoryVersion>[] {
  return [
    { title: 'written', show: (version) => <Text>{writtenText(version)}</Text> },
    {
      title: 'state',
      show: ({ state, never_written }) => (
        <>
          <span class={state === 'current' ? 'good' : 'dim'}>{state}</span>
          {never_written && <span class="dim"> ({NEVER_WRITTEN[never_written]})</span>}
        </>
      ),
    },
    {
      title: heading('by'),
      show: ({ by }) =>
        by && (
          <>
            {by.kind === 'vacuum' ? 'replaced by consolidation' : by.kind}{' '}
            {by.condition === undefined ? <PathName path={by.name ?? by.file ?? ''} /> : <Text>{by.condition}</Text>}
          </>
        ),
    },
    ...Object.keys(values).map(
      (name): Column<HistoryVersion> => ({
        title: fieldName(name),
        isName: true,
        show: ({ values, filled }) => (
          <>
            <Labelled cell={shortCell(values[name])} labels={labelsOf(schema, name)} />
            {filled?.includes(name) && <span class="dim"> (fill value)</span>}
          </>
        ),
      }),
    ),
    { title: 'fragment', show: ({ fragment }) => <FragmentName name={fragment} isTimed /> },
    { title: 'tile', isNumber: true, show: ({ tile }) => countText(tile) },
    { title: 'position', isNumber: true, show: ({ position }) => countText(position) },
  ]
}
