import { useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'

/** Milliseconds after which the browser gets its turn: to draw, and to take clicks. */
const TURN = 30

/** What was read so far. */
export interface Reading<T> {
  value?: T
  isDone: boolean
  /** What ended it. */
  error?: InspectError
  stop(): void
}

/** Given to what reads. */
export interface Turns<T> {
  /** Whether the browser waits for its turn. */
  isDue(): boolean
  /** Shows what there is, and gives the browser its turn. Throws if nobody waits for the rest. */
  take(value: T): Promise<void>
}

/** Thrown where a reading is not wanted any more. */
class Stopped extends Error {}

const NONE = { isDone: false, stop() {} }

/** Reads something piece by piece without keeping the browser, again when one of `depends` changes. */
export function useReading<T>(read: (turns: Turns<T>) => Promise<T>, depends: readonly unknown[]): Reading<T> {
  const [{ of, reading }, setState] = useState<{ of: readonly unknown[]; reading: Reading<T> }>({
    of: [],
    reading: NONE,
  })
  useEffect(() => {
    let isWanted = true
    let isStopped = false
    let since = performance.now()
    let latest: Pick<Reading<T>, 'value'> = {}
    const stop = (): void => {
      isStopped = true
    }
    const show = (more: Partial<Reading<T>>): void => {
      if (isWanted) setState({ of: depends, reading: { ...latest, isDone: true, stop, ...more } })
    }
    show({ isDone: false })
    const turns: Turns<T> = {
      isDue: () => performance.now() - since > TURN,
      async take(value) {
        latest = { value }
        show({ isDone: false })
        await new Promise((resume) => setTimeout(resume))
        since = performance.now()
        if (isStopped) throw new Stopped()
      },
    }
    read(turns).then(
      (value) => show({ value }),
      (error: unknown) => show(error instanceof Stopped ? {} : { error: asInspectError(error) }),
    )
    return () => {
      isWanted = false
      isStopped = true
    }
  }, depends)
  // What was read of something else is never shown as this.
  return depends.every((one, i) => one === of[i]) ? reading : NONE
}
