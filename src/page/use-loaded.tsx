import { type ComponentChild, createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import { KeyForm } from './key-form.tsx'
import { pageWords, WRONG } from './page-words.ts'
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

/** A path of the storage as the user would write it. */
export const ShownPath = createContext((path: string): string => path)

/** An error in the words of a page. */
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
        <strong>{WRONG[error.code]}</strong>{' '}
        <Text>{[...place.filter((part) => part !== undefined), pageWords(error.message)].join(': ')}</Text>
      </p>
      <KeyForm code={error.code} />
    </>
  )
}
