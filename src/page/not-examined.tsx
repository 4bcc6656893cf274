import type { NotExamined as Unexamined } from '../documents/common.ts'
import { ERROR_TITLES } from './error-titles.ts'
import { PathName } from './fragment-name.tsx'
import { KeyForm } from './key-form.tsx'
import { Text } from './text.tsx'

/** The list of what could not be examined, and why. */
export function NotExamined({ errors }: { errors: readonly Unexamined[] }) {
  if (errors.length === 0) return null
  return (
    <section aria-labelledby="unexamined">
      <h3 id="unexamined">Could not be examined</h3>
      <ul>
        {errors.map(({ code, file, message }) => (
          <li key={`${code} ${file} ${message}`}>
            <strong class="bad">{ERROR_TITLES[code]}</strong> <PathName path={file ?? ''} />: <Text>{message}</Text>
          </li>
        ))}
      </ul>
      <KeyForm code={errors[0].code} />
    </section>
  )
}
