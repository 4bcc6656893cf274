import { expect, test } from '@jest/globals'
import { arraySchema } from '../../src/format/array-schema.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

/** An array whose newest schema, which a fragment names, is replaced by that of another array. */
async function withReplaced(): Promise<{ array: EditedArray; newest: string }> {
  const array = new EditedArray('changed_fields/readded')
  const [, , newest] = array.matching(/__schema\/__\d/).sort()
  await array.rewrite(newest, arraySchema, (schema) => {
    const [dimension] = schema.domain.dimensions
    schema.domain.dimensions.push({ ...dimension, name: 'another' })
    schema.attributes.splice(1)
  })
  return { array, newest }
}

test('the schema of another array is one finding, and its fragments are not read by it', async () => {
  const { array, newest } = await withReplaced()
  const storage = array.storage()
  const { documents } = await runJson(['check', EDITED], { storage })
  const found = items(get(documents[0], 'findings')).map((one) => [get(one, 'code'), get(one, 'file')])
  expect(found.filter(([code]) => code !== 'FIELD_CHANGED')).toEqual([['SCHEMA_FOREIGN', newest]])
  expect(JSON.stringify(get(documents[0], 'not_examined'))).toContain('was replaced by that of another array')
  const plan = await run(['check', '--plan', EDITED], { storage, columns: 200 })
  expect(plan.text).not.toContain('recover')
  // Long paths are cut into lines.
  expect(plan.text.replace(/\s/g, '')).toContain(`put${newest}backfromacopyofthearray`)
  const overview = await run([EDITED], { storage, columns: 200 })
  expect(overview.text).toContain('no cells: reads fail, as a schema is that of another array')
})
