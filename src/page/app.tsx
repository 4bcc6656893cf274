import { useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import { timeText } from '../format/timestamped-name.ts'
import { formatSize } from '../render/units.ts'
import { Call } from './call.tsx'
import { Inspected, type Place } from './inspected.ts'
import { UseKey } from './key-form.tsx'
import { change, goTo, type Link, linkText, useLink } from './link.ts'
import { placeOfUrl } from './place.ts'
import { Start } from './start.tsx'
import { Text } from './text.tsx'
import { Fault } from './use-loaded.tsx'
import { VIEWS } from './views.ts'

/** The whole page. @param given what came with it */
export function App({ given }: { given: Place | undefined }) {
  const link = useLink()
  const [place, setPlace] = useState<Place | undefined>(given)
  const [key, setKey] = useState<Uint8Array | undefined>(undefined)
  const [opened, setOpened] = useState<{ inspected: Inspected } | { error: InspectError } | undefined>(undefined)

  // A URL in the link is opened; on a page that came with a target there is none.
  useEffect(() => {
    if (given || link.u === undefined) return
    try {
      setPlace(placeOfUrl(link.u))
    } catch (error) {
      setOpened({ error: asInspectError(error) })
    }
  }, [given, link.u])

  useEffect(() => {
    if (!place) return
    let isLatest = true
    setOpened(undefined)
    Inspected.open(place, key).then(
      (inspected) => isLatest && setOpened({ inspected }),
      (error: unknown) => isLatest && setOpened({ error: asInspectError(error) }),
    )
    return () => {
      isLatest = false
    }
  }, [place, key])

  useEffect(() => {
    document.title = place ? `${place.shown} · tiledb-inspect` : 'tiledb-inspect'
  }, [place])

  const start = (next: Place): void => {
    setPlace(next)
    setKey(undefined)
    location.hash = linkText({ u: next.kind === 'url' ? next.shown : undefined })
  }
  return (
    <UseKey.Provider value={setKey}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header>
        <h1>tiledb-inspect {place && <Text>{place.shown}</Text>}</h1>
        {place && <About place={place} />}
      </header>
      {opened && 'inspected' in opened ? (
        <Views inspected={opened.inspected} link={link} />
      ) : (
        <main id="main" tabIndex={-1}>
          {opened && <Fault error={opened.error} />}
          {place && !opened && <p role="status">Opening …</p>}
        </main>
      )}
      <footer>{!given && <Start use={start} />}</footer>
    </UseKey.Provider>
  )
}

function About({ place: { kind, leftOut, made } }: { place: Place }) {
  return (
    <p class="about">
      {kind === 'report' && made !== undefined && `A report of ${new Date(made).toISOString()}. `}
      {kind === 'served' && 'As it is on disk now: reload to read it again. '}
      {leftOut &&
        `${leftOut.file_num} of ${leftOut.of} files are not in this report (${formatSize(leftOut.size)}): tiledb-inspect page --max-size takes more.`}
    </p>
  )
}

function Views({ inspected, link }: { inspected: Inspected; link: Link }) {
  const views = VIEWS.filter(({ targets }) => targets.includes(inspected.target.type))
  const view = views.find(({ id }) => id === link.v) ?? views[0]
  const { words, path } = view.call({ inspected, link })
  const [name, ...options] = words
  /** Arrow keys go from one tab to the next, as in any list of tabs; Tab leaves it. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = views[(views.indexOf(view) + step + views.length) % views.length]
    location.hash = goTo(link, next.id)
    document.getElementById(`tab-${next.id}`)?.focus()
  }
  return (
    <>
      <nav aria-label="Views">
        <div role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
          {views.map(({ id, title }) => (
            <a
              key={id}
              id={`tab-${id}`}
              role="tab"
              href={goTo(link, id)}
              aria-selected={id === view.id}
              aria-controls="main"
              tabIndex={id === view.id ? 0 : -1}
            >
              {title}
            </a>
          ))}
        </div>
      </nav>
      {link.t !== undefined && (
        <p class="about" role="status">
          As of <Text>{/^\d{1,18}$/.test(link.t) ? timeText(BigInt(link.t)) : link.t}</Text>.{' '}
          <button type="button" onClick={() => change(link, { t: undefined })}>
            As of now
          </button>
        </p>
      )}
      <main id="main" tabIndex={-1} aria-labelledby="view-title">
        <h2 id="view-title">{view.title}</h2>
        <view.Show key={view.id} inspected={inspected} link={link} />
        <Call words={[name, inspected.shownPath(path ?? inspected.path), ...options]} />
      </main>
    </>
  )
}
