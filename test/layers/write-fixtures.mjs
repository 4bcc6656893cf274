import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { datasetOf } from './datasets.ts'
import { dataset, writeFiles } from './parts.ts'
import { climate, cloud, file, forest, image, multidim, raster, rows, store, vector } from './specs.ts'

/** Writes the datasets of docs/layers anew: `node --import ./test/fuzz/register.mjs test/layers/write-fixtures.mjs`. */
const FOLDER = fileURLToPath(new URL('../fixtures/layers', import.meta.url))
const notes = { ...file, keys: { ...file.keys, file_extension: 'txt', file_size: 1024 } }
const SPECS = {
  image: image({ channels: '["red","green"]', pkg_version: '0.3.10' }),
  climate: climate(),
  store: store(),
  raster: raster(16),
  grid: multidim(4),
  trees: vector,
  cloud,
  forest: forest({ shatter_2: '{"finished":false,"point_count":7}' }),
  notes,
  frame: rows(3),
}

rmSync(FOLDER, { recursive: true, force: true })
for (const [name, spec] of Object.entries(SPECS)) writeFiles(await dataset(spec), `${FOLDER}/${name}`)
for (const [name, sample] of [
  ['variants', 'vcf'],
  ['index', 'vectorIndex'],
])
  writeFiles(await datasetOf(sample), `${FOLDER}/${name}`)
