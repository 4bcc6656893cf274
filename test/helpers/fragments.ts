import { readdirSync } from 'node:fs'

/** The names of the fragments of an array, oldest first: those of one time go by the rest of their names. */
export function fragmentNames(array: string): string[] {
  return readdirSync(`${array}/__fragments`).sort()
}

/** The path of the first fragment of an array. It may be the only one. */
export function firstFragment(array: string): string {
  const [name] = fragmentNames(array)
  if (name === undefined) throw new Error(`expected a fragment in ${array}, found none`)
  return `${array}/__fragments/${name}`
}
