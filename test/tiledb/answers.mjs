/**
 * Runs many calls of the command line in one process: `node --import …/register.mjs answers.mjs CALLS`. CALLS is a file of JSON: a list of
 * lists of words. Prints one line of JSON for each call: its exit code, what it prints, and its complaints.
 */
import { readFileSync } from 'node:fs'

const { run } = await import('../helpers/run.ts')

for (const words of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const { code, text, stderr } = await run(words)
  console.log(JSON.stringify({ code, text, stderr }))
}
