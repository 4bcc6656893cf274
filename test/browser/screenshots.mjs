import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv, env, execPath } from 'node:process'
import { fragmentNames } from '../helpers/fragments.ts'
import { Random } from '../helpers/random.ts'
import { browser, emptyFolder } from './opened-page.mjs'
import { takeShots } from './shots.mjs'

/**
 * Makes the pictures of docs/page.md again, from arrays that are the same each time:
 *
 *     node --import ./test/fuzz/register.mjs test/browser/screenshots.mjs [name…]
 *
 * It needs Chromium as the other tests here do: run.mjs says how to install it.
 */

const FOLDER = emptyFolder('screenshots')
const PICTURES = 'docs/page'

/** Paths are relative to the folder of the arrays, as the pictures show them. */
function cli(...args) {
  execFileSync(execPath, [resolve('bin/tiledb-inspect.js'), ...args, '--quiet'], {
    cwd: FOLDER,
    env: { ...env, TILEDB_INSPECT_NOW: String(Date.UTC(2025, 3, 2, 9)) },
  })
}

/** An array of birds that people saw, with several writes, a consolidation and a delete. */
function makeBirds() {
  const random = new Random(20)
  const species = ['blackbird', 'robin', 'wren', 'great tit', 'kingfisher', 'magpie']
  const towns = [
    [20, 30, 9],
    [70, 25, 6],
    [45, 72, 13],
    [85, 80, 5],
  ]
  const bell = (middle, width) =>
    middle + ((random.below(1000) + random.below(1000) + random.below(1000)) / 1500 - 1) * 2 * width
  const inside = (value) => Math.min(99.99, Math.max(0, Number(value.toFixed(2))))
  const row = (town, day) => {
    const [x, y, width] = towns[town]
    const kind = random.below(100) < 40 ? 0 : random.below(species.length)
    return {
      x: inside(bell(x, width)),
      y: inside(bell(y, width)),
      species: species[kind],
      count: 1 + random.below(kind === 0 ? 40 : 6),
      seen: new Date(Date.UTC(2025, 0, day, random.below(24))).toISOString().slice(0, 13),
      note:
        random.below(5) === 0
          ? null
          : `${['by', 'over', 'near'][random.below(3)]} the ${['pond', 'church', 'old mill', 'orchard'][random.below(4)]}`,
    }
  }
  const write = (town, count, day) => ({
    step: 'write',
    cells: Array.from({ length: count }, () => row(town, day)),
    time: new Date(Date.UTC(2025, 0, day, 18)).toISOString().replace('.000Z', ''),
  })
  const steps = [
    write(0, 900, 3),
    write(1, 500, 10),
    write(2, 1400, 21),
    { step: 'consolidate', mode: 'fragments' },
    write(3, 300, 40),
    write(0, 700, 52),
    { step: 'delete', where: "species == 'magpie'", time: '2025-03-01T09:00:00' },
    write(2, 800, 75),
    write(1, 400, 90),
  ]
  const file = join(FOLDER, 'birds.json')
  writeFileSync(file, JSON.stringify({ steps }))
  const dims = ['--dim', 'x:FLOAT64:0..100:10', '--dim', 'y:FLOAT64:0..100:10']
  const attributes = ['species:STRING_ASCII', 'count:UINT16', 'seen:DATETIME_HR', 'note:STRING_UTF8:nullable']
  const filters = [
    '--filters',
    'zstd',
    '--field-filters',
    'note=none',
    '--field-filters',
    'species=rle',
    '--coords-filters',
    'gzip,checksum_sha256',
    '--cell-order',
    'hilbert',
  ]
  cli(
    'write-sample',
    'birds',
    ...dims,
    ...attributes.flatMap((one) => ['--attr', one]),
    ...filters,
    '--capacity',
    '50',
    '--cells',
    '0',
    '--steps',
    file,
  )
}

/** Flips the middle byte of a file of an array's newest fragment. */
function damage(array, file) {
  const fragment = fragmentNames(array).at(-1)
  const path = join(array, '__fragments', fragment, file)
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] ^= 0x10
  writeFileSync(path, bytes)
}

