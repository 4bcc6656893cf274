import { readFileSync } from 'node:fs'
import process from 'node:process'
import { attempt } from '../base/errors.ts'
import { decodeText, encodeText } from '../format/text.ts'
import { REPLACED } from './file.ts'

/**
 * The arguments of the program. Node turns bytes that are not UTF-8 into U+FFFD, and keeps nothing else of them. Linux still has the
 * bytes of all arguments. Elsewhere such a path cannot be given, but macOS has no such names.
 */
export function programArguments(): string[] {
  const words = process.argv.slice(2)
  if (!words.some((word) => word.includes(REPLACED))) return words
  const bytes = attempt(() => readFileSync('/proc/self/cmdline'))
  // Each argument ends with a zero byte. The program's own are the last.
  const parts = bytes?.toString('latin1').split('\0').slice(0, -1).slice(-words.length)
  const exact = parts?.map((part) => decodeText(Buffer.from(part, 'latin1')))
  // Arguments that a test or a loader has changed are others.
  const isSame = exact?.length === words.length && exact.every((word, i) => shown(word) === words[i])
  return exact && isSame ? exact : words
}

/** The text as Node shows it: what is not UTF-8 is replaced. */
function shown(text: string): string {
  return text.isWellFormed() ? text : Buffer.from(encodeText(text)).toString()
}
