import { expect, test } from '@jest/globals'
import { formatNames } from '../../src/cli/formats.ts'
import { run } from '../helpers/run.ts'

/** The formats of a command that gives neither cells nor findings. */
const NAMES = formatNames({}).join(', ')

/** Wrong calls, and what each is told. */
test.each([
  ['frobnicate', 'unknown command or no such file or folder: frobnicate'],
  ['lss', "unknown command 'lss'; did you mean ls?"],
  ['tils', "unknown command 'tils'; did you mean one of tile, tiles?"],
  ['helo', "unknown command 'helo'; did you mean help?"],
  ['hexdump x', "unknown command 'hexdump'; dump shows every byte, and what it means"],
  ['help xxd', "unknown command 'xxd'; dump shows every byte, and what it means"],
  [`${'0123456789abcdef'.repeat(4)}`, 'unknown command or no such file or folder: …'],

  ['ls --nothing-like-it a', "unknown option '--nothing-like-it'"],
  ['ls -x a', "unknown option '-x'"],
  ['ls -qx a', "unknown option '-qx'"],
  ['ls - --bad', "unknown option '--bad'"],
  ['--nothing-like-it', "unknown option '--nothing-like-it'"],
  ['read a --limt 3', "unknown option '--limt'; did you mean --limit?"],
  ['read a --limt=3', "unknown option '--limt'; did you mean --limit?"],
  ['read a --fld x', "unknown option '--fld'; did you mean one of --field, --full?"],
  ['read a --halp', "unknown option '--halp'; did you mean --help?"],
  ['read a --versio', "unknown option '--versio'; did you mean --version?"],
  ['ls --csv a', "unknown option '--csv'; --format csv"],
  ['ls --csv=x a', "unknown option '--csv'; --format csv"],
  ['-n 3 a', "unknown option '-n'; --limit n shows the first cells"],
  [`ls --${'0123456789abcdef'.repeat(4)} a`, "unknown option '…'"],
  ['read a --json=1', '--json takes no value'],
  ['overview --full=1 a', '--full takes no value'],

  ['read a --limit', "option '--limit <n>' argument missing"],
  ['--format', "option '--format <format>' argument missing"],
  ['ls a -o', "option '-o, --output <file>' argument missing"],
  ['recover a', "required option '--to <dir>' not specified"],
  ['ls a --format=x', `--format expects ${NAMES}, found "x"`],
  ['ls a --format jsn', `--format expects ${NAMES}, found "jsn"; did you mean "json"?`],
  [`ls a --format ${'0123456789abcdef'.repeat(4)}`, `--format expects ${NAMES}, found "…"`],
  ['ls a --color allways', '--color expects auto, always, never, found "allways"; did you mean "always"?'],

  ['ls', "missing required argument 'target'; tiledb-inspect ls --help has examples"],
  ['ls --', "missing required argument 'target'; tiledb-inspect ls --help has examples"],
  ['diff a', "missing required argument 'b'; tiledb-inspect diff --help has examples"],
  ['--quiet', "missing required argument 'target'; tiledb-inspect overview --help has examples"],
  ['diff a b c', 'diff expects 2 arguments, found 3'],
  ['history a b', 'history expects 1 argument, found 2'],
])('%s', async (call, message) => {
  expect(await run(call.split(' '))).toMatchObject({ code: 2, text: '', stderr: `error: ${message}\n` })
})

test('a value with a line end or quotes is shown escaped', async () => {
  const { stderr } = await run(['ls', 'a', '--format', 'it\'s\n"x"'])
  expect(stderr).toBe(`error: --format expects ${NAMES}, found "it's\\n\\"x\\""\n`)
})

test('without a command the help is printed', async () => {
  const { code, text, stderr } = await run([])
  expect([code, text]).toEqual([2, ''])
  expect(stderr).toContain('Usage: tiledb-inspect <target>')
})
