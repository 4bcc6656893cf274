import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { gzipSync } from 'node:zlib'

/** Makes dist/man/tiledb-inspect.1.gz, the manual page that npm installs, from the help of the program and of each command. */

const COMMON = 'Options of every command:'
/** Separates the help texts of the calls. No help text contains it. */
const END = '\f'

/** Runs the built program once, and returns the help text of each call. */
function helps(calls) {
  const script = `const { run } = require('./dist/cli/main.cjs')
    ;(async () => {
      for (const call of ${JSON.stringify(calls)}) {
        process.argv.splice(1, Infinity, 'tiledb-inspect', ...call, '--help')
        await run()
        require('fs').writeSync(1, '${END}')
      }
    })()`
  const { status, stdout } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: {},
    maxBuffer: 2 ** 24,
  })
  if (status !== 0) throw new Error(`the help of the program ended with ${status}`)
  return stdout.split(END).slice(0, -1)
}

/** Paragraphs and lists of a help: a heading alone on its line begins a part. */
function parts(help) {
  const found = [{ heading: '', lines: [] }]
  for (const line of help.trim().split('\n')) {
    if (/^[A-Z][\w ]*:$/.test(line)) found.push({ heading: line, lines: [] })
    else found.at(-1).lines.push(line)
  }
  return found
}

/** As roff reads it: in ASCII, and no line of it a request. */
const escaped = (text) =>
  text
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/^(?=[.'])/gm, '\\&')
    .replace(/[^\0-~]/gu, (character) => `\\[u${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
const asIs = (lines) => [
  '.nf',
  ...escaped(lines.join('\n').replace(/^\n+|\n+$/g, ''))
    .split('\n')
    .map((line) => line || '.sp'),
  '.fi',
]
const textOf = (lines) =>
  lines
    .join('\n')
    .trim()
    .split(/\n{2,}/)
    .flatMap((paragraph, i) => [...(i > 0 ? ['.PP'] : []), ...asText(paragraph)])
/** Indented lines are tables or examples. */
const asText = (paragraph) => (/^ /m.test(paragraph) ? asIs(paragraph.split('\n')) : escaped(paragraph).split('\n'))

/** Entries of a list: a name, and a text that goes on in lines indented further. */
function entries(lines) {
  const found = []
  for (const line of lines) {
    const [, name, text] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? []
    if (name !== undefined) found.push({ name, text: [text ?? ''] })
    else if (line.trim()) found.at(-1)?.text.push(line.trim())
  }
  return found.flatMap(({ name, text }) => [
    '.TP',
    `\\fB${escaped(name)}\\fR`,
    ...escaped(text.join('\n').trim()).split('\n'),
  ])
}

function commandPart(name, help) {
  const [{ lines: usage }, ...lists] = parts(help)
  const about = usage.slice(usage.indexOf(''))
  const rest = lists.filter(({ heading }) => heading !== COMMON)
  return [
    `.SS ${escaped(name)}`,
    ...textOf(about),
    ...rest.flatMap(({ heading, lines }) => [
      '.PP',
      `\\fI${escaped(heading.slice(0, -1))}\\fR`,
      ...(/^(Arguments|Options)/.test(heading)
        ? entries(lines.filter((line) => !/^ {2}-h, --help /.test(line)))
        : asIs(lines)),
    ]),
  ]
}

export function buildMan() {
  const { version, description } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [help] = helps([[]])
  const [first, ...lists] = parts(help)
  const groups = lists.filter(({ heading }) => !/^(Options|Questions):$/.test(heading))
  const names = groups.flatMap(({ lines }) => lines.flatMap((line) => /^ {2}([a-z][a-z-]*) {2}/.exec(line)?.[1] ?? []))
  const ofCommands = helps(names.map((name) => [name]))
  const blank = first.lines.indexOf('')
  const common = parts(ofCommands[0]).find(({ heading }) => heading === COMMON)
  const page = [
    `.TH TILEDB\\-INSPECT 1 "" "tiledb\\-inspect ${version}"`,
    '.SH NAME',
    `tiledb\\-inspect \\- ${escaped(description)}`,
    '.SH SYNOPSIS',
    ...asIs(first.lines.slice(0, blank).map((line) => line.replace(/^(Usage:)? +/, '').replace(/^Usage: /, ''))),
    '.SH DESCRIPTION',
    ...textOf(first.lines.slice(blank)),
    ...groups.flatMap(({ heading, lines }) => ['.PP', `\\fI${escaped(heading.slice(0, -1))}\\fR`, ...entries(lines)]),
    '.SH OPTIONS OF EVERY COMMAND',
    ...entries(common.lines),
    '.SH QUESTIONS AND EXIT CODES',
    ...asIs(lists.find(({ heading }) => heading === 'Questions:').lines),
    '.SH COMMANDS',
    ...names.flatMap((name, i) => commandPart(name, ofCommands[i])),
  ]
  mkdirSync('dist/man', { recursive: true })
  writeFileSync('dist/man/tiledb-inspect.1.gz', gzipSync(`${page.join('\n')}\n`, { level: 9 }))
}
