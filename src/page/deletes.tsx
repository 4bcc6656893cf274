import { unlessFault } from '../base/errors.ts'
import { shownCondition } from '../calls/condition-text.ts'
import { timeText } from '../format/timestamped-name.ts'
import type { InspectArray } from '../objects/array.ts'
import { allDeletePlaces, type DeletePlace, readDelete } from '../objects/deletes.ts'
import { formatCount } from '../render/units.ts'
import type { Inspected } from './inspected.ts'
import { type Link, viewLink } from './link.ts'
import { Text } from './text.tsx'
import { linkTime } from './times.ts'
import { Shown, useLoaded } from './use-loaded.tsx'

/** {@link allDeletePlaces}; an empty list if the commits cannot be read. */
export async function allDeletes(array: InspectArray): Promise<readonly DeletePlace[]> {
  return (await allDeletePlaces(array).catch(unlessFault)) ?? []
}

/** The texts of the delete conditions that were read. A table asks for its words where no component can wait for them. */
const texts = new WeakMap<DeletePlace, string>()

export function conditionWords(place: DeletePlace): string {
  return texts.get(place) ?? '…'
}

/** Reads a condition, so that {@link conditionWords} has it. One that cannot be read stays without words. */
export function learnCondition(array: InspectArray, place: DeletePlace): Promise<string | undefined> {
  return readCondition(array, place).catch(unlessFault)
}

async function readCondition(array: InspectArray, place: DeletePlace): Promise<string> {
  const text =
    texts.get(place) ?? (await shownCondition({ style: { raw: false } }, array, await readDelete(array, place)))
  texts.set(place, text)
  return text
}

/**
 * A delete condition as History prints it. It is read only when it is shown, as there may be thousands.
 * @param link that of the page, for a link to the cells that it deleted
 */
export function DeleteCondition({ array, place, link }: { array: InspectArray; place: DeletePlace; link?: Link }) {
  const text = useLoaded(() => readCondition(array, place), [array, place.name])
  if (text === undefined) return <>…</>
  if ('value' in text)
    return (
      <>
        <Text>{text.value}</Text>{' '}
        {link && (
          <>
            (
            <a href={viewLink({ ...link, t: String(place.time - 1n) }, 'histograms', { w: text.value })}>
              what it deleted
            </a>
            )
          </>
        )}
      </>
    )
  return <span class="bad">cannot be read: {text.error.message}</span>
}

/** Upper limit on the delete conditions that the overview shows. Timeline shows all. */
const MOST = 10

/** The number of delete conditions that apply at the time of the link, and the newest of them. */
export function AppliedDeletes({ inspected, link, count }: { inspected: Inspected; link: Link; count: number }) {
  const deletes = useLoaded(async () => {
    const { target } = inspected
    if (target.type !== 'array' || count === 0) return []
    const now = linkTime(link) ?? target.array.cx.now
    return (await allDeletes(target.array)).filter(({ end }) => end <= now).reverse()
  }, [inspected, link.t, count])
  const { target } = inspected
  return (
    <>
      {formatCount(count)}
      {target.type === 'array' && count > 0 && (
        <Shown
          of={deletes}
          what="the conditions"
          show={(found) => (
            <ul class="members">
              {found.slice(0, MOST).map((place) => (
                <li key={place.name}>
                  <DeleteCondition {...{ link, place }} array={target.array} /> at {timeText(place.time, false)}
                </li>
              ))}
              {found.length > MOST && (
                <li>
                  {formatCount(found.length - MOST)} older: see <a href={viewLink(link, 'timeline')}>Timeline</a>
                </li>
              )}
            </ul>
          )}
        />
      )}
    </>
  )
}
