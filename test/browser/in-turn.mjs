import { describe, test as run } from 'node:test'
import { hasTurn } from '../helpers/gate-turn.mjs'

/** The gate runs one in so many of the tests of each file. */
export const SHARE = 2

let place = 0

export { describe }

/** `test` of Node, for the tests in a browser: those that another turn of the gate runs are skipped. */
export function test(name, work) {
  return run(name, { skip: !hasTurn(place++, SHARE) && 'its turn is another one' }, work)
}
