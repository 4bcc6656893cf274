import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { env, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect } from '@jest/globals'
import type { PlanDocument, PlanLine } from '../../src/documents/plan.ts'
import type { PlanStep } from '../../src/mend/shell.ts'
import type { Way } from '../../src/mend/ways.ts'
import { FIXTURES } from './fixtures.ts'
import { filesBelow, temporaryFolder } from './folders.ts'
import { run } from './run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Ways whose steps need the built program. */
export const BY_PROGRAM: readonly Way[] = existsSync(`${ROOT}dist/cli`)
  ? []
  : ['recover', 'statistics', 'drop', 'rewrite']
/** What check finds in 22/commits_consolidated itself: TileDB vacuumed the file of its delete condition. */
export const BEFORE = ['DELETE_CONDITION_FILE']

export async function planOf(path: string, ...options: readonly string[]): Promise<PlanDocument> {
  const { text } = await run(['check', '--plan', '--level', 'cells', '--all', '--json', path, ...options])
  return JSON.parse(text)
}

export async function codesOf(path: string): Promise<string[]> {
  const { text } = await run(['check', '--level', 'cells', '--all', '--json', path])
  return (JSON.parse(text) as { findings: { code: string }[] }).findings.map(({ code }) => code)
}

export const stepsOf = (plans: readonly Pick<PlanLine, 'steps'>[]): PlanStep[] => plans.flatMap(({ steps }) => steps)
export const backOf = (plans: readonly PlanLine[]): PlanStep[] => [...plans].reverse().flatMap(({ back }) => back)

/** Every file with its bytes. */
export function content(path: string): [string, string][] {
  return [...filesBelow(path, '')].map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')])
}

export const fileOf = (path: string, part: RegExp): string => {
  const found = readdirSync(path).find((name) => part.test(name))
  if (found === undefined) throw new TypeError(`nothing in ${path} matches ${part}`)
  return `${path}/${found}`
}

/** A folder for the tests of one file, where plans are carried out. */
export function planFolder() {
  const folder = temporaryFolder()
  /** Where a shell finds the program by its name. */
  const bin = `${folder}/bin`
  mkdirSync(bin)
  writeFileSync(`${bin}/tiledb-inspect`, `#!/bin/sh\nexec "${execPath}" "${ROOT}bin/tiledb-inspect.js" "$@"\n`, {
    mode: 0o755,
  })

  /** Runs the commands of steps as they are printed. The program ends with 1 if cells are lost. */
  function runSteps(steps: readonly PlanStep[]): void {
    for (const { command } of steps) {
      if (command === undefined) continue
      const { status, stderr } = spawnSync('sh', ['-c', command], {
        encoding: 'utf8',
        env: { ...env, PATH: `${bin}:${env.PATH}` },
      })
      expect({ command, stderr: status === 1 ? '' : stderr }).toEqual({ command, stderr: '' })
      expect(status).toBeLessThanOrEqual(command.includes('tiledb-inspect') ? 1 : 0)
    }
  }

  /** The steps of all plans are run, then undone. @returns what check says in between */
  async function mendAndUndo(path: string): Promise<string[]> {
    const before = content(path)
    const { plans } = await planOf(path)
    runSteps(stepsOf(plans))
    const found = await codesOf(path)
    runSteps(backOf(plans))
    expect(content(path)).toEqual(before)
    return found
  }

  /** A copy of a fixture that tests damage in another way than write-sample does. */
  function copyOf(fixture: string, name: string): string {
    const path = `${folder}/${name}`
    cpSync(`${FIXTURES}/${fixture}`, path, { recursive: true })
    return path
  }

  return { folder, runSteps, mendAndUndo, copyOf }
}
