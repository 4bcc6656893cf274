import { run } from './run.ts'

/** Names of all commands, from the program's help. */
export async function commandNames(): Promise<string[]> {
  const { text } = await run(['--help'])
  const list = text.slice(text.indexOf('What is there:'))
  return Array.from(list.matchAll(/^ {2}([a-z-]+) {2}/gm), ([, name]) => name).filter((name) => name !== 'help')
}
