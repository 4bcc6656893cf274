import { FACTS, fragmentColumns } from '../../calls/listed-fragment.ts'
import type { ArrayFragment } from '../../documents/array.ts'
import type { FragmentLine } from '../../documents/fragment.ts'
import type { GroupLine } from '../../documents/group.ts'
import { heading } from '../../render/views/headings.ts'
import { domainText, fieldName, filtersText, fullSizeText, stateRole, stateText } from '../../render/views/wording.ts'
import { FragmentName } from '../fragment-name.tsx'
import { innerLink, type Link } from '../link.ts'
import { StateLines } from '../state-lines.tsx'
import { type Column, numberColumn, Table, textColumn, writtenColumn } from '../table.tsx'
import { Text } from '../text.tsx'
import { timeOptions, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'

/** The list of `ls`: the fragments of an array, the files of a fragment, or the members of a group. */
export const fragments: ViewParts = {
  call: ({ link }) => ({ words: ['ls', ...timeWords(link)] }),
  Show: Fragments,
}

function Fragments({ inspected, link }: ViewProps) {
  const document = useLoaded(async () => {
    const [listed, { dimensions }] = await Promise.all([
      inspected.document('ls', timeOptions(link)),
      inspected
        .document('overview', timeOptions(link))
        .then((found) => ('dimensions' in found ? found : { dimensions: [] })),
    ])
    const entries = inspected.target.type === 'array' ? await inspected.target.array.fragments() : []
    const paths = new Map(entries.map(({ name, path }) => [name, path]))
    return { listed, paths, names: dimensions.map((one) => (typeof one === 'string' ? one : one.name)) }
  }, [inspected, link.t])
  return (
    <Shown
      of={document}
      what="the listing"
      show={({ listed, paths, names }) => {
        if (listed.kind === 'group')
          return <Table caption="Members" columns={MEMBERS} rows={listed.members} keyOf={(_, i) => i} />
        if (listed.kind === 'fragment')
          return <Table caption="Files" columns={FILES} rows={listed.files} keyOf={({ name }) => name} />
        return (
          <>
            <Table
              caption="Fragments"
              columns={pageColumns(listed, names, paths, link, inspected.damagedFolders())}
              rows={listed.fragments}
              keyOf={({ name }) => name}
            />
            <StateLines listed={listed} />
          </>
        )
      }}
    />
  )
}

/**
 * The columns of the command line. Those in `columns` come first; null means that the command line's form is used, false that the
 * column is left out. A column that the command line gains later is added at the end.
 * @param paths paths of the fragments below the array, by name
 */
function pageColumns(
  listed: Parameters<typeof fragmentColumns>[0],
  names: readonly string[],
  paths: ReadonlyMap<string, string>,
  link: Link,
  damaged: ReadonlySet<string | undefined>,
): readonly Column<ArrayFragment>[] {
  const printed = new Map(fragmentColumns(listed, names, true).map((one) => [one.name, one]))
  const columns: { [name: string]: Column<ArrayFragment> | null | false } = {
    fragment: {
      title: 'fragment',
      show: ({ name }) => (
        <a href={innerLink(link, paths.get(name) ?? name)}>
          <FragmentName name={name} isTimed />
        </a>
      ),
      by: ({ name }) => name,
    },
    state: {
      title: 'state',
      show: (one) => (
        <>
          <span class={stateRole(one.state ?? '')}>{stateText(one)}</span>
          {damaged.has(one.name) && <span class="bad"> damaged</span>}
        </>
      ),
      by: ({ state }) => state,
    },
    time: writtenColumn(),
    cells: null,
    tiles: null,
    size: null,
    'non-empty domain': {
      title: heading('nonempty_domain'),
      show: ({ nonempty_domain }) => <Text>{domainText(names, nonempty_domain)}</Text>,
    },
    format: numberColumn(heading('format_version'), ({ format_version }) => format_version),
    ratio: false,
    schema: false,
  }
  for (const fact in FACTS) {
    const one = printed.get(FACTS[fact as keyof ArrayFragment] ?? '')
    if (one && columns[one.name] == null)
      columns[one.name] = {
        title: one.name,
        isNumber: one.align === 'right',
        show: (row) => (one.align ? one.cell(row, 0) : <Text>{one.cell(row, 0)}</Text>),
        by: (row) => row[fact as keyof ArrayFragment] as number | null,
      }
  }
  return Object.values(columns).filter((one) => !!one)
}

const FILES: readonly Column<FragmentLine>[] = [
  textColumn('file', ({ name }) => name),
  textColumn('field', ({ field }) => (field === null ? null : fieldName(field))),
  { title: 'role', show: ({ role }) => role, by: ({ role }) => role },
  numberColumn('size', ({ size }) => size, fullSizeText),
  numberColumn(heading('unfiltered_size'), ({ unfiltered_size }) => unfiltered_size, fullSizeText),
  { title: 'filters', show: ({ filters }) => filtersText(filters) },
  { title: 'state', show: ({ state }) => <span class={state === 'present' ? '' : 'bad'}>{state}</span> },
]

const MEMBERS: readonly Column<GroupLine>[] = [
  textColumn('member', ({ name }) => name),
  { title: 'type', show: ({ type }) => type },
  { title: 'uri', show: ({ uri }) => <Text>{uri}</Text> },
  { title: 'state', show: ({ state }) => state },
]
