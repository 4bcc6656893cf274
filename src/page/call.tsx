import { useState } from 'preact/hooks'
import { shellWord } from '../base/shell-word.ts'
import { Button } from './controls.tsx'
import { Text } from './text.tsx'

/** The call that prints the same as text, with a button that copies it. @param words the words after `tiledb-inspect` */
export function Call({ words }: { words: readonly string[] }) {
  const [outcome, setOutcome] = useState('')
  const text = ['tiledb-inspect', ...words].map(shellWord).join(' ')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('Copied')
    } catch {
      setOutcome('The browser does not allow copying: select the text')
    }
  }
  return (
    <p class="call">
      <span>The same as text: </span>
      <code>
        <Text>{text}</Text>
      </code>{' '}
      <Button onClick={copy}>Copy</Button> <span role="status">{outcome}</span> <code>--json</code> gives it as JSON.
    </p>
  )
}
