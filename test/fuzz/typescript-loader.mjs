import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'

/** The package's own name leads to its sources; what tests import of jest, to what its runner made. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals')
    return { url: new URL('../helpers/globals.mjs', import.meta.url).href, shortCircuit: true }
  const match = /^tiledb-inspect(?:\/(format|browser))?$/.exec(specifier)
  if (!match) return next(specifier, context)
  const [, entry = 'index'] = match
  return { url: new URL(`../../src/${entry}.ts`, import.meta.url).href, shortCircuit: true }
}

export async function load(url, context, next) {
  // The runner of the tests adds a query to the names of their files.
  if (!/\.ts(\?|$)/.test(url)) return next(url, context)
  const path = fileURLToPath(url)
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'))
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return { format: 'module', source: code, shortCircuit: true }
}
