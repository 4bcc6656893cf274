import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { chdir, cwd } from 'node:process'
import { QUESTIONS } from '../../src/cli/questions.ts'
import { run } from '../helpers/run.ts'
import { ROOT, sessionsAnew, words } from '../helpers/sessions.ts'

/** The generated parts of the pages in docs/: sessions, and the questions of `help`. */

function pagesIn(folder: string): string[] {
  return readdirSync(`${ROOT}/${folder}`).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : []))
}

/** Pages whose calls run in the repository, independently of one another. */
export const PAGES = ['README.md', ...pagesIn('docs'), ...pagesIn('docs/layers')]
/** Pages whose calls run one after another, in a folder with the sample arrays. */
export const TUTORIALS = pagesIn('docs/tutorials')

export function textOf(page: string): string {
  return readFileSync(`${ROOT}/${page}`, 'utf8')
}

/** Matches a call that only prints, without a pipe or an output file. */
export const ONLY_PRINTS = /^tiledb-inspect [^|>]*$/

/** The page with the current output of its calls. */
export function pageAnew(page: string): Promise<string> {
  const lines = async (command: string) => (ONLY_PRINTS.test(command) ? linesOf(command) : undefined)
  return sessionsAnew(textOf(page), lines)
}

/** The lines that a call prints. */
export async function linesOf(command: string): Promise<readonly string[]> {
  const { text, stderr } = await run(words(command).slice(1))
  return split(text + stderr)
}

/** The tutorial with the current output of its calls. @param folder an empty folder, in which the calls run */
export async function tutorialAnew(page: string, folder: string): Promise<string> {
  const before = cwd()
  cpSync(`${ROOT}examples/arrays`, folder, { recursive: true })
  chdir(folder)
  try {
    return await sessionsAnew(textOf(page), async (command) => {
      const printed = command.startsWith('tiledb-inspect ') ? await printedByCall(command) : printedByShell(command)
      // Code for TileDB-Py has absolute paths.
      return split(printed.replaceAll(`${folder}/`, '/data/'))
    })
  } finally {
    chdir(before)
  }
}

async function printedByCall(command: string): Promise<string> {
  const call = command.replace(/ > \S+$/, '')
  const { text, stderr } = await run(words(call).slice(1))
  return call === command ? text + stderr : stderr
}

function printedByShell(command: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  if (status !== 0 || stderr !== '') throw new Error(`${command}: exit code ${status}, ${stderr}`)
  return stdout
}

function split(text: string): string[] {
  const lines = text.trimEnd().split('\n')
  return text === '' ? [] : lines.map((line) => line.trimEnd())
}

const HEAD = '| question | answer |\n| --- | --- |\n'

/** docs/questions.md with the questions of the program. A new question is added after the one before it. */
export function questionsAnew(page: string): string {
  const [begin, ...tables] = page.split(HEAD)
  const rows = tables.map(() => '')
  let at = 0
  for (const [question, call] of QUESTIONS) {
    const found = tables.findIndex((table) => table.includes(`| ${question} |`))
    if (found >= 0) at = found
    rows[at] += `| ${question} | \`tiledb-inspect ${call}\` |\n`
  }
  return [begin, ...tables.map((table, i) => rows[i] + table.replace(/^(?:\|.*\n)+/, ''))].join(HEAD)
}
