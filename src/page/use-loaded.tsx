import type { ComponentChild } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import { KeyForm } from './key-form.tsx'
import { Text } from './text.tsx'

/** Something that is being read: undefined until it is there. */
export type Loaded<T> = { value: T } | { error: InspectError } | undefined

/** Reads something, and again when one of `depends` changes. The last value stays until the next is there. */
export function useLoaded<T>(load: () => Promise<T>, depends: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(undefined)
  useEffect(() => {
    let isLatest = true
    load().then(
      (value) => isLatest && setLoaded({ value }),
      (error: unknown) => isLatest && setLoaded({ error: asInspectError(error) }),
    )
    return () => {
      isLatest = false
    }
  }, depends)
  return loaded
}

/** Shows what was loaded, or why it could not be. */
export function Shown<T>(props: { of: Loaded<T>; what: string; show: (value: T) => ComponentChild }) {
  const { of, what, show } = props
  if (of === undefined) return <p role="status">Reading {what} …</p>
  if ('error' in of) return <Fault error={of.error} />
  return <>{show(of.value)}</>
}

/** An error as the command line prints it. */
export function Fault({ error }: { error: InspectError }) {
  const { file, offset, field } = error.at
  const place = [file, offset === undefined ? undefined : `byte ${offset}`, field && `field ${field}`]
  return (
    <>
      <p class="fault" role="alert">
        <strong>{error.code}</strong>{' '}
        <Text>{[...place.filter((part) => part !== undefined), error.message].join(': ')}</Text>
      </p>
      <KeyForm code={error.code} />
    </>
  )
}
