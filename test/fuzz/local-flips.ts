import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesBelow } from '../helpers/files-below.ts'
import { type FixtureFolder, fixtureFolders } from '../helpers/fixtures.ts'
import { get, type Json, parseJsonDocuments } from '../helpers/json.ts'
import { Random } from '../helpers/random.ts'
import { type Ran, run } from '../helpers/run.ts'

export { fixtureFolders, Random }

/** Commands that read all of an array. */
const QUESTIONS: readonly (readonly string[])[] = [
  ['verify-checksums', '--all'],
  ['verify-checksums', '--all', '--deep'],
  ['check'],
  ['check', '--level', 'cells', '--all'],
  ['ls'],
  ['stats'],
  ['commits'],
  ['footer'],
  ['metadata'],
  ['schema', '--all'],
  ['rtree'],
  ['tiles'],
  ['decode', '--all-fragments', '--raw', '--keep-going'],
]

/** A fixture on disk whose files are damaged one bit at a time. Local files use other code than files in memory. */
export class FlippedArray {
  readonly folder: FixtureFolder
  readonly path: string
  readonly files: readonly string[]
  private readonly root: string
  private readonly before = new Map<string, Ran>()

  constructor(folder: FixtureFolder) {
    this.folder = folder
    this.root = mkdtempSync(join(tmpdir(), 'tiledb-inspect-flips-'))
    this.path = join(this.root, 'array')
    cpSync(folder.path, this.path, { recursive: true })
    this.files = [...filesBelow(this.path, '')].filter(([, bytes]) => bytes.length > 0).map(([name]) => name)
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  /** Flips one bit, runs every command, and restores the bit. @returns what was wrong with the output */
  async flip(random: Random): Promise<string[]> {
    const metadata = this.files.filter((name) => name.endsWith('/__fragment_metadata.tdb'))
    const file = metadata.length > 0 && random.below(4) > 0 ? random.pick(metadata) : random.pick(this.files)
    const intact = readFileSync(this.path + file)
    const bytes = Buffer.from(intact)
    // The footer has the lengths of everything else.
    const from = random.below(3) > 0 ? Math.max(0, bytes.length - 600) : 0
    const at = from + random.below(bytes.length - from)
    const bit = random.below(8)
    const wrong: string[] = []
    for (const question of QUESTIONS) if (!this.before.has(question.join(' '))) await this.intact(question)
    bytes[at] ^= 1 << bit
    writeFileSync(this.path + file, bytes)
    try {
      for (const question of QUESTIONS) {
        const law = await this.brokenLaw(question, file)
        if (law !== undefined)
          wrong.push(`${question.join(' ')} on ${this.folder.name}: ${law}, bit ${bit} of byte ${at} of ${file}`)
      }
    } finally {
      writeFileSync(this.path + file, intact)
    }
    return wrong
  }

  private async ask(question: readonly string[]): Promise<Ran> {
    return run([question[0], this.path, ...question.slice(1), '--json'], {
      env: { TILEDB_INSPECT_KEY: this.folder.key },
    })
  }

  private async intact(question: readonly string[]): Promise<void> {
    this.before.set(question.join(' '), await this.ask(question))
  }

  private async brokenLaw(question: readonly string[], file: string): Promise<string | undefined> {
    let ran: Ran
    try {
      ran = await this.ask(question)
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
    const fault = /this is a fault of tiledb-inspect \(([^)]*)/.exec(ran.stderr + ran.text)
    if (fault) return `not an InspectError: ${fault[1]}`
    if (![0, 1, 3].includes(ran.code)) return `exit code ${ran.code}`
    const before = this.before.get(question.join(' '))
    const damaged = /__[0-9a-f_]+(?=\/[^/]*$)/.exec(file)?.[0]
    if (before && damaged !== undefined) {
      const missing = named(before).filter((name) => name !== damaged && !named(ran).includes(name))
      if (missing.length > 0) return `says nothing of ${missing.join(', ')}`
    }
    if (question[0] === 'verify-checksums') {
      const of = (one: Ran): string => String(get(parseJsonDocuments(one.text)[0], 'fragment_num'))
      if (before && damaged !== undefined && of(before) !== of(ran)) return `${of(ran)} fragments of ${of(before)}`
      const parts: Json[] = []
      for (const shard of ['1/3', '2/3', '3/3'])
        parts.push(...parseJsonDocuments((await this.ask([...question, '--shard', shard])).text))
      const whole = said(parseJsonDocuments(ran.text))
      const sum = said(parts)
      if (JSON.stringify(whole) !== JSON.stringify(sum)) return `shards find ${sum.length}, one run ${whole.length}`
    }
    return undefined
  }
}

/** Names of the fragments in a document. */
function named({ text, stderr }: Ran): string[] {
  return [...new Set((text + stderr).match(/__\d+_\d+_[0-9a-f]{32}_\d+|__[0-9a-f]{32}_\d+(?=[^0-9a-f_])/g) ?? [])]
}

/** JSON has no bigint, which is how numbers above 2^53 are parsed. */
function exact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function said(documents: readonly Json[]): string[] {
  const all: string[] = []
  for (const document of documents) {
    for (const key of ['failures', 'not_examined'] as const) {
      const list = get(document, key)
      if (Array.isArray(list)) all.push(...list.map((one) => JSON.stringify(one, exact)))
    }
  }
  return [...new Set(all)].sort()
}
