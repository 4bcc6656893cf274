import type { OverviewDocument } from '../documents/overview.ts'
import { PathName } from './fragment-name.tsx'
import { Text } from './text.tsx'

/** Findings in words. */
export function FindingList({ findings }: { findings: OverviewDocument['findings'] }) {
  return (
    <ul>
      {findings.map((one) => (
        <li key={`${one.code} ${one.meaning}`}>
          <span class={`severity ${one.severity}`}>{one.severity}</span> <PathName path={one.file} />:{' '}
          <Text>{one.message}</Text>. <Text>{one.meaning}</Text>
        </li>
      ))}
    </ul>
  )
}
