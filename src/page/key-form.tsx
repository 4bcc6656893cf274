import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { asInspectError, type ErrorCode } from '../base/errors.ts'
import { parseKey } from '../base/key.ts'
import { encodeText } from '../format/text.ts'

/** Opens the target again with a key. */
export const UseKey = createContext<(key: Uint8Array) => void>(() => {})

/** Asks for the key of an encrypted array where an error says that it is needed. The key stays in the memory of the page. */
export function KeyForm({ code }: { code: ErrorCode }) {
  const use = useContext(UseKey)
  const [wrong, setWrong] = useState('')
  if (code !== 'KEY_NEEDED' && code !== 'WRONG_KEY') return null
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const text = new FormData(event.currentTarget as HTMLFormElement).get('key')
    try {
      use(parseKey(encodeText(String(text)), 'key'))
      setWrong('')
    } catch (fault) {
      setWrong(asInspectError(fault).message)
    }
  }
  return (
    <form onSubmit={submit}>
      <label>
        Key of the array: <input name="key" type="password" autocomplete="off" required />
      </label>{' '}
      <button type="submit">Open</button> <span role="alert">{wrong}</span>
    </form>
  )
}
