import { useEffect, useRef } from 'preact/hooks'
import { folderOf } from '../../base/paths.ts'
import { lastPathPart } from '../../format/commit-files.ts'
import { formatCount, shortValue } from '../../render/units.ts'
import { counted, domainText, fieldName, NOTHING, pipelineText, typeText } from '../../render/views/wording.ts'
import { FragmentName, PathName } from '../fragment-name.tsx'
import { type Inspected, namesOf } from '../inspected.ts'
import { changeLink, innerLink, type Link, viewLink } from '../link.ts'
import { canOpen, pathInGroup } from '../member-path.ts'
import { Table } from '../table.tsx'
import { timeOptions } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
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
        .slice(0, MOST_VALUES)
        .map((value) => ({ kind: `value of ${name}`, name: shortValue(value), more: '', to })),
    ]),
    ...schema.dimension_labels.map(({ name, uri }) => ({ kind: 'label', name, more: uri, to })),
  ]
}

/** Values of an enumeration that can be found. */
const MOST_VALUES = 1000

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
