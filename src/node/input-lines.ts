import process from 'node:process'
import { createInterface } from 'node:readline'

/** The lines of standard input, until its end. */
export function inputLines(): AsyncIterable<string> {
  return createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
}
