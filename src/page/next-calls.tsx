import type { OverviewDocument } from '../documents/overview.ts'
import { Text } from './text.tsx'

/** The commands to continue with. */
export function Next({ next }: Pick<OverviewDocument, 'next'>) {
  if (next.length === 0) return null
  return (
    <section aria-labelledby="next">
      <h3 id="next">What to do next</h3>
      <ul>
        {next.map(({ shows, command }) => (
          <li key={command}>
            {shows}:{' '}
            <code>
              <Text>{command}</Text>
            </code>
          </li>
        ))}
      </ul>
    </section>
  )
}
