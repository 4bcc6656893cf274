import type { CommandModule } from '../calls/command.ts'

/** The description of a command in its help. */
export function aboutText({ about }: CommandModule<never>, summary: string): string {
  return about === undefined ? summary : `${summary}\n\n${about}`
}

const ARRAYS = `
places and weather: arrays in examples/arrays of the package (npm root -g);
a fragment may be given by the beginning of its name.`

/** The examples at the end of a command's help. */
export function examplesText({ examples }: CommandModule<never>): string {
  const lines = examples.flatMap(([what, call]) => [`  ${what}:`, `    tiledb-inspect ${call}`])
  const usesArrays = examples.some(([, call]) => /places|weather/.test(call))
  return ['', 'Examples:', ...lines, ...(usesArrays ? [ARRAYS] : [])].join('\n')
}
