import { randomInt } from 'node:crypto'
import process from 'node:process'

/** Chooses which part of the exhaustive tests this run tries, and prints how to try the same part again. */
export default function chooseSeed() {
  if (process.env.TEST_ALL === '1') {
    process.stderr.write('every case of the exhaustive tests\n')
    return
  }
  process.env.TEST_SEED ??= String(randomInt(10_000))
  process.stderr.write(
    `TEST_SEED=${process.env.TEST_SEED} (a part of the exhaustive tests; npm run test:all tries all)\n`,
  )
}
