import { InspectError } from '../../src/base/errors.ts'
import { DATATYPES } from '../../src/format/datatype.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { writtenArrayFiles } from '../../src/write/array-writer.ts'
import { planSample, type SampleOptions } from '../../src/write/sample.ts'
import type { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'
import { type Broken, broken } from './fuzzer.ts'

const KEY = '0123456789abcdeF0123456789abcdeF'
const ARRAY = '/sample'

/** Runs write-sample with random options. It must refuse them, or write an array for which check has no finding. */
export async function fuzzSample(random: Random): Promise<Broken | undefined> {
  const options = anyOptions(random)
  const encrypted = random.below(6) === 0
  const what = JSON.stringify({ ...options, encrypted })
  try {
    const files = new Map<string, Uint8Array>()
    const { array } = planSample(options, { style: { raw: false } })
    const key = encrypted ? new TextEncoder().encode(KEY) : undefined
    const writing = { codecs: nodeCodecs, key, randomBytes: (length: number) => random.bytes(length) }
    for await (const file of writtenArrayFiles(array, writing, () => {})) files.set(`${ARRAY}/${file.path}`, file.bytes)
    const env = { TILEDB_INSPECT_KEY: encrypted ? KEY : undefined }
    const storage = new MemoryStorage(files)
    const checked = await run(['check', ARRAY, '--level', 'cells', '--fail-on', 'warning'], { storage, env })
    if (checked.code !== 0) return { law: `check: ${checked.stderr}${checked.text.split('\n')[1]}`, what }
    const verified = await run(['verify-checksums', '--deep', ARRAY], { storage, env })
    return verified.code === 0 ? undefined : { law: `verify-checksums: ${verified.stderr}`, what }
  } catch (error) {
    if (error instanceof InspectError) return undefined
    return broken(error, what)
  }
}

const FILTERS = [
  'gzip',
  'zstd',
  'zstd:level=1',
  'lz4',
  'bzip2',
  'rle',
  'dictionary',
  'double-delta',
  'delta',
  'bit-width-reduction',
  'bit-width-reduction:max_window_size=24',
  'positive-delta',
  'positive-delta:max_window_size=16',
  'bitshuffle',
  'byteshuffle',
  'xor',
  'scale-float:scale=1,offset=0,byte_width=8',
  'scale-float:scale=0.5,offset=1,byte_width=4',
  'webp:format=RGBA,lossless=true',
  'md5',
  'sha256',
  'none',
]

const sometimes = <T>(random: Random, one: () => T): T | undefined => (random.below(3) === 0 ? one() : undefined)

function anyFilters(random: Random): string {
  return Array.from({ length: random.below(4) }, () => random.pick(FILTERS)).join(',')
}

function anyOptions(random: Random): SampleOptions {
  const dense = random.below(2) === 0
  const formatVersion = 3 + random.below(21)
  const options: { [K in keyof SampleOptions]: SampleOptions[K] | undefined } = {
    dense,
    dim: sometimes(random, () => Array.from({ length: 1 + random.below(3) }, (_, i) => anyDimension(random, i))),
    attr: sometimes(random, () => Array.from({ length: 1 + random.below(4) }, (_, i) => anyAttribute(random, i))),
    cells: String(random.below(120)),
    fragments: String(random.below(4)),
    capacity: sometimes(random, () => String(1 + random.below(50))),
    tileExtent: sometimes(random, () => String(1 + random.below(10))),
    cellOrder: sometimes(random, () => random.pick(['row-major', 'col-major', 'hilbert'])),
    tileOrder: sometimes(random, () => random.pick(['row-major', 'col-major'])),
    duplicates: sometimes(random, () => true),
    filters: sometimes(random, () => anyFilters(random)),
    offsetsFilters: sometimes(random, () => anyFilters(random)),
    validityFilters: sometimes(random, () => anyFilters(random)),
    coordsFilters: sometimes(random, () => anyFilters(random)),
    maxChunkSize: sometimes(random, () => String(random.below(300))),
    metadata: sometimes(random, () => ['a=[1,2.5]', 'b="text"']),
    formatVersion: String(formatVersion),
    experimental: true,
    seed: String(random.below(1000)),
  }
  // Options that were not given are missing keys.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as SampleOptions
}

function anyDimension(random: Random, index: number): string {
  const type = random.pick(DATATYPES)
  const range = random.pick(['', '', ':0..99:10', ':-20..20:7', ':1..1', ':1.5..9.25:0.5', ':2024-01-01..2024-12-31:7'])
  return `d${index}:${type}${range}`
}

function anyAttribute(random: Random, index: number): string {
  return `a${index}:${random.pick(DATATYPES)}${random.pick(['', '', ':2', ':3', ':var'])}${random.pick(['', '', '?'])}`
}
