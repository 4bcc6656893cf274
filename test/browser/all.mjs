import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { tellShare } from '../helpers/gate-turn.mjs'
import { SHARE } from './in-turn.mjs'

/**
 * Runs the tests in a browser, as many files at a time as there are processors: all, or those that are named.
 *
 *     node --import ./test/fuzz/register.mjs test/browser/all.mjs [FILE…]
 */

/** These take longest, so they begin first: `node --test` goes by the alphabet, and the longest then runs alone at the end. */
const FIRST = ['pages.mjs', 'page-drawings.mjs', 'page-engine.mjs', 'page-picture.mjs']

const folder = import.meta.dirname
const others = readdirSync(folder).filter((name) => /^(?:run|page-\w+)\.mjs$/.test(name) && !FIRST.includes(name))
const named = process.argv.slice(2)
const files = named.length > 0 ? named : [...FIRST, ...others].map((name) => join(folder, name))

tellShare(SHARE, 'tests of each file')
run({ files, concurrency: availableParallelism() })
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(new spec())
  .pipe(process.stdout)
