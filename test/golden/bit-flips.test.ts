import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { TileFile } from '../../src/cells/tile-files.ts'
import { type DataFilePart, type Unit, UnitWorker } from '../../src/check/units.ts'
import type { VerifyFailure, VerifyItem } from '../../src/check/verified.ts'
import { unitsToVerify } from '../../src/check/verify.ts'
import { verifyUnit } from '../../src/check/verify-unit.ts'
import { hasChecksum } from '../../src/filters/registry.ts'
import { genericTileHeader } from '../../src/format/generic-tile.ts'
import { decode, decodePrefix } from '../../src/format/io.ts'
import { type StoredChunk, tileChunks } from '../../src/format/tile-chunks.ts'
import { InspectArray } from '../../src/objects/array.ts'
import type { ReadContext } from '../../src/objects/read-context.ts'
import { openTarget } from '../../src/objects/target.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { Folder, type Storage } from '../../src/storage/source.ts'
import { contextFor, type FixtureFolder, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { filesBelow } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { Random } from '../helpers/random.ts'
import { runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

type VerifyUnit = Unit<VerifyItem>

/** A chunk that is under a checksum from its first byte to its last, and where that is in the file. */
interface Protected {
  /** The work that verifies it. */
  unit: VerifyUnit
  file: string
  /** Null in generic tiles. */
  tile: number | null
  chunk: number
  /** Of the chunk's metadata in the file; its data follows. */
  from: number
  to: number
  /** Undoes the chunk's filters; undefined where they refuse. */
  undo: () => Uint8Array | undefined
  /** Whether every bit counts: nothing but checksums and encryption was done last. */
  strict: boolean
}

/** An array of the fixtures in memory, where bits can be flipped. */
interface Opened {
  folder: FixtureFolder
  storage: Storage
  files: Map<string, Uint8Array>
  chunks: Protected[]
}

const ARRAY = '/array'
/** All bits of chunks up to this, and as many of larger ones. */
const BYTES = 16
/** Bits between. */
const BETWEEN = 8
/** Versions whose fixtures have neither checksums nor encryption. */
const WITHOUT = new Set([1, 2, 4, 23])
const SEED = 20261121

async function open(folder: FixtureFolder): Promise<Opened> {
  const files = filesBelow(folder.path, ARRAY)
  const storage = new MemoryStorage(files)
  const cx = contextFor(folder)
  const chunks: Protected[] = []
  const units: VerifyUnit[] = []
  for await (const unit of unitsToVerify(await openTarget(storage, ARRAY, cx), cx, { all: true, shard: undefined }))
    units.push(unit)
  for (const unit of units) {
    if (unit.part.kind === 'data-file') chunks.push(...(await dataChunks(storage, cx, unit, unit.part)))
    else chunks.push(...(await genericChunks(storage, files, cx, unit)))
  }
  return { folder, storage, files, chunks }
}

async function dataChunks(
  storage: Storage,
  cx: ReadContext,
  unit: VerifyUnit,
  part: DataFilePart & { kind: 'data-file' },
): Promise<Protected[]> {
  const target = await openTarget(storage, unit.path, cx)
  if (target.type !== 'fragment') throw new TypeError(`${unit.path} is no fragment`)
  const file = await TileFile.open(target.fragment, part.slot, part.role)
  if (!hasChecksum(file.filters)) return []
  const pipeline = await file.pipeline(false)
  const out: Protected[] = []
  for (let tile = 0; tile < file.tileNum; tile++) {
    const stored = await file.stored(tile)
    const { chunks } = decode(stored, tileChunks)
    chunks.forEach((one, chunk) => {
      out.push({
        unit: { ...unit, part: { ...part, from: tile, to: tile + 1 } },
        file: file.source.name,
        tile,
        chunk,
        ...placeOf(one, stored, file.offsets[tile]),
        undo: () => orUndefined(() => pipeline.reverseChunk(decode(stored, tileChunks).chunks[chunk], chunk).data),
        strict: hasChecksum(file.filters.slice(-1)),
      })
    })
  }
  return firstMiddleLast(out)
}

function firstMiddleLast<T>(all: readonly T[]): T[] {
  const places = new Set([0, Math.floor(all.length / 2), all.length - 1])
  return all.filter((_, i) => places.has(i))
}

/** Chunks of generic tiles that are encrypted. */
async function genericChunks(
  storage: Storage,
  files: ReadonlyMap<string, Uint8Array>,
  cx: ReadContext,
  unit: VerifyUnit,
): Promise<Protected[]> {
  const starts: [string, number][] = []
  if (unit.part.kind === 'fragment-metadata') {
    const target = await openTarget(storage, unit.path, cx)
    if (target.type !== 'fragment') throw new TypeError(`${unit.path} is no fragment`)
    const { name } = target.fragment.metadataSource()
    starts.push(...(await target.fragment.metadataOffsets()).map((offset): [string, number] => [name, offset]))
  } else if (unit.part.kind === 'array-files') {
    const array = new InspectArray(new Folder(storage, ARRAY), cx)
    const schemas = (await array.schemaFiles()).map(({ path }) => `${ARRAY}/${path}`)
    const others = [...files.keys()].filter((path) =>
      /\/__schema\/__enumerations\/|\/array\/__meta\/[^/.]*$/.test(path),
    )
    starts.push(...[...schemas, ...others].map((path): [string, number] => [path, 0]))
  }
  return firstMiddleLast(starts).flatMap(([path, start]) => {
    const bytes = files.get(path)?.subarray(start) ?? new Uint8Array(0)
    const { value: header, length } = decodePrefix(bytes, genericTileHeader)
    if (!hasChecksum(header.filters.filters)) return []
    const stored = bytes.subarray(length, length + header.persisted_size)
    return decode(stored, tileChunks).chunks.map((one, chunk) => ({
      unit,
      file: path,
      tile: null,
      chunk,
      ...placeOf(one, stored, start + length),
      undo: () => undefined,
      strict: hasChecksum(header.filters.filters.slice(-1)),
    }))
  })
}

function placeOf(chunk: StoredChunk, stored: Uint8Array, base: number): { from: number; to: number } {
  const from = base + chunk.metadata.byteOffset - stored.byteOffset
  return { from, to: from + chunk.metadata.length + chunk.data.length }
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return undefined
  }
}

/** Every bit of a short chunk; of a longer one all of its first bytes, the last, and some between. */
function positions({ from, to }: Protected, random: Random): { at: number; bits: number[] }[] {
  const all = [0, 1, 2, 3, 4, 5, 6, 7]
  if (to - from <= BYTES) return Array.from({ length: to - from }, (_, i) => ({ at: from + i, bits: all }))
  const edges = Array.from({ length: 2 }, (_, i) => ({ at: from + i, bits: all }))
  const between = Array.from({ length: BETWEEN }, () => ({
    at: from + random.below(to - from),
    bits: [random.below(8)],
  }))
  return [...edges, { at: to - 1, bits: all }, ...between]
}

async function verified(
  { storage, folder }: Opened,
  unit: VerifyUnit,
): Promise<{ failures: VerifyFailure[]; notExamined: InspectError[] }> {
  const worker = new UnitWorker<VerifyItem>(storage, contextFor(folder), (...of) => verifyUnit(...of, false))
  try {
    const { items: found } = await worker.run(unit)
    return {
      failures: found.flatMap((item) => ('failure' in item ? [item.failure] : [])),
      notExamined: found.flatMap((item) => ('notExamined' in item ? [item.notExamined] : [])),
    }
  } finally {
    await worker.close()
  }
}

function flip(bytes: Uint8Array, at: number, bit: number): void {
  bytes[at] ^= 1 << bit
}

function bytesOf({ files }: Opened, { file }: Protected): Uint8Array {
  const bytes = files.get(file)
  if (!bytes) throw new TypeError(`no file ${file}`)
  return bytes
}

/** Flips bits of a chunk, one at a time. @returns what verify-checksums did not say of it, and how many bits were tried */
async function flipAll(
  opened: Opened,
  chunk: Protected,
  random: Random,
): Promise<{ missed: string[]; bitNum: number }> {
  const missed: string[] = []
  const bytes = bytesOf(opened, chunk)
  const intact = chunk.strict ? undefined : chunk.undo()?.slice()
  let bitNum = 0
  for (const { at, bits } of positions(chunk, random)) {
    for (const bit of bits) {
      bitNum++
      flip(bytes, at, bit)
      try {
        const { failures, notExamined } = await verified(opened, chunk.unit)
        const place = `${opened.folder.name}: ${chunk.file} tile ${chunk.tile} chunk ${chunk.chunk} byte ${at} bit ${bit}`
        const found = failures.map(({ file, tile, chunk: number }) => `${file} tile ${tile} chunk ${number}`)
        const wanted = `${chunk.file} tile ${chunk.tile} chunk ${chunk.chunk}`
        // Of what a compressor after the checksum wrote, some bits mean nothing: then the cells are the same.
        const harmless = intact !== undefined && Buffer.from(chunk.undo() ?? [0]).equals(intact)
        if (notExamined.length > 0) missed.push(`${place}: not examined`)
        else if (found.length === 0 ? !harmless : found.some((one) => one !== wanted))
          missed.push(`${place}: ${found.join('; ') || 'not found'}`)
      } finally {
        flip(bytes, at, bit)
      }
    }
  }
  return { missed, bitNum }
}

const arrays = fixtureFolders().filter(({ kind }) => kind === 'array')

describe('a flipped bit under a checksum is found, and its chunk named', () => {
  const versions = [...new Set(arrays.map(versionOf))]
  test.each(shortTurn(versions, 10, 4))('version %i', async (version) => {
    const random = new Random(SEED + version)
    let bitNum = 0
    const missed: string[] = []
    for (const folder of arrays.filter((one) => versionOf(one) === version)) {
      const opened = await open(folder)
      for (const chunk of opened.chunks) {
        const found = await flipAll(opened, chunk, random)
        bitNum += found.bitNum
        missed.push(...found.missed)
      }
    }
    expect(missed).toEqual([])
    expect(bitNum > 0).toBe(!WITHOUT.has(version))
  })

  test('verify-checksums says so, with exit code 1', async () => {
    const random = new Random(SEED)
    const byFilter = new Set<string>()
    for (const folder of arrays.filter(({ name }) => /(encrypted|md5|sha256)$/.test(name))) {
      const opened = await open(folder)
      const chunk = random.pick(opened.chunks)
      const bytes = bytesOf(opened, chunk)
      const at = chunk.to - 1
      const key = folder.key === undefined ? [] : ['--key', folder.key]
      const check = async (): Promise<Awaited<ReturnType<typeof runJson>>> =>
        runJson(['verify-checksums', ARRAY, '--all', '--jobs', '1', ...key], { storage: opened.storage })
      expect(await check()).toMatchObject({ code: 0 })
      flip(bytes, at, random.below(8))
      const { code, documents } = await check()
      const [failure] = items(get(documents[0], 'failures'))
      expect({ code, failure }).toMatchObject({
        code: 1,
        failure: { file: chunk.file, tile: chunk.tile, chunk: chunk.chunk, offset: chunk.from },
      })
      byFilter.add(String(get(failure, 'filter')))
    }
    expect([...byFilter].sort()).toEqual(['AES_256_GCM', 'CHECKSUM_MD5', 'CHECKSUM_SHA256'])
  })
})
