import type { NotExamined as Errors } from '../documents/common.ts'
import { KeyForm } from './key-form.tsx'
import { pageWords, WRONG } from './page-words.ts'
import { Text } from './text.tsx'

/** What could not be looked at, and why. */
export function NotExamined({ errors }: { errors: readonly Errors[] }) {
  if (errors.length === 0) return null
  return (
    <section aria-labelledby="unexamined">
      <h3 id="unexamined">Could not be examined</h3>
      <ul>
        {errors.map(({ code, file, message }) => (
          <li key={`${code} ${file} ${message}`}>
            <strong class="bad">{WRONG[code]}</strong> <Text>{file ?? ''}</Text>: <Text>{pageWords(message)}</Text>
          </li>
        ))}
      </ul>
      <KeyForm code={errors[0].code} />
    </section>
  )
}
