import { useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import type { Job } from './job.ts'

/** The state of a read that shows intermediate results. */
export interface ReadState<T> {
  value?: T
  isDone: boolean
  /** The error that ended the read. */
  error?: InspectError
  stop(): void
}

/** The calls by which a read shows its progress. */
interface Progress<T> {
  /** Shows a result, and lets the browser draw and take clicks. @throws Stopped if nobody wants the rest */
  show(value: T): Promise<void>
  /** Sets what is called when nobody wants the rest. */
  onStop(stop: () => void): void
  /** Shows the results of a task as they come. @returns the last one */
  follow(job: Job<T>): Promise<T>
}

/** Thrown into a read that nobody wants any more. */
class Stopped extends Error {}

const NONE = { isDone: false, stop() {} }

/** Reads something step by step while the page stays usable. Reads it again when one of `depends` changes. */
export function useReading<T>(read: (progress: Progress<T>) => Promise<T>, depends: readonly unknown[]): ReadState<T> {
  const [{ of, reading }, setState] = useState<{ of: readonly unknown[]; reading: ReadState<T> }>({
    of: [],
    reading: NONE,
  })
  useEffect(() => {
    let isOver = false
    let stopRead = (): void => {}
    let latest: Pick<ReadState<T>, 'value'> = {}
    const update = (more: Partial<ReadState<T>>): void => {
      if (!isOver) setState({ of: depends, reading: { ...latest, isDone: true, stop, ...more } })
    }
    const end = (more: Partial<ReadState<T>>): void => {
      update(more)
      isOver = true
    }
    const leave = (): void => {
      if (isOver) return
      isOver = true
      stopRead()
    }
    const stop = (): void => {
      update({})
      leave()
    }
    update({ isDone: false })
    const progress: Progress<T> = {
      async show(value) {
        latest = { value }
        update({ isDone: false })
        await new Promise((resume) => setTimeout(resume))
        if (isOver) throw new Stopped()
      },
      onStop(stop) {
        stopRead = stop
      },
      async follow(job) {
        stopRead = job.stop
        while (true) {
          const { done, value } = await job.next()
          if (done) return value
          await progress.show(value)
        }
      },
    }
    read(progress).then(
      (value) => end({ value }),
      (error: unknown) => end({ error: asInspectError(error) }),
    )
    return leave
  }, depends)
  // After a change of `depends`, the state is still that of the old read until the effect runs.
  return depends.every((one, i) => one === of[i]) ? reading : NONE
}
