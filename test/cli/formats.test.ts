import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { COMMANDS } from '../../src/cli/commands.ts'
import { FORMATS, formatNames } from '../../src/cli/formats.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/commands.md', import.meta.url)), 'utf8')
const extensions = Object.values(FORMATS).flatMap((format) => format.extensions)

test('every format is written by a command, and an extension chooses one', async () => {
  const written = new Set<string>()
  // One after the other: jest cannot load modules that share others at once.
  for (const { load } of Object.values(COMMANDS))
    for (const name of formatNames((await load()).command)) written.add(name)
  expect(written).toEqual(new Set(formatNames()))
  expect(new Set(extensions).size).toBe(extensions.length)
})

test('docs/commands.md has the formats of every command, and each extension', () => {
  const [, names = ''] = /^\| `--format (.+?)`/m.exec(PAGE) ?? []
  const [paragraph] = PAGE.split('\n## Output into a file\n\n')[1].split('\n\n')
  const named = Array.from(paragraph.matchAll(/`\.(\w+)`/g), ([, name]) => name)
  // In one expectation, so that a new format is told of both at once.
  expect({ names: names.split('\\|'), extensions: named.toSorted() }).toEqual({
    names: formatNames({}),
    extensions: extensions.filter((one) => one !== '').toSorted(),
  })
})