/** An array of water temperatures by place, for the picture. */
function makeSea() {
  const cells = []
  for (let north = 0; north < 60; north++) {
    for (let east = 0; east < 96; east++) {
      const distance = Math.hypot(north - 20, east - 60)
      const warm = 6 * Math.exp(-((distance / 22) ** 2)) + 2 * Math.sin(east / 9) * Math.cos(north / 7)
      cells.push({ north, east, temperature: Number((4 + north / 8 + warm).toFixed(2)) })
    }
  }
  const steps = [
    { step: 'write', cells, time: '2025-03-01' },
    {
      step: 'write',
      cells: cells.filter(({ north, east }) => north >= 40 && east < 24).map((cell) => ({ ...cell, temperature: 3 })),
      time: '2025-03-02',
    },
  ]
  writeFileSync(join(FOLDER, 'sea.json'), JSON.stringify({ steps }))
  const dims = ['--dim', 'north:INT32:0..59:12', '--dim', 'east:INT32:0..95:24']
  cli(
    'write-sample',
    'sea',
    '--dense',
    ...dims,
    '--attr',
    'temperature:FLOAT32',
    '--cells',
    '0',
    '--steps',
    join(FOLDER, 'sea.json'),
  )
}

/** An array of what a buoy measured each hour of a year, for lines. */
function makeBuoy() {
  const random = new Random(21)
  const cells = Array.from({ length: 365 * 24 }, (_, hour) => {
    const season = Math.sin(((hour / 24 - 100) / 365) * 2 * Math.PI)
    const day = Math.sin(((hour - 9) / 24) * 2 * Math.PI)
    const noise = () => random.below(1000) / 500 - 1
    return {
      time: new Date(Date.UTC(2024, 0, 1, hour)).toISOString().slice(0, 13),
      water: Number((9 + 6 * season + 0.4 * day + 0.3 * noise()).toFixed(2)),
      waves: Number(Math.max(0, 1.2 - 0.7 * season + 0.6 * noise() + (random.below(60) === 0 ? 2 : 0)).toFixed(2)),
    }
  })
  writeFileSync(join(FOLDER, 'buoy.ndjson'), cells.map((cell) => JSON.stringify(cell)).join('\n'))
  const attributes = ['--attr', 'water:FLOAT32', '--attr', 'waves:FLOAT32']
  cli(
    'write-sample',
    'buoy',
    '--sparse',
    '--dim',
    'time:DATETIME_HR:2024-01-01T00..2024-12-31T23:720',
    ...attributes,
    '--data',
    'buoy.ndjson',
  )
}

makeBirds()
makeSea()
makeBuoy()
mkdirSync(join(FOLDER, 'damaged'))
cpSync(join(FOLDER, 'birds'), join(FOLDER, 'damaged/birds'), { recursive: true })
damage(join(FOLDER, 'damaged/birds'), 'a1.tdb')
const fragment = `__fragments/${fragmentNames(join(FOLDER, 'birds')).at(-1)}`

/** Each picture: its name, the array, the link, options of the browser, and the element under the mouse. */
const SHOTS = [
  ['overview', 'birds', { v: 'overview' }],
  ['timeline', 'birds', { v: 'timeline' }],
  ['map', 'birds', { v: 'map' }],
  ['bytes', 'birds', { v: 'bytes' }],
  ['cells', 'birds', { v: 'cells', r: '["x=60..100"]', w: 'count > 3', x: 'p' }],
  ['picture', 'sea', { v: 'heat', b: 'fragments' }],
  ['lines', 'buoy', { v: 'heat' }],
  ['files', 'birds', { v: 'files', p: `${fragment}/d0.tdb`, o: '12' }],
  ['tile', 'birds', { v: 'files', p: `${fragment}/d0.tdb`, n: 'tiles[0]', w: 'tile' }, {}, 'details'],
  ['findings', 'damaged/birds', { v: 'findings' }],
  ['map-dark', 'birds', { v: 'map', c: 'age' }, { colorScheme: 'dark' }],
  ['files-dark', 'damaged/birds', { v: 'files', p: `${fragment}/a1.tdb`, o: '451' }, { colorScheme: 'dark' }],
  ['cells-narrow', 'birds', { v: 'cells' }, { viewport: { width: 390, height: 800 } }],
]

await takeShots(
  SHOTS.map(([name, target, link, more, above]) => ({ name, target, link, more, above })),
  {
    to: PICTURES,
    targets: FOLDER,
    chosen: argv.slice(2),
  },
)
await browser.close()
