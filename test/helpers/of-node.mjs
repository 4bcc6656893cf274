import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const TESTS = fileURLToPath(new URL('..', import.meta.url))

/**
 * Tests of behaviour that does not depend on the release of Node: the beginning of their paths, and the reason. A run on a second
 * release leaves them out, except those that import something that differs between releases.
 */
const SAME_ON_ANY_NODE = {
  'advice/': 'what is concluded of counters',
  'anatomy/': 'what each byte of a file means',
  'cells/': 'orders and statistics of cells in memory',
  'check/': 'what is found in fixtures and in arrays damaged in memory',
  'cli/help': 'the texts of help, and commands that other tests run, too',
  'cli/jq': 'what jq makes of documents; it is a program of its own in WebAssembly',
  'commands/': 'what commands say of fixtures; how they read, unfilter and print them is tried elsewhere',
  'docs/': 'tables made of what fixtures hold',
  'explain/': 'plans of reads, computed from metadata',
  'format/generated': 'structures written and read in memory',
  'format/laws': 'structures read and written in memory',
  'fuzz/': 'structures and arrays damaged in memory',
  'golden/bit-flips': 'arrays damaged in memory',
  'golden/corpus': 'as the fixtures, which run',
  'mend/': 'plans that mend arrays; the commands that they name are tried elsewhere',
  'recover/': 'metadata computed from cells; how folders are written is tried elsewhere',
  'render/views': 'tables of text',
  'schemas/': 'which keys documents have',
  'steps/': 'histories of writes; how a sample is written is tried elsewhere',
  'tile-lists': 'lists read in parts and as a whole',
  'vectors/': 'arrays and answers that other tests write and read, too',
  'whatif/': 'sizes that filters give',
  'write-sample/damage': 'arrays damaged in memory',
  'write-sample/round-trip': 'filters that have tests of their own',
  'write-sample/schema-document': 'texts read and written',
  'write/bytes-corpus': 'as the fixtures, which run',
}

/** Imports of what differs between releases: threads, and Node's modules except those for paths and the contents of files. */
const DIFFERS = /from '(?:node:(?!fs'|os'|path'|process'|url')|.*\/threads\/)/

/** Patterns of the tests that a run on a second release of Node leaves out. */
export function sameOnAnyNode() {
  const tests = readdirSync(TESTS, { recursive: true }).filter((name) => name.endsWith('.test.ts'))
  return Object.keys(SAME_ON_ANY_NODE).flatMap((beginning) => {
    const found = tests.filter((name) => name.startsWith(beginning))
    if (found.length === 0) throw new Error(`expected tests that begin with test/${beginning}, found none`)
    return found
      .filter((name) => !DIFFERS.test(readFileSync(`${TESTS}${name}`, 'utf8')))
      .map((name) => `/test/${name.replaceAll('.', '\\.')}$`)
  })
}
