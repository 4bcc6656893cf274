import { describe, expect, test } from '@jest/globals'
import { run, runJson } from '../helpers/run.ts'
import { dataset, type GroupSpec, ROOT } from './parts.ts'
import { climate, cloud, field, image, line, multidim, rows } from './specs.ts'

/*
 * Groups without attributes, which are datasets if their arrays say so.
 */

const bare = { ...field, keys: {} }

async function layerOf(spec: GroupSpec, args: readonly string[]): Promise<string | undefined> {
  const storage = (await dataset(spec)).storage()
  const { documents } = await runJson([...args, ROOT], { storage })
  const [document] = documents as readonly { layer?: { name: string; type: string } }[]
  return document?.layer && `${document.layer.name} ${document.layer.type}`
}

describe.each([[['ls']], [[]]])('%j', (args) => {
  test('a dataset of CF, and one of GDAL', async () => {
    expect(await layerOf(climate(), args)).toBe('cf dataset')
    expect(await layerOf(multidim(4), args)).toBe('gdalMultidim multidimensional dataset')
  })

  test.each<[string, GroupSpec]>([
    ['arrays that say nothing', { members: { lat: { ...line('lat'), keys: {} }, t: bare } }],
    ['arrays that say something else', { members: { lat: { ...line('lat'), keys: { units: 'm' } }, t: bare } }],
    ['other arrays', { members: { cloud, t: bare, frame: rows(3) } }],
    ['a dataset below', { members: { deep: climate(), image: image() } }],
    ['no arrays', { members: {} }],
  ])('%s are none', async (_, spec) => expect(await layerOf(spec, args)).toBeUndefined())
})

test('the overview and the list have what the layer says of the members', async () => {
  const storage = (await dataset(climate())).storage()
  const { text } = await run([ROOT], { storage })
  expect(text).toMatch(/^\/dataset: dataset of CF, 3 members$/m)
  expect(text).toMatch(/^t +t +variable +lat, lon +FLOAT32 +K$/m)
  const { documents } = await runJson(['ls', ROOT], { storage })
  expect(documents[0]).toMatchObject({ members: [{ layer_type: 'coordinate' }, {}, { layer_type: 'variable' }] })
})
