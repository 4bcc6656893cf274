import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from '@jest/globals'
import { spawned } from '../helpers/spawned.ts'
import { shortTurn } from '../helpers/turn.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
for (const signal of shortTurn(SIGNALS, 3)) {
  test(`${signal} in the midst of a write leaves nothing behind, and ends the program`, async () => {
    const folder = mkdtempSync(`${tmpdir()}/tiledb-inspect-interrupted-`)
    try {
      const args = ['write-sample', `${folder}/array`, '--cells', '2000000', '--fragments', '400', '--capacity', '500']
      const { child, ended } = spawned(args)
      // Waits until the hidden folder has files.
      while (child.exitCode === null) {
        const [hidden] = readdirSync(folder)
        if (hidden !== undefined && readdirSync(`${folder}/${hidden}`).length > 0) break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(child.exitCode).toBeNull()
      child.kill(signal)
      expect(await ended).toEqual([null, signal])
      expect(readdirSync(folder)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
