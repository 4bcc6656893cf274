import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { type DirectoryHandle, folderStorage } from '../../src/storage/folder-storage.ts'
import type { Entry } from '../../src/storage/source.ts'
import { failureOf } from '../helpers/failure.ts'
import { temporaryFolder } from '../helpers/folders.ts'

/*
 * A listing is of one state, however many steps it takes. The folder of these tests has the names of some numbers in a row: the writer makes
 * the next one, then removes the first. So in each state there are WIDTH or WIDTH + 1 names, without a gap.
 */

const WIDTH = 2000
const top = temporaryFolder()

const nameOf = (number: number): string => `__${String(number).padStart(9, '0')}`

/** Whether a listing is of a state that there was. */
function isState(entries: readonly Entry[], width = WIDTH): boolean {
  const [first] = entries
  const from = Number(first?.name.slice(2))
  const hasGap = entries.some(({ name }, i) => name !== nameOf(from + i))
  return !hasGap && (entries.length === width || entries.length === width + 1)
}

/** Works in bursts, as a program that writes. Its first argument is the folder, its second the number of names. */
const WRITER = `
  const { rmSync, writeFileSync } = require('node:fs')
  const [folder, width] = [process.argv[1], Number(process.argv[2])]
  const path = (number) => folder + '/__' + String(number).padStart(9, '0')
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let i = width; i < width + 1e6; i++) {
    writeFileSync(path(i), '')
    rmSync(path(i - width))
    if (i % 100 === 0) Atomics.wait(pause, 0, 0, 60)
    if (process.ppid === 1) process.exit()
  }`

test('a local folder, while another process makes and removes names', async () => {
  const folder = `${top}/moving`
  mkdirSync(folder)
  for (let i = 0; i < WIDTH; i++) writeFileSync(`${folder}/${nameOf(i)}`, '')
  const writer = spawn(process.execPath, ['-e', WRITER, folder, String(WIDTH)], { stdio: 'ignore' })
  const ended = new Promise((resolve) => writer.on('exit', resolve))
  const wrong: string[][] = []
  let [answers, last] = [0, '']
  try {
    for (const end = Date.now() + 2500; Date.now() < end; ) {
      // The clock goes on between two listings.
      await new Promise((resolve) => setTimeout(resolve, 1))
      const entries = await localFiles.list(folder).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'CHANGED_WHILE_READ', at: { file: folder } })
      })
      if (!entries) continue
      if (!isState(entries)) wrong.push(entries.map(({ name }) => name))
      if (entries[0]?.name !== last) answers++
      last = entries[0]?.name ?? ''
    }
  } finally {
    writer.kill('SIGKILL')
    await ended
  }
  expect(wrong.map(({ length }) => length)).toEqual([])
  expect(answers).toBeGreaterThan(1)
})

describe('a folder in a browser, which is listed step by step', () => {
  /** A folder of which `slides` names come and go at the end of each step of `step` names. */
  const storageOf = (slides: (step: number) => number, width: number) => {
    let [from, steps] = [0, 0]
    const folder: DirectoryHandle = {
      name: 'folder',
      async *values() {
        for (let name = from; name < from + width; ) {
          // A name that is gone is not there, and one that comes has its turn.
          const step = Array.from({ length: Math.min(50, from + width - name) }, (_, i) => nameOf(name + i))
          for (const one of step) yield { kind: 'file', name: one }
          name += step.length
          from += slides(steps++)
          name = Math.max(name, from)
        }
      },
      getDirectoryHandle: async () => folder,
      getFileHandle: async () => Promise.reject(new DOMException('It is gone.', 'NotFoundError')),
    }
    return folderStorage(folder)
  }

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('that is changed in its step %d', async (changed) => {
    const entries = await storageOf((step) => (step === changed ? 7 : 0), 200).list('folder')
    expect(isState(entries, 200)).toBe(true)
  })

  test('that is changed all the time', async () => {
    const { code, at } = await failureOf(() => storageOf((step) => (step % 4 === 2 ? 7 : 0), 200).list('folder'))
    expect({ code, at }).toEqual({ code: 'CHANGED_WHILE_READ', at: { file: 'folder' } })
  })
})
