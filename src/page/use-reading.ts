import { useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import type { Job } from './job.ts'

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
  /** Shows what there is, and gives the browser its turn: to draw, and to take clicks. Throws if nobody waits for the rest. */
  take(value: T): Promise<void>
  /** Says what to do when nobody waits any more. */
  onStop(stop: () => void): void
  /** Shows what a task finds, as it comes. */
  follow(job: Job<T>): Promise<T>
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
    let isOver = false
    let stopped = (): void => {}
    let latest: Pick<Reading<T>, 'value'> = {}
    const show = (more: Partial<Reading<T>>): void => {
      if (!isOver) setState({ of: depends, reading: { ...latest, isDone: true, stop, ...more } })
    }
    const end = (more: Partial<Reading<T>>): void => {
      show(more)
      isOver = true
    }
    const leave = (): void => {
      if (isOver) return
      isOver = true
      stopped()
    }
    const stop = (): void => {
      show({})
      leave()
    }
    show({ isDone: false })
    const turns: Turns<T> = {
      async take(value) {
        latest = { value }
        show({ isDone: false })
        await new Promise((resume) => setTimeout(resume))
        if (isOver) throw new Stopped()
      },
      onStop(stop) {
        stopped = stop
      },
      async follow(job) {
        stopped = job.stop
        while (true) {
          const { done, value } = await job.next()
          if (done) return value
          await turns.take(value)
        }
      },
    }
    read(turns).then(
      (value) => end({ value }),
      (error: unknown) => end({ error: asInspectError(error) }),
    )
    return leave
  }, depends)
  // What was read of something else is never shown as this.
  return depends.every((one, i) => one === of[i]) ? reading : NONE
}
