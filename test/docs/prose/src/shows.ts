import type { Prose } from '../../../../src/base/prose.ts'

// Text for people that is only shown, and decisions on codes and words. tools/prose.mjs must find nothing here: prose.test.ts asks it.

declare const finding: { code: 'A' | 'B'; meaning: Prose; found?: Prose | undefined }
declare const advice: readonly Prose[]
declare const error: Error
declare const unknown: unknown
declare const word: string
declare const list: Readonly<Record<string, number>>

export const line = `${finding.meaning}: ${finding.found ?? 'nothing'}`
export const isLeftOut = finding.found === undefined || finding.found === ''
export const isCode = finding.code === 'A' && word.startsWith('x') && word === 'y'
export const upper = advice.map((text) => text.toUpperCase()).join('; ')
export const number = list[finding.code] + list[word] + finding.meaning.length
export const shown = error instanceof RangeError ? error.message : String(unknown)
export const isAbort = error.name === 'AbortError'
// Prose: another program has no code for this.
export const isForeign = error.message === 'nothing'

export interface Typed {
  message: Prose
  expected: string
  notes: number
}
