import { type ComponentChild, createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import { ERROR_TITLES } from './error-titles.ts'
import { KeyForm } from './key-form.tsx'
import { Text } from './text.tsx'

/** The result of a load; undefined until it is there. */
export type Loaded<T> = { value: T } | { error: InspectError } | undefined

/** Loads something, and loads it again when one of `depends` changes. The old result stays until the new one is there. */
export function useLoaded<T>(load: () => Promise<T>, depends: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(undefined)
  useWork((isWanted) => {
    load().then(
      (value) => isWanted() && setLoaded({ value }),
      (error: unknown) => isWanted() && setLoaded({ error: asInspectError(error) }),
    )
  }, depends)
  return loaded
}

/** Runs work, and runs it again when one of `depends` changes. @param work gets a function that tells whether its results are still wanted */
export function useWork(work: (isWanted: () => boolean) => void, depends: readonly unknown[]): void {
  useEffect(() => {
    let isWanted = true
    work(() => isWanted)
    return () => {
      isWanted = false
    }
  }, depends)
}

/** The value of a load that succeeded; undefined before, and after an error. */
export function loadedValue<T>(loaded: Loaded<T>): T | undefined {
  return loaded && 'value' in loaded ? loaded.value : undefined
}

/** Shows what was loaded, or the error. @param what its name in the line that is shown before */
export function Shown<T>({ of, what, show }: { of: Loaded<T>; what: string; show: (value: T) => ComponentChild }) {
  if (of === undefined) return <p role="status">Reading {what} …</p>
  if ('error' in of) return <Fault error={of.error} />
  return <>{show(of.value)}</>
}

/** The function that gives a path of the storage as the user would write it. */
export const ShownPath = createContext((path: string): string => path)

/** An error in the words of a page, with a form for the key if a key is missing. */
export function Fault({ error }: { error: Pick<InspectError, 'code' | 'message' | 'at'> }) {
  const shownPath = useContext(ShownPath)
  const { file, offset, field } = error.at
  const place = [
    file && shownPath(file),
    offset === undefined ? undefined : `byte ${offset}`,
    field && `field ${field}`,
  ]
  return (
    <>
      <p class="fault" role="alert">
        <strong>{ERROR_TITLES[error.code]}</strong>{' '}
        <Text>{[...place.filter((part) => part !== undefined), error.message].join(': ')}</Text>
      </p>
      <KeyForm code={error.code} />
    </>
  )
}
