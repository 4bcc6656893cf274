import { useEffect, useRef, useState } from 'preact/hooks'
import type { Space } from '../../anatomy/part.ts'
import { pathText } from '../../anatomy/path.ts'
import { asInspectError, InspectError } from '../../base/errors.ts'
import { formatCount } from '../../render/units.ts'
import { Scrolling } from '../scrolling.tsx'
import { Text } from '../text.tsx'
import { Fault } from '../use-loaded.tsx'
import type { Node } from './nodes.ts'
import { findBytes, findFields, type Match, parseHex } from './search.ts'

/** Places that are found before the search waits to be told to go on. */
const MOST = 100
/** How often progress is shown, in milliseconds. */
const SHOWN_EVERY = 100

interface Search {
  matches: AsyncIterator<Match>
  /** Undefined for fields: nobody knows how many there are. */
  of: number | undefined
}

/** Looks for bytes, text or the names of fields; what is searched is the space that is shown, or all fields of the file. */
export function SearchForm(props: { root: Node; space: Space; choose(match: Match): void }) {
  const { root, space, choose } = props
  const [found, setFound] = useState<readonly Match[]>([])
  const [told, setTold] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const [error, setError] = useState<InspectError | undefined>(undefined)
  const search = useRef<Search | undefined>(undefined)
  const done = useRef(0)
  // What was found in other bytes is not here.
  useEffect(() => () => stop(), [space])

  function stop(): void {
    search.current = undefined
    setRunning(false)
    setWaiting(false)
  }

  async function go(mine: Search, before: readonly Match[]): Promise<void> {
    const all = [...before]
    let last = performance.now()
    const show = (end: string): void => {
      const how =
        mine.of === undefined
          ? `${formatCount(done.current)} fields`
          : `${formatCount(done.current)} of ${formatCount(mine.of)} bytes`
      setTold(`${formatCount(all.length)} found in ${how}${end}`)
      setFound([...all])
    }
    setRunning(true)
    setWaiting(false)
    const timer = setInterval(() => search.current === mine && show(' …'), SHOWN_EVERY)
    try {
      while (search.current === mine) {
        const next = await mine.matches.next()
        if (search.current !== mine) break
        if (next.done) {
          show('')
          stop()
          break
        }
        all.push(next.value)
        if (all.length === 1) choose(next.value)
        if (all.length - before.length >= MOST) {
          show(' so far')
          setRunning(false)
          setWaiting(true)
          break
        }
        if (performance.now() - last > SHOWN_EVERY) {
          show(' …')
          last = performance.now()
        }
      }
    } catch (fault) {
      // A search that was stopped, or followed by another, says nothing.
      if (search.current === mine) {
        stop()
        setError(asInspectError(fault))
      }
    } finally {
      clearInterval(timer)
    }
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = String(form.get('wanted'))
    const made = searchFor(String(form.get('kind')), text, () => search.current === made)
    setError(
      made
        ? undefined
        : new InspectError('USAGE', `expected bytes in hexadecimal, two digits each, found ${JSON.stringify(text)}`),
    )
    if (!made) return
    search.current = made
    setFound([])
    go(made, [])
  }

  function searchFor(kind: string, text: string, isWanted: () => boolean): Search | undefined {
    done.current = 0
    // A search that was stopped ends at its next step.
    const progress = (at: number): void => {
      if (!isWanted()) throw new InspectError('IO', 'the search was stopped')
      done.current = at
    }
    if (kind === 'field') return { matches: findFields(root.part, text, progress), of: undefined }
    const bytes = kind === 'hex' ? parseHex(text) : new TextEncoder().encode(text)
    return bytes && { matches: findBytes(space, bytes, progress), of: space.length }
  }

  return (
    <section aria-label="Search">
      <form onSubmit={submit}>
        <label>
          Find{' '}
          <select name="kind">
            <option value="text">text</option>
            <option value="hex">bytes (hex)</option>
            <option value="field">field</option>
          </select>
        </label>{' '}
        <input name="wanted" aria-label="What to find" size={24} required autocomplete="off" />{' '}
        <button type="submit">Find</button>{' '}
        {isRunning && (
          <button
            type="button"
            onClick={() => {
              setTold(`${told.replace(/ …$/, '')}, stopped`)
              stop()
            }}
          >
            Stop
          </button>
        )}
        {isWaiting && (
          <button type="button" onClick={() => search.current && go(search.current, found)}>
            Go on
          </button>
        )}{' '}
        <span role="status" class="found-num">
          {told}
        </span>
      </form>
      {error && <Fault error={error} />}
      {found.length > 0 && (
        <Scrolling label="Found">
          <ol class="matches">
            {found.map((match) => {
              const text = 'from' in match ? `0x${match.from.toString(16)}` : pathText(match.steps)
              return (
                <li key={text}>
                  <button type="button" class="plain" onClick={() => choose(match)}>
                    <Text>{text}</Text>
                  </button>
                </li>
              )
            })}
          </ol>
        </Scrolling>
      )}
    </section>
  )
}
