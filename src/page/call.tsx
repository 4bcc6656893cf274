import { useState } from 'preact/hooks'
import { shellWord } from '../base/shell-word.ts'
import { Text } from './text.tsx'

/** The words of a call as they are typed into a shell. */
function callText(words: readonly string[]): string {
  return ['tiledb-inspect', ...words].map(shellWord).join(' ')
}

/** The call that prints the same as text, to be copied. */
export function Call({ words }: { words: readonly string[] }) {
  const [told, setTold] = useState('')
  const text = callText(words)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setTold('Copied')
    } catch {
      setTold('The browser does not allow copying: select the text')
    }
  }
  return (
    <p class="call">
      <span>The same as text: </span>
      <code>
        <Text>{text}</Text>
      </code>{' '}
      <button type="button" onClick={copy}>
        Copy
      </button>{' '}
      <span role="status">{told}</span> <code>--json</code> gives it as JSON.
    </p>
  )
}
