import { lastPathPart } from '../base/paths.ts'
import type { MetadataVersionDescription } from '../documents/metadata.ts'
import { shortValue } from '../render/units.ts'
import { counted, NOTHING } from '../render/views/wording.ts'
import { FragmentName } from './fragment-name.tsx'
import { type Link, viewLink } from './link.ts'
import { type Column, Table, textColumn, writtenColumn } from './table.tsx'
import { Text } from './text.tsx'
import { timeOptions } from './times.ts'
import { Shown, useLoaded } from './use-loaded.tsx'
import type { ViewProps } from './view.ts'

/** A change of a key of the key-value metadata. */
interface Version extends MetadataVersionDescription {
  /** State of the change at the time of the link. */
  state: 'current' | 'past' | 'deleted' | 'later'
}

/** The last time that names can have. With it, changes that are dated ahead are listed, too. */
const LAST = String(2n ** 63n - 1n)

/**
 * The key-value metadata; nothing if there is none.
 * @param isAll whether every change is listed, also those after the time of the link. Otherwise the values that a reader gets are
 * listed, and the other changes are counted.
 */
export function Metadata({ inspected, link, isAll }: ViewProps & { isAll: boolean }) {
  const versions = useLoaded(() => versionsOf({ inspected, link }), [inspected, link.t])
  return (
    <Shown
      of={versions}
      what="the metadata"
      show={(found) => {
        if (found.length === 0) return null
        const current = found.filter(({ state }) => state === 'current')
        const later = found.filter(({ state }) => state === 'later').length
        const past = found.length - current.length - later
        return (
          <>
            {(isAll || current.length > 0) && (
              <Table
                caption={isAll ? 'Key-value metadata in time' : 'Key-value metadata'}
                columns={columns(link)}
                rows={isAll ? found : current}
                keyOf={({ key, file }) => `${file} ${key}`}
              />
            )}
            {later > 0 && (
              <p>
                {counted(later, 'change')} of metadata {later === 1 ? 'is' : 'are'} dated later than{' '}
                {link.t === undefined ? 'now' : 'that time'}, so readers do not see {later === 1 ? 'it' : 'them'}{' '}
                {link.t === undefined ? 'yet' : 'then'}.
              </p>
            )}
            {!isAll && past > 0 && (
              <p>
                {counted(past, 'other change')} of metadata: see{' '}
                {inspected.target.type === 'array' ? <a href={viewLink(link, 'timeline')}>Timeline</a> : 'the files'}.
              </p>
            )}
          </>
        )
      }}
    />
  )
}

async function versionsOf({ inspected, link }: ViewProps): Promise<readonly Version[]> {
  const [every, atLink] = await Promise.all(
    [{ asOf: LAST }, timeOptions(link)].map((times) => inspected.document('metadata', { all: true, ...times })),
  )
  const idOf = ({ key, file }: MetadataVersionDescription): string => `${file} ${key}`
  const valued = new Set(every.versions?.flatMap(({ key, deleted }) => (deleted ? [] : [key])))
  const known = new Map(atLink.versions?.map((one) => [idOf(one), one.current]))
  return (every.versions ?? []).flatMap((one) => {
    const current = known.get(idOf(one))
    // For each key that it writes, TileDB-Py deletes two other keys that never existed. Those are left out.
    return valued.has(one.key) ? [{ ...one, state: stateOf(current, one.deleted) }] : []
  })
}

/** @param current whether it is the value at the time of the link; undefined if it was not there yet */
function stateOf(current: boolean | undefined, deleted: boolean | undefined): Version['state'] {
  if (current === undefined) return 'later'
  if (deleted) return 'deleted'
  return current ? 'current' : 'past'
}

const columns = (link: Link): readonly Column<Version>[] => [
  textColumn('key', ({ key }) => key),
  writtenColumn(),
  {
    title: 'state',
    show: ({ state, consolidated }) => (
      <span class={state === 'current' ? 'good' : 'dim'}>
        {state}
        {consolidated && ' (consolidated)'}
      </span>
    ),
    by: ({ state }) => state,
  },
  { title: 'value', show: ({ deleted, value }) => <Text>{deleted ? NOTHING : shortValue(value)}</Text> },
  { title: 'type', show: ({ type }) => type ?? NOTHING, by: ({ type }) => type },
  {
    title: 'file',
    show: ({ file }) => (
      <a href={viewLink(link, 'files', { p: file })}>
        <FragmentName name={lastPathPart(file)} isTimed />
      </a>
    ),
    by: ({ file }) => file,
  },
]
