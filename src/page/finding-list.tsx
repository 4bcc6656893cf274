import type { OverviewDocument } from '../documents/overview.ts'
import { Text } from './text.tsx'

/** Findings in words. */
export function FindingList({ findings }: { findings: OverviewDocument['findings'] }) {
  return (
    <ul>
      {findings.map((one) => (
        <li key={`${one.code} ${one.meaning}`}>
          <span class={`severity ${one.severity}`}>{one.severity}</span> <Text>{one.file}</Text>:{' '}
          <Text>{one.message}</Text>. <Text>{one.meaning}</Text>
        </li>
      ))}
    </ul>
  )
}
