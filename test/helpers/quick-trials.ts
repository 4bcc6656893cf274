import { ROUNDS } from '../../src/whatif/trial.ts'
import { tries } from './turn.ts'

/** Makes `whatif` measure speeds once: only the gate measures them as often as the program does. Nothing but their print depends on them. */
export function quickTrials(): void {
  ROUNDS.least = tries(1, ROUNDS.least)
  ROUNDS.most = tries(1, ROUNDS.most)
}
