import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/*
 * The longest checks take turns, so that the gate ends within 20 minutes on two processors: the gate of one commit runs some of them, the
 * gates of the next commits run the others. `.ci/run` sets GATE_TURN, the number that chooses. Without it, and with `GATE=all .ci/run`, all
 * of them run.
 *
 *     node test/helpers/gate-turn.mjs                prints the number for this commit
 *     node test/helpers/gate-turn.mjs SHARE NAME…    prints one in SHARE of the names, with commas between them
 */

/** Number of the turn, or null if all checks run. */
export const TURN = process.env.GATE_TURN ? Number(process.env.GATE_TURN) : null

/**
 * Number of the turn of a commit: how many commits lead to it, so that commits in a row run everything. A clone may have the last commits only:
 * then the number comes from the hash of the commit. Undefined for a folder without git.
 *
 * @param folder a work tree
 */
export function turnOfCommit(folder) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : undefined
  }
  const hash = git('rev-parse', 'HEAD')
  if (hash === undefined) return undefined
  const isShallow = git('rev-parse', '--is-shallow-repository') === 'true'
  return isShallow ? Number.parseInt(hash.slice(0, 6), 16) : Number(git('rev-list', '--count', 'HEAD'))
}

/** Whether the case at this place of a list has its turn. Of each `share` turns in a row, one has it. */
export function hasTurn(place, share, turn = TURN) {
  return turn === null || (place + turn) % share === 0
}

/** One in `share` of the cases, or all if no turn is given. */
export function drawn(cases, share, turn = TURN) {
  return cases.filter((_, i) => hasTurn(i, share, turn))
}

/** Says what a run leaves to the others, if it does. */
export function tellShare(share, what) {
  if (TURN !== null) process.stderr.write(`one in ${share} of the ${what}, turn ${TURN}; GATE=all .ci/run runs all\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [share, ...names] = process.argv.slice(2)
  if (share === undefined) process.stdout.write(`${turnOfCommit('.') ?? ''}\n`)
  else {
    tellShare(share, `${names.length} parts`)
    process.stdout.write(`${drawn(names, Number(share)).join(',')}\n`)
  }
}
