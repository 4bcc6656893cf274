import { rmSync } from 'node:fs'
import process from 'node:process'
import { folderInMemory } from './in-memory.mjs'
import { tellTurn } from './long.mjs'
import { tellSeed } from './seed.mjs'

/** Runs before all tests. */
export default function setUp() {
  tellSeed()
  tellTurn()
  if (process.env.TMPDIR !== undefined) return
  const folder = folderInMemory()
  if (folder === undefined) return
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}
