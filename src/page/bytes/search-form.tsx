import { useEffect, useRef, useState } from 'preact/hooks'
import type { Space } from '../../anatomy/part.ts'
import { pathText } from '../../anatomy/path.ts'
import { asInspectError, InspectError } from '../../base/errors.ts'
import { formatCount } from '../../render/units.ts'
import { Button, Form, Scrolling } from '../controls.tsx'
import { Text } from '../text.tsx'
import { Fault } from '../use-loaded.tsx'
import type { Node } from './nodes.ts'
import { findBytes, findFields, type Match, parseHex } from './search.ts'

/** Number of matches after which the search pauses until the user wants more. */
const MOST = 100
/** Milliseconds from one showing of the progress to the next. */
const SHOWN_EVERY = 100

interface Search {
  matches: AsyncIterator<Match>
  /** Number of bytes or fields that were searched so far. */
  done: number
  /** Number of bytes to search; undefined for fields, whose number nobody knows. */
  of: number | undefined
}

/** A search in the space that is shown, or in all fields of the file, and what it has found so far. */
function useSearch(root: Node, space: Space, choose: (match: Match) => void) {
  const [found, setFound] = useState<readonly Match[]>([])
  const [status, setStatus] = useState('')
  const [phase, setPhase] = useState<'running' | 'paused' | undefined>(undefined)
  const [error, setError] = useState<InspectError | undefined>(undefined)
  const search = useRef<Search | undefined>(undefined)
  // A search in another space is stopped.
  useEffect(() => stop, [space])

  function stop(): void {
    search.current = undefined
    setPhase(undefined)
  }

  /** Searches until the next pause. @param before matches that were found already */
  async function run(mine: Search, before: readonly Match[]): Promise<void> {
    const all = [...before]
    const show = (end: string): void => {
      const total = mine.of === undefined ? 'fields' : `of ${formatCount(mine.of)} bytes`
      setStatus(`${formatCount(all.length)} found in ${formatCount(mine.done)} ${total}${end}`)
      setFound([...all])
    }
    setPhase('running')
    const timer = setInterval(() => search.current === mine && show(' …'), SHOWN_EVERY)
    try {
      while (search.current === mine) {
        const step = await mine.matches.next()
        if (search.current !== mine) return
        if (step.done) {
          show('')
          return stop()
        }
        all.push(step.value)
        if (all.length === 1) choose(step.value)
        if (all.length - before.length >= MOST) {
          show(' so far')
          return setPhase('paused')
        }
      }
    } catch (fault) {
      // The error of a search that was stopped is not shown.
      if (search.current === mine) {
        stop()
        setError(asInspectError(fault))
      }
    } finally {
      clearInterval(timer)
    }
  }

  function start(kind: string, text: string): void {
    const next = searchFor(kind, text)
    setError(
      next
        ? undefined
        : new InspectError('USAGE', {
            expected: 'bytes in hexadecimal, two digits each',
            found: JSON.stringify(text),
          }),
    )
    if (!next) return
    search.current = next
    setFound([])
    run(next, [])
  }

  function searchFor(kind: string, text: string): Search | undefined {
    // The error ends a search that was stopped.
    const progress = (done: number): void => {
      if (search.current !== next) throw new InspectError('IO', 'the search was stopped')
      next.done = done
    }
    const bytes = kind === 'hex' ? parseHex(text) : new TextEncoder().encode(text)
    if (!bytes) return undefined
    const next: Search =
      kind === 'field'
        ? { matches: findFields(root.part, text, progress), done: 0, of: undefined }
        : { matches: findBytes(space, bytes, progress), done: 0, of: space.length }
    return next
  }

  return {
    ...{ found, status, phase, error, start },
    /** Stops the search for good. */
    halt: () => {
      setStatus(`${status.replace(/ …$/, '')}, stopped`)
      stop()
    },
    /** Goes on after a pause. */
    goOn: () => search.current && run(search.current, found),
  }
}

/** A search for bytes or text in the space that is shown, or for names of fields in the whole file. */
export function SearchForm({ root, space, choose }: { root: Node; space: Space; choose(match: Match): void }) {
  const { found, status, phase, error, start, halt, goOn } = useSearch(root, space, choose)
  return (
    <section aria-label="Search">
      <Form use={(values) => start(String(values.get('kind')), String(values.get('wanted')))}>
        <label>
          Find{' '}
          <select name="kind">
            <option value="text">text</option>
            <option value="hex">bytes (hex)</option>
            <option value="field">field</option>
          </select>
        </label>{' '}
        <input name="wanted" aria-label="What to find" size={24} required autocomplete="off" />{' '}
        <button type="submit">Find</button> {phase === 'running' && <Button onClick={halt}>Stop</Button>}
        {phase === 'paused' && <Button onClick={goOn}>Go on</Button>}{' '}
        <span role="status" class="found-num">
          {status}
        </span>
      </Form>
      {error && <Fault error={error} />}
      {found.length > 0 && (
        <Scrolling label="Found">
          <ol class="matches">
            {found.map((match) => {
              const text = 'from' in match ? `0x${match.from.toString(16)}` : pathText(match.steps)
              return (
                <li key={text}>
                  <Button class="plain" onClick={() => choose(match)}>
                    <Text>{text}</Text>
                  </Button>
                </li>
              )
            })}
          </ol>
        </Scrolling>
      )}
    </section>
  )
}
