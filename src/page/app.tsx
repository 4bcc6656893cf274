import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import { timeText } from '../format/timestamped-name.ts'
import { formatCount, formatSize } from '../render/units.ts'
import { Call } from './call.tsx'
import { Button } from './controls.tsx'
import { PathName } from './fragment-name.tsx'
import { CHECKED, type Documents, Inspected, innerPlace, namesOf, type TargetPlace } from './inspected.ts'
import { UseKey } from './key-form.tsx'
import { changeLink, type Link, linkText, outerPath, useLink, viewLink } from './link.ts'
import { placeOfUrl } from './place.ts'
import { Start } from './start.tsx'
import { Text } from './text.tsx'
import { Theme } from './theme.tsx'
import { timeOptions } from './times.ts'
import { Fault, type Loaded, loadedValue, Shown, ShownPath, useLoaded } from './use-loaded.tsx'
import type { View, ViewParts, ViewProps } from './view.ts'
import { VIEWS } from './views.ts'

/** The whole page. @param embedded the place that came with the page, if any */
export function App({ embedded }: { embedded: TargetPlace | undefined }) {
  const link = useLink()
  const [place, setPlace] = useState<TargetPlace | undefined>(embedded)
  const [key, setKey] = useState(embedded?.key)
  const isFirst = useRef(true)
  const [opened, setOpened] = useState<{ inspected: Inspected } | { error: InspectError } | undefined>(undefined)

  // A page that came with a target opens no URL.
  useEffect(() => {
    if (embedded || link.u === undefined) return
    let isLatest = true
    placeOfUrl(link.u).then(
      (found) => isLatest && setPlace(found),
      (error: unknown) => isLatest && setOpened({ error: asInspectError(error) }),
    )
    return () => {
      isLatest = false
    }
  }, [embedded, link.u])

  const shown = useMemo(() => place && innerPlace(place, link.i), [place, link.i])
  useEffect(() => {
    if (!shown) return
    let isLatest = true
    let close = (): void => {}
    setOpened(undefined)
    Inspected.open(shown, key).then(
      (inspected) => {
        close = () => inspected.close()
        if (isLatest) setOpened({ inspected })
      },
      (error: unknown) => isLatest && setOpened({ error: asInspectError(error) }),
    )
    return () => {
      isLatest = false
      close()
    }
  }, [shown, key])

  useEffect(() => {
    document.title = shown ? `${shown.shown} · tiledb-inspect` : 'tiledb-inspect'
  }, [shown])

  const start = (next: TargetPlace): void => {
    setPlace(next)
    setKey(undefined)
    location.hash = linkText({ u: next.kind === 'url' ? next.shown : undefined })
  }
  return (
    <UseKey.Provider value={setKey}>
      <Button class="skip" onClick={focusContent}>
        Skip to the content
      </Button>
      <header>
        <h1>tiledb-inspect {shown && <PathName path={shown.shown} />}</h1>
        {place && <PlaceNotes key={place.path} place={place} />}
        {place && place !== shown && (
          <p>
            <a href={linkText({ u: link.u, i: outerPath(link) })}>
              Back to <PathName path={innerPlace(place, outerPath(link)).shown} />
            </a>
          </p>
        )}
      </header>
      {opened && 'inspected' in opened ? (
        <ShownPath.Provider value={opened.inspected.shownPath}>
          <Views inspected={opened.inspected} link={link} isFirst={isFirst} />
        </ShownPath.Provider>
      ) : (
        <main id="main" tabIndex={-1}>
          {opened && <Fault error={opened.error} />}
          {opened?.error.code === 'NOT_FOUND' && place?.kind === 'url' && (
            <p>Check the URL. If its server does not list folders, give the URL of a fragment or of a file in it.</p>
          )}
          {place && !opened && <p role="status">Opening …</p>}
        </main>
      )}
      <footer>
        {!embedded && <Start use={start} />}
        <span class="theme">
          <WholeNames link={link} />
          <Theme />
        </span>
      </footer>
    </UseKey.Provider>
  )
}

/** A choice whether names of fragments are shown whole. */
function WholeNames({ link }: { link: Link }) {
  const isWhole = link.h === '1'
  useEffect(() => {
    document.documentElement.classList.toggle('whole-names', isWhole)
  }, [isWhole])
  return (
    <label>
      <input
        type="checkbox"
        checked={isWhole}
        onChange={() => changeLink(link, { h: isWhole ? undefined : '1' }, true)}
      />{' '}
      whole names
    </label>
  )
}

function focusContent(): void {
  document.getElementById('main')?.focus()
}

/** What a reader should know about the place, such as when a report was made. */
function PlaceNotes({ place }: { place: TargetPlace }) {
  const { kind, leftOut, made } = place
  const warning = loadedValue(useLoaded(async () => place.warning, [place.warning]))
  return (
    <p class="about">
      {warning !== undefined && `Slow: ${warning}. `}
      {kind === 'report' && made !== undefined && `A report of ${new Date(made).toISOString()}. `}
      {kind === 'framed' && 'As it was on disk when this page was opened. '}
      {kind === 'served' && 'As it is on disk now: reload to read it again. '}
      {leftOut &&
        `${leftOut.file_num} of ${leftOut.of} files are not in this report (${formatSize(leftOut.size)}): tiledb-inspect page --max-size takes more.`}
    </p>
  )
}

