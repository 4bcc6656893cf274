import { useEffect, useRef } from 'preact/hooks'
import { folderOf, lastPathPart } from '../../base/paths.ts'
import { type Datatype, datatypeKind } from '../../format/datatype.ts'
import { fieldText } from '../../read/where-syntax.ts'
import { formatCount, shortValue } from '../../render/units.ts'
import { counted, domainText, fieldName, NOTHING, pipelineText, typeText } from '../../render/views/wording.ts'
import { FragmentName, PathName } from '../fragment-name.tsx'
import { type Documents, type Inspected, namesOf } from '../inspected.ts'
import { changeLink, innerLink, type Link, viewLink } from '../link.ts'
import { canOpen, pathInGroup } from '../member-path.ts'
import { Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { timeOptions } from '../times.ts'
import { loadedValue, Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'
import { listFiles } from './files.tsx'

/**
 * Finds fields, fragments, files, members, and keys and values of metadata by their words. `q` of the link is what is sought. `f` says that a
 * key opened the view, so that typing goes on in its field.
 */
export const search: ViewParts = { call: () => undefined, Show: Search }

/** Something of the target that can be found. */
interface Entry {
  kind: string
  name: string
  /** What else is known of it, in words. */
  more: string
  /** Where the page shows it; undefined if it cannot be opened. */
  to: string | undefined
}

function Search({ inspected, link }: ViewProps) {
  const input = useRef<HTMLInputElement>(null)
  const entries = useLoaded(() => entriesOf(inspected, link), [inspected, link.t])
  useEffect(() => {
    if (link.f === undefined) return
    input.current?.focus()
    changeLink(link, { f: undefined }, true)
  }, [link.f])
  const words = (link.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = ({ kind, name, more }: Entry): boolean => {
    const text = `${kind} ${name} ${more}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return (
    <>
      <p>
        <label>
          Words{' '}
          <input
            ref={input}
            type="search"
            class="wide"
            value={link.q ?? ''}
            onInput={(event) => changeLink(link, { q: event.currentTarget.value }, true)}
          />
        </label>
      </p>
      <Shown
        of={entries}
        what="names, keys and values"
        show={(all) => {
          const found = all.filter(isFound)
          if (words.length > 0 && found.length === 0) return <NothingFound {...{ inspected, link }} />
          return (
            <>
              <p role="status">
                {words.length > 0 && `${formatCount(found.length)} of `}
                {counted(all.length, 'name')}
              </p>
              <Table
                caption="Found"
                columns={[
                  { title: 'kind', show: ({ kind }) => kind, by: ({ kind }) => kind },
                  {
                    title: 'name',
                    show: ({ name, to }) =>
                      to ? <a href={to}>{<FragmentName name={name} />}</a> : <FragmentName name={name} />,
                    by: ({ name }) => name,
                  },
                  { title: 'what it is', show: ({ more }) => <PathName path={more} /> },
                ]}
                rows={found}
                keyOf={(_, i) => i}
              />
            </>
          )
        }}
      />
    </>
  )
}

/** Upper limit on the links to cells with a value. */
const MAX_LINKS = 8

/** Says that no name has the words, and where the page finds them as the value of a cell. */
function NothingFound({ inspected, link }: ViewProps) {
  const { type } = inspected.target
  const schema = loadedValue(
    useLoaded(
      async () => (type === 'array' ? inspected.document('schema', timeOptions(link)) : undefined),
      [inspected, link.t],
    ),
  )
  const found = schema ? cellsWith(schema, (link.q ?? '').trim(), link) : []
  return (
    <>
      <p role="status">No name, key or description has these words. The search does not look into cells.</p>
      {type === 'group' && <p>Open an array of the group to look for a value: Cells takes a condition.</p>}
      {schema && (
        <p>
          To look for a value, give <a href={viewLink(link, 'cells')}>Cells</a> a condition or a range.{' '}
          <a href={viewLink(link, 'history')}>History</a> shows the versions of a cell.
        </p>
      )}
      {found.length > 0 && (
        <ul>
          {found.slice(0, MAX_LINKS).map(([words, to]) => (
            <li key={to}>
              <a href={to}>
                <Text>{words}</Text>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Links to the cells that have a text as a coordinate or value, each with its words. */
function cellsWith(
  { dimensions, attributes }: Documents['schema'],
  text: string,
  link: Link,
): (readonly [words: string, to: string])[] {
  const ranges = dimensions.flatMap(({ name, type }) => {
    const value = valueAs(type, text)
    return value === undefined ? [] : [`${name}=${value}`]
  })
  const conditions = attributes.flatMap(({ name, type, cell_val_num, enumeration }) => {
    const isText = datatypeKind(type) === 'text'
    const value = enumeration || (cell_val_num !== 1 && !isText) ? undefined : valueAs(type, text)
    if (value === undefined) return []
    return [`${fieldText(name)} == ${datatypeKind(type) === 'datetime' ? JSON.stringify(value) : value}`]
  })
  return [
    ...ranges.map((range) => [`Cells with ${range}`, viewLink(link, 'cells', { r: JSON.stringify([range]) })] as const),
    ...(dimensions.length === 1 ? ranges : []).map(
      (cell) => [`History of ${cell}`, viewLink(link, 'history', { c: cell })] as const,
    ),
    ...conditions.map((where) => [`Cells with ${where}`, viewLink(link, 'cells', { w: where })] as const),
  ]
}

/** A text as options take a value of a type; undefined if it is none. */
function valueAs(type: Datatype, text: string): string | undefined {
  const kind = datatypeKind(type)
  if (kind === 'text') return JSON.stringify(text)
  if (kind === 'datetime') return /^\d{4}-\d\d[-\d:.T]*$/.test(text) ? text : undefined
  const isNumber = kind === 'float' ? /^-?\d+(?:\.\d*)?$/ : /^-?\d+$/
  return /^(?:U?INT|FLOAT)/.test(type) && isNumber.test(text) ? text : undefined
}

/** All that can be found. What cannot be read has no entries: the other views tell why. */
async function entriesOf(inspected: Inspected, link: Link): Promise<readonly Entry[]> {
  const found = await Promise.allSettled([fields, listed, metadata, findings, files].map((one) => one(inspected, link)))
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

async function fields(inspected: Inspected, link: Link): Promise<readonly Entry[]> {
  if (inspected.target.type === 'group' || inspected.target.type === 'file') return []
  const to = viewLink(link, 'schema')
  const schema = await inspected.document('schema', timeOptions(link))
  return [
    ...schema.dimensions.map((one) => ({
      kind: 'dimension',
      name: one.name,
      more: `${typeText(one)} ${pipelineText(one.filters)}`,
      to,
    })),
    ...schema.attributes.map((one) => ({
      kind: 'attribute',
      name: fieldName(one.name),
      more: `${typeText(one)} ${pipelineText(one.filters)}`,
      to,
    })),
    ...schema.enumerations.flatMap(({ name, values }) => [
      { kind: 'enumeration', name, more: counted(values.length, 'value'), to },
      ...values
        .slice(0, MAX_VALUES)
        .map((value) => ({ kind: `value of ${name}`, name: shortValue(value), more: '', to })),
    ]),
    ...schema.dimension_labels.map(({ name, uri }) => ({ kind: 'label', name, more: uri, to })),
  ]
}

/** Values of an enumeration that can be found. */
const MAX_VALUES = 1000

async function listed(inspected: Inspected, link: Link): Promise<readonly Entry[]> {
  const { target } = inspected
  if (target.type === 'file' || target.type === 'fragment') return []
  const document = await inspected.document('ls', { ...namesOf(inspected), ...timeOptions(link) })
  if (document.kind === 'group')
    return document.members.map((one) => ({
      kind: 'member',
      name: one.name ?? one.uri,
      more: `${one.found ?? one.type} ${one.uri} ${one.state}`,
      to: canOpen(one) ? innerLink(link, pathInGroup(one)) : undefined,
    }))
  if (document.kind !== 'array' || target.type !== 'array') return []
  const paths = new Map((await target.array.fragments()).map(({ name, path }) => [name, path]))
  return document.fragments.map(({ name, state, nonempty_domain }) => ({
    kind: 'fragment',
    name,
    more: `${state ?? NOTHING} ${domainText([], nonempty_domain)}`,
    to: innerLink(link, paths.get(name) ?? name),
  }))
}

async function metadata(inspected: Inspected, link: Link): Promise<readonly Entry[]> {
  const { versions = [] } = await inspected.document('metadata', { all: true, ...timeOptions(link) })
  return versions
    .filter(({ current, deleted }) => current && !deleted)
    .map(({ key, value, file }) => ({
      kind: 'metadata',
      name: key,
      more: shortValue(value),
      to: viewLink(link, 'files', { p: file }),
    }))
}

async function findings(inspected: Inspected, link: Link): Promise<readonly Entry[]> {
  const known = inspected.errors() ?? []
  return known.map(({ code, message }) => ({
    kind: 'error',
    name: code,
    more: message,
    to: viewLink(link, 'findings'),
  }))
}

async function files(inspected: Inspected, link: Link): Promise<readonly Entry[]> {
  if (inspected.target.type === 'file') return []
  const rows = await listFiles(inspected)
  return rows.map(({ path, role, field }) => ({
    kind: 'file',
    name: lastPathPart(path),
    more: `${role} ${field ?? ''} ${folderOf(path)}`,
    to: viewLink(link, 'files', { p: path }),
  }))
}
