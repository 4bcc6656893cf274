import { expect, test } from '@jest/globals'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { sampleArray } from '../../src/damage/samples.ts'
import { setKeys } from '../../src/damage/soma-sample.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'
import { dataset, ROOT } from './parts.ts'
import { climate, config, forest, image } from './specs.ts'

/*
 * A version of a layer that nobody knows yet: the program says so, and shows and checks what it can.
 */

const sample = (name: 'soma' | 'vcf' | 'vectorIndex') => sampleArray(name, EDITED, writingCodecs)

async function withKeys(name: 'soma' | 'vectorIndex', keys: Record<string, string>): Promise<EditableArray> {
  const array = await sample(name)
  await setKeys(array, '', keys, 20)
  return array
}

const NEW: Readonly<Record<string, () => Promise<EditableArray>>> = {
  'SOMA 7.7': () => withKeys('soma', { soma_encoding_version: '7.7' }),
  'TileDB-Vector-Search 7.7': () => withKeys('vectorIndex', { storage_version: '7.7' }),
  'BioImaging 77': () => dataset(image({ fmt_version: '77' })),
  'TileDB-VCF 77': async () => {
    const array = await sample('vcf')
    await setKeys(array, 'data/', { version: 77 }, 20)
    return array
  },
}

test.each(Object.keys(NEW))('%s', async (title) => {
  const array = await NEW[title]?.()
  const storage = array?.storage()
  const root = array?.root ?? ''
  for (const command of [[], ['ls', '--depth', 'all'], ['ls', '--samples'], ['stats']]) {
    const { text, stderr } = await run([...command, root], { storage })
    if (command[0] !== 'stats') expect(text).toContain(`${title}, a version that is not known here`)
    expect(stderr).not.toMatch(/^error/m)
  }
  // The library of the layer refuses it, which is a finding, and the rest is looked at.
  const { text, stderr } = await run(['check', '--level', 'cells', root], { storage })
  expect(text).toMatch(/LAYER_VERSION/)
  expect(stderr).not.toMatch(/^error/m)
})

test.each([
  ['CF', { ...climate(), keys: { Conventions: 'CF-77.7' } }, 'dataset of CF 77.7'],
  ['silvimetric', forest({ config: JSON.stringify({ ...config, version: '77' }) }), 'database of silvimetric 77'],
] as const)('versions of %s are shown: no release refuses any', async (_, spec, title) => {
  const storage = (await dataset(spec)).storage()
  const { text, code } = await run([ROOT], { storage })
  expect(text).toContain(title)
  expect(code).toBe(0)
})