/** The tabs of all views, and the chosen view. @param isFirst whether the page has shown nothing yet */
function Views({ inspected, link, isFirst }: { inspected: Inspected; link: Link; isFirst: { current: boolean } }) {
  const views = VIEWS.filter(({ targets }) => targets.includes(inspected.target.type))
  const view = views.find(({ id }) => id === link.v) ?? views[0]
  const parts = useView(view)
  // The followed link may be gone with the old view, and the focus with it. So may the button that ends an earlier time.
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) focusContent()
    isFirst.current = false
  }, [view.id, link.p, link.t])
  // On a narrow screen the tabs scroll. (`scrollIntoView` would move where Tab begins, too.)
  useEffect(() => {
    const tab = document.getElementById(`tab-${view.id}`)
    if (tab?.parentElement) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft
  }, [view.id])
  const errors = useErrorCount(inspected, link, [OVERVIEW, 'workspace'].includes(view.id))
  // As on many sites, this key begins a search, unless it is typed into a field.
  useEffect(() => {
    const sought = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      location.hash = viewLink(link, SEARCH, { f: '/' })
    }
    addEventListener('keydown', sought)
    return () => removeEventListener('keydown', sought)
  }, [link])
  /** Keys of any list of tabs: arrow keys go to the next tab, Home and End to the first and last. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = views.indexOf(view)
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[
      event.key
    ]
    if (to === undefined) return
    event.preventDefault()
    const next = views[(to + views.length) % views.length]
    location.hash = viewLink(link, next.id)
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
              href={viewLink(link, id)}
              aria-selected={id === view.id}
              aria-controls="main"
              tabIndex={id === view.id ? 0 : -1}
            >
              {title}
              {id === FINDINGS && errors > 0 && <span class="badge"> {formatCount(errors)}</span>}
            </a>
          ))}
        </div>
      </nav>
      {link.t !== undefined && (
        <p class="about" role="status">
          As of <Text>{/^\d{1,18}$/.test(link.t) ? timeText(BigInt(link.t)) : link.t}</Text>.{' '}
          <Button onClick={() => changeLink(link, { t: undefined })}>As of now</Button>
        </p>
      )}
      <main id="main" tabIndex={-1} aria-labelledby="view-title">
        <h2 id="view-title">{view.title}</h2>
        <Shown
          of={parts}
          what="the view"
          show={(found) => <ShownView key={view.id} {...{ parts: found, inspected, link }} />}
        />
      </main>
    </>
  )
}

/** The views that the page itself opens or marks. */
const [OVERVIEW, SEARCH, FINDINGS] = ['overview', 'search', 'findings']

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
}

/** Resolves when the browser has nothing to do. Not all browsers tell. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve())
    else setTimeout(resolve, LONG_AFTER)
  })
}

/** Milliseconds after which the view that was asked for is usually there. */
const LONG_AFTER = 2000

/**
 * Number of errors that are known: those of checks, else those of the overview. Another view does not wait for the overview: it is read
 * later, and over a network only if it is shown.
 * @param isOverview whether the overview is shown, and so read anyway
 */
function useErrorCount(inspected: Inspected, link: Link, isOverview: boolean): number {
  const [, setChecks] = useState(0)
  useEffect(() => {
    const checked = () => setChecks((checks) => checks + 1)
    addEventListener(CHECKED, checked)
    return () => removeEventListener(CHECKED, checked)
  }, [])
  const overview = loadedValue(
    useLoaded<Pick<Documents['overview'], 'finding_num'> | undefined>(async () => {
      if (!isOverview && inspected.place.kind === 'url') return undefined
      if (!isOverview) await idle()
      return inspected.target.type === 'genomicsdb'
        ? inspected.document('genomicsdb-overview')
        : inspected.document('overview', { ...namesOf(inspected), ...timeOptions(link) })
    }, [inspected, link.t, isOverview]),
  )
  return inspected.errors()?.length ?? overview?.finding_num.error ?? 0
}

/** The views that were loaded. They open at once. */
const LOADED = new Map<string, ViewParts>()

function useView(view: View): Loaded<ViewParts> {
  const known = LOADED.get(view.id)
  const loaded = useLoaded(async () => {
    const parts = known ?? (await view.load())
    LOADED.set(view.id, parts)
    return { id: view.id, parts }
  }, [view.id])
  if (known) return { value: known }
  if (loaded && 'error' in loaded) return loaded
  // The parts of the view before stay until those of this one are there.
  return loaded?.value.id === view.id ? { value: loaded.value.parts } : undefined
}

function ShownView({ parts: { call, Show }, inspected, link }: ViewProps & { parts: ViewParts }) {
  const found = call({ inspected, link })
  return (
    <>
      <Show inspected={inspected} link={link} />
      {found && (
        <Call words={[found.words[0], inspected.shownPath(found.path ?? inspected.path), ...found.words.slice(1)]} />
      )}
    </>
  )
}
