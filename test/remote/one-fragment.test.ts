import { beforeAll, describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'

const FIELDS = 24
/** Files with more than the 64 KiB that are fetched to learn a file's size. */
const CELLS = 20_000
const folder = temporaryFolder()
/** Answers so late that even a busy machine has asked for several files before the first one comes. */
const s3 = await serveBuckets({ bucket: folder }, { pageSize: 1000, delay: 250 })
const http = await serveFolder(folder, { index: true })
const env = { AWS_ENDPOINT_URL: s3.url, AWS_NO_SIGN_REQUEST: '1' }
let fragment = ''

beforeAll(async () => {
  const attributes = Array.from({ length: FIELDS }, (_, i) => ['--attr', `a${i}:INT32`]).flat()
  const args = ['write-sample', `${folder}/array`, '--dim', 'x:INT32:0..100000', ...attributes]
  const { code, stderr } = await run([...args, '--cells', `${CELLS}`, '--capacity', '5000', '--fragments', '1'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  fragment = `array/__fragments/${fragmentNames(`${folder}/array`)[0]}`
})

async function check(...args: string[]): Promise<void> {
  const { code, stderr } = await run(['check', ...args, '--json'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

describe('check of one fragment with many fields', () => {
  test.each(['chunks', 'cells'])(
    'level %s: S3 is asked for several fields at once, and once for each',
    async (level) => {
      s3.reset()
      await check('--level', level, `s3://bucket/${fragment}`)
      const data = s3.requests.map(({ key }) => key).filter((key) => /\/[ad]\d+\.tdb$/.test(key))
      expect(data).toHaveLength(FIELDS + 1)
      expect(new Set(data).size).toBe(data.length)
      expect(s3.mostAtOnce).toBeGreaterThan(8)
      expect(s3.mostAtOnce).toBeLessThanOrEqual(16)
    },
  )

  test('HTTP: one request fetches the size and the bytes of a file', async () => {
    http.reset()
    await check(`${http.url}/${fragment}`)
    const asked = http.requests.map(({ path }) => path).filter((path) => path.endsWith('.tdb'))
    expect(asked).toHaveLength(FIELDS + 2)
    expect(new Set(asked).size).toBe(asked.length)
  })
})
