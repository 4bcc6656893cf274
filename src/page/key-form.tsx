import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { asInspectError, type ErrorCode } from '../base/errors.ts'
import { parseKey } from '../base/key.ts'
import { encodeText } from '../format/text.ts'
import { Form } from './controls.tsx'

/** The function that opens the target again with a key. */
export const UseKey = createContext<(key: Uint8Array) => void>(() => {})

/** A form for the key of an encrypted array, if the error asks for one. The key stays in the memory of the page. */
export function KeyForm({ code }: { code: ErrorCode }) {
  const useKey = useContext(UseKey)
  const [error, setError] = useState('')
  if (code !== 'KEY_NEEDED' && code !== 'WRONG_KEY') return null
  const openWith = (values: FormData): void => {
    try {
      useKey(parseKey(encodeText(String(values.get('key'))), 'key'))
      setError('')
    } catch (fault) {
      setError(asInspectError(fault).message)
    }
  }
  return (
    <Form use={openWith}>
      <label>
        Key of the array: <input name="key" type="password" autocomplete="off" required />
      </label>{' '}
      <button type="submit">Open</button> <span role="alert">{error}</span>
    </Form>
  )
}
