/** What only messages of the command line have: names of options. */
const OPTIONS = [
  [/: give its key with --key or --key-file/, ''],
  [/; --memory sets another bound/, ''],
  [/ \((?:a third of --memory|--memory raises this bound)\)/, ''],
]

/** A message of the command line as the page has it. */
export function withoutOptions(message) {
  return OPTIONS.reduce((text, [option, other]) => text.replace(option, other), message)
}
