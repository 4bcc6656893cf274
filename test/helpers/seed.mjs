import { randomInt } from 'node:crypto'
import process from 'node:process'

/** The number that chooses which part of the exhaustive tests this run tries. The workers of the run get it from the environment. */
export function chosenSeed() {
  process.env.TEST_SEED ??= String(randomInt(10_000))
  return Number(process.env.TEST_SEED)
}

/** Says how to try the same part again. */
export function tellSeed() {
  const part = `TEST_SEED=${chosenSeed()} (a part of the exhaustive tests; npm run test:all tries all)`
  process.stderr.write(process.env.TEST_ALL === '1' ? 'every case of the exhaustive tests\n' : `${part}\n`)
}
