import type { Prose } from '../../../../src/base/prose.ts'

// Decisions on text for people. tools/prose.mjs must find the lines that say so: prose.test.ts asks it.

declare const finding: { code: 'A' | 'B'; meaning: Prose; found?: Prose | undefined }
declare const draft: { lost: Set<Prose> }
declare const advice: readonly Prose[]
declare const error: Error
declare const word: string
declare const told: Set<string>
declare const list: Readonly<Record<string, number>>

export const begins = finding.meaning.startsWith('nothing') // found
export const parsed = /^expected (.*)/.exec(error.message) // found
export const lost = [...draft.lost].some((text) => !text.startsWith('nothing')) // found
export const called = advice.some((text) => text.startsWith('tiledb.consolidate(')) // found
export const cut = finding.found?.split(',')[0] // found
export const same = finding.meaning === 'nothing' // found
const key = `${finding.code} ${finding.meaning}`
export const known = told.has(key) // found
export const trimmed = ({ meaning }: typeof finding) => meaning.trim().endsWith('!') // found
export const destructured = ({ message }: RangeError) => message.includes('memory') // found
export const first = finding.meaning[0] === 'n' // found
export const firstOf = finding.meaning.charAt(0) < 'n' // found
export const number = list[finding.meaning] // found
export const matched = (finding.found ?? '').match(/x/) // found
export const ofAny = /memory/.test(String(error)) // found
export const joined = `note: ${finding.meaning}`.indexOf(word) // found

export function which({ meaning }: typeof finding): number {
  switch (
    meaning // found
  ) {
    case 'nothing':
      return 1
    default:
      return 2
  }
}

export interface Untyped {
  message: string // found
  notes?: readonly string[] | undefined // found
  lost: Set<string> // found
}
