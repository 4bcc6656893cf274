import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'

/** Resolves the name of the package to its sources. */
export async function resolve(specifier, context, next) {
  const match = /^tiledb-inspect(?:\/(format|browser))?$/.exec(specifier)
  if (!match) return next(specifier, context)
  const [, entry = 'index'] = match
  return { url: new URL(`../../src/${entry}.ts`, import.meta.url).href, shortCircuit: true }
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const path = fileURLToPath(url)
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'))
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return { format: 'module', source: code, shortCircuit: true }
}
