import { hasCode } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import type { Outcome } from '../calls/outcome.ts'

/** A call of a command. */
export interface Call {
  name: string
  /** The target, or the targets of a command that gets all at once; then other arguments. */
  args: readonly string[]
  options: object
  /** Keys of the command's own options that the user gave: those that not every command has. */
  given(): string[]
}

/** Commands that open no target, and would take one of GenomicsDB for what it is not. */
const OPENING_NONE = new Set(['why'])

/**
 * The outcomes of a command. If it refuses a target that is of GenomicsDB, what the program does with that comes instead. Nothing is looked
 * at, and nothing loaded, before a target was refused.
 */
export async function* outcomesOf(
  cx: CommandContext,
  call: Call,
  outcomes: AsyncGenerator<Outcome>,
): AsyncGenerator<Outcome> {
  const [first] = call.args
  if (OPENING_NONE.has(call.name) && first !== undefined) {
    const { genomicsdbOutcomes } = await import('./genomicsdb-commands.ts')
    const instead = await genomicsdbOutcomes(cx, call, cx.internalPath(first))
    if (instead) return yield* instead
  }
  try {
    for await (const outcome of outcomes) {
      const instead = outcome.kind === 'error' ? await insteadOf(cx, call, outcome.error) : undefined
      if (instead) yield* instead
      else yield outcome
    }
  } catch (error) {
    const instead = await insteadOf(cx, call, error)
    if (!instead) throw error
    yield* instead
  }
}

async function insteadOf(cx: CommandContext, call: Call, error: unknown): Promise<AsyncGenerator<Outcome> | undefined> {
  if (!hasCode(error, 'UNSUPPORTED_VERSION', 'NOT_TILEDB') || error.at.file === undefined) return undefined
  const { genomicsdbOutcomes } = await import('./genomicsdb-commands.ts')
  return genomicsdbOutcomes(cx, call, error.at.file)
}
