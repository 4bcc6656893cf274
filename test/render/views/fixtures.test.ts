import { readdir } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { run } from '../../helpers/run.ts'
import { shortTurn } from '../../helpers/turn.ts'

describe('every fixture', () => {
  const commands = ['schema', 'ls', 'footer', 'rtree', 'metadata', 'tiles', 'stats', 'commits', 'verify-checksums']

  test('is shown in 80 columns and in a pipe, within the width, with the exit code of its JSON', async () => {
    const key = ['--key', '0123456789abcdeF0123456789abcdeF']
    for (const version of ['1', '5', '22']) {
      const folder = `test/fixtures/${version}`
      const entries = await readdir(folder, { withFileTypes: true })
      const folders = entries.filter((entry) => entry.isDirectory())
      for (const { name } of shortTurn(folders, version === '22' ? 12 : 4)) {
        for (const command of commands) {
          const args = [command, `${folder}/${name}`, ...key]
          const { code } = await run([...args, '--json'])
          const pipe = await run(args)
          const terminal = await run(args, { columns: 80, env: { NO_COLOR: '1' } })
          expect({ args, codes: [pipe.code, terminal.code] }).toEqual({ args, codes: [code, code] })
          const wide = terminal.text
            .split('\n')
            .filter((line) => line.startsWith('│') && line.length > 80 && isNarrow(line))
          expect({ args, wide }).toEqual({ args, wide: [] })
        }
      }
    }
  })
})

/** Whether every character takes one column. */
function isNarrow(line: string): boolean {
  return /^[\x20-\x7e│…]*$/.test(line)
}
