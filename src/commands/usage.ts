import { didYouMean } from '../nearest.ts'

/** What commander says of a wrong command line, in one line and in our words, the nearest right word with it. */
export function usageMessage(message: string, command: string | undefined): string {
  const text = message.replace(/^error: /, '')
  const choice = /^option '([^' ]+)(?: [^']*)?' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(text)
  if (choice) {
    const [, option, found, choices] = choice
    return `${option} expects ${choices}, found ${JSON.stringify(found)}${didYouMean(found, choices.split(', '))}`
  }
  const suggestion = /^(.*)\n\(Did you mean (.*)\?\)$/s.exec(text)
  if (suggestion) return `${suggestion[1]}; did you mean ${suggestion[2]}?`
  if (text.startsWith('missing required argument') && command !== undefined) {
    return `${text}; tiledb-inspect ${command} --help has examples`
  }
  return text
}
