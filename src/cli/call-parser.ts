import { Command, type Option } from 'commander'

/** What is wrong with a call, as facts. usage.ts has the words. */
export type CallFault =
  | { kind: 'unknown command'; word: string }
  | { kind: 'unknown option'; option: string }
  | { kind: 'no value'; option: Option }
  | { kind: 'other value'; option: Option; found: string; choices: readonly string[] }
  | { kind: 'option missing'; option: Option }
  | { kind: 'argument missing'; name: string }
  | { kind: 'too many arguments'; expected: number; found: number }

/** Thrown for a wrong call. */
export class WrongCall extends Error {
  override readonly name = 'WrongCall'
  readonly fault: CallFault
  /** The command that was called; the program itself if the call has no known command. */
  readonly command: Command

  constructor(command: Command, fault: CallFault) {
    super(fault.kind)
    this.command = command
    this.fault = fault
  }
}

/**
 * A command that throws {@link WrongCall}. commander would make a sentence of each fault. It calls these methods to do so; they are not in its
 * types. If a release of commander renames one, its sentence is printed, and the tests of wrong calls fail.
 */
export class CallParser extends Command {
  override createCommand(name?: string): CallParser {
    return new CallParser(name)
  }

  unknownCommand(): never {
    throw new WrongCall(this, { kind: 'unknown command', word: this.args[0] })
  }

  unknownOption(option: string): never {
    throw new WrongCall(this, { kind: 'unknown option', option })
  }

  optionMissingArgument(option: Option): never {
    throw new WrongCall(this, { kind: 'no value', option })
  }

  missingMandatoryOptionValue(option: Option): never {
    throw new WrongCall(this, { kind: 'option missing', option })
  }

  missingArgument(name: string): never {
    throw new WrongCall(this, { kind: 'argument missing', name })
  }

  _excessArguments(found: readonly string[]): never {
    const expected = this.registeredArguments.length
    throw new WrongCall(this, { kind: 'too many arguments', expected, found: found.length })
  }

  override addOption(option: Option): this {
    const choices = option.argChoices
    if (!choices) return super.addOption(option)
    return super.addOption(
      option.argParser((found: string) => {
        if (choices.includes(found)) return found
        throw new WrongCall(this, { kind: 'other value', option, found, choices })
      }),
    )
  }
}
