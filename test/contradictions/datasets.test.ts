import { expect, test } from '@jest/globals'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import type { CheckDocument } from '../../src/documents/check.ts'
import type { GroupOverview } from '../../src/documents/overview.ts'
import { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'
import { datasetOf } from '../layers/datasets.ts'
import { dataset } from '../layers/parts.ts'
import { climate, cloud, forest, image, level, listed, raster, store } from '../layers/specs.ts'
import { errorsOf, findingsOf, placeOf, type Said } from './answers.ts'
import { DRAW, damagedAtRandom } from './arrays.ts'

/** Datasets of all layers, made in memory. */
const DATASETS: Readonly<Record<string, () => Promise<EditableArray>>> = {
  SOMA: () => datasetOf('soma'),
  VCF: () => datasetOf('vcf'),
  'vector index': () => datasetOf('vectorIndex'),
  image: () => datasetOf('image'),
  'image of bioimg': () => dataset(image({ levels: listed([20, 16], [10, 8]) }, { 'l_1.tdb': level(10, 8) })),
  xarray: () => dataset(climate()),
  cellarr: () => dataset(store()),
  'raster of GDAL': () => dataset({ members: { l_0: raster(32), l_1: raster(16) }, keys: { ...raster(32).keys } }),
  'point cloud': () => dataset(cloud),
  SilviMetric: () => dataset(forest()),
}

const DATASET_NUM = 200

/** A dataset by its number, and what was damaged in it. */
async function damagedDataset(number: number): Promise<{ name: string; dataset: EditableArray }> {
  const random = new Random(number + DRAW * DATASET_NUM)
  const layer = random.pick(Object.keys(DATASETS))
  const made = Object.assign(await DATASETS[layer](), { key: undefined })
  const done = [await damagedAtRandom(random, made)]
  if (random.below(3) === 0) done.push(await damagedAtRandom(random, made))
  return { name: `${number} of draw ${DRAW}: ${layer}; ${done.join('; ')}`, dataset: made }
}

/** Arrays of a dataset: folders with a schema, which are not labels of another. */
function arraysIn({ files }: EditableArray): string[] {
  const folders = [...files.keys()].flatMap((path) => /^(.*)\/__schema\/[^/]+$/.exec(path)?.[1] ?? [])
  return [...new Set(folders)].filter((path) => !path.includes('/__labels/'))
}

/** What commands say of a dataset and of the arrays in it, that cannot be true together. */
async function contradictionsIn(damaged: EditableArray): Promise<string[]> {
  const storage = damaged.storage()
  const { root } = damaged
  const bare = async (...args: string[]): Promise<Said<never>> => {
    const { code, stderr } = await run(args, { storage })
    return { code, document: undefined, stderr }
  }
  const of = async <Document>(...args: string[]): Promise<Said<Document>> => {
    const { code, text, stderr } = await run([...args, '--json'], { storage })
    const document = text === '' ? undefined : (JSON.parse(text) as Document)
    const isError = document !== undefined && (code > 1 || !Object.hasOwn(document as object, 'kind'))
    return { code, document: isError ? undefined : document, stderr: isError ? text : stderr }
  }
  const overview = await of<GroupOverview>(root)
  const structure = await of<CheckDocument>('check', '--level', 'structure', root)
  const check = await of<CheckDocument>('check', '--level', 'cells', root)
  const all: Record<string, Said<unknown>> = {
    overview,
    'check --level structure': structure,
    'check --level cells': check,
    'check --plan': await bare('check', '--level', 'cells', '--plan', root),
    ls: await bare('ls', root),
    stats: await bare('stats', root),
    metadata: await bare('metadata', root),
    'verify-checksums': await bare('verify-checksums', '--deep', root),
  }
  const wrong: string[] = []
  const codes = new Set<string>(findingsOf(structure).map(({ code }) => code))
  if (overview.document) {
    const { findings, finding_num, ok } = overview.document
    const only = findings.filter(({ severity, code }) => severity === 'error' && !codes.has(code))
    if (only.length > 0)
      wrong.push(`the overview finds ${only.map(({ code }) => code).join()}; check ${[...codes].join() || 'nothing'}`)
    if (ok !== (finding_num.error === 0)) wrong.push(`the overview: ok ${ok}, ${JSON.stringify(finding_num)}`)
  } else if (check.code === 0) wrong.push(`check: OK; the overview ends with ${overview.code}: ${overview.stderr}`)
  const deeper = new Set(errorsOf(check).map(placeOf))
  for (const one of errorsOf(structure))
    if (!deeper.has(placeOf(one))) wrong.push(`only above --level cells: ${placeOf(one)}`)
  // A list of members that cannot be read hides them.
  const isListed =
    findingsOf(check).every(({ code }) => !code.startsWith('GROUP_')) && check.document?.not_examined.length === 0
  for (const path of arraysIn(damaged)) {
    if (path === root) continue
    const alone = await of<CheckDocument>('check', '--level', 'cells', path)
    const told = new Set(findingsOf(check).map(placeOf))
    for (const one of errorsOf(alone))
      if (isListed && !one.code.startsWith('LAYER_') && !told.has(placeOf(one)))
        wrong.push(`check of the member: ${placeOf(one)}; check of the dataset does not say so`)
    const read = await run(['read', path, '--format', 'ndjson'], { storage })
    if (read.code !== 0 && check.code === 0 && check.document?.not_examined.length === 0)
      wrong.push(`check: OK; read of ${path}: ${read.stderr}`)
    all[`check of ${path}`] = alone
    all[`overview of ${path}`] = await bare(path)
    all[`read of ${path}`] = { code: read.code, document: undefined, stderr: read.stderr }
  }
  for (const [name, { code, stderr }] of Object.entries(all))
    if (code > 3 || /internal|fault of tiledb-inspect|TypeError|RangeError/.test(stderr))
      wrong.push(`${name}: ${code} ${stderr.slice(0, 300)}`)
  if (check.code === 0 && check.document?.not_examined.length === 0)
    for (const [name, { code, stderr }] of Object.entries(all)) {
      // They count bytes that no reader needs.
      const isBytes = /^(?:verify-checksums|stats)$/.test(name) && findingsOf(check).length > 0
      // It reads the members of a group, and fails on one that is missing, which TileDB passes over.
      const isMissing = name === 'metadata' && !isListed
      if (code !== 0 && !isBytes && !isMissing)
        wrong.push(`check: OK; ${name} ends with ${code}: ${stderr.slice(0, 200)}`)
    }
  return wrong
}

test('asked the same of damaged datasets and of their arrays, no two commands contradict', async () => {
  const found: string[] = []
  for (const number of shortTurn([...Array(DATASET_NUM).keys()], 40)) {
    const { name, dataset } = await damagedDataset(number)
    for (const said of await contradictionsIn(dataset)) found.push(`${name}\n  ${said}`)
  }
  expect(found).toEqual([])
})
