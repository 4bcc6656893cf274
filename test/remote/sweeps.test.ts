import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, type Json } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'

const bucket = temporaryFolder()
const kept = temporaryFolder()
const server = await serveBuckets({ bucket }, { pageSize: 5, delay: 1 })
const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET' }

beforeAll(() => {
  for (const name of ['sparse_basic', 'dense_basic', 'group', 'deletes'])
    cpSync(`${FIXTURES}/22/${name}`, `${bucket}/runs/2024/05/${name}`, { recursive: true })
})

async function lines(...args: string[]): Promise<Json[]> {
  const { text } = await run([...args, '--format', 'ndjson', '--quiet'], { env })
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line.replaceAll(`${bucket}/`, 's3://bucket/')))
}

describe('a sweep of a bucket', () => {
  test.each(['ls', 'check', 'stats'])(
    '%s has the same lines as on a disk, several members at once',
    async (command) => {
      server.reset()
      const far = await lines(command, '--recursive', 's3://bucket/runs')
      expect(server.mostAtOnce).toBeGreaterThan(1)
      const near = await lines(command, '--recursive', `${bucket}/runs`)
      expect(far).toEqual(near)
      expect(far.map((one) => get(one, 'name') ?? null)).toContain('2024/05/group/nested')
    },
  )

  test('--resume reads only listings of what is noted, and sees another size', async () => {
    const file = `${kept}/resumed.ndjson`
    const whole = await lines('check', '--recursive', '--resume', file, 's3://bucket/runs')
    server.reset()
    const again = await lines('check', '--recursive', '--resume', file, 's3://bucket/runs')
    expect(again.slice(0, -1)).toEqual(whole.slice(0, -1))
    // A group itself is looked at again.
    const read = server.requests.filter(
      ({ prefix, key }) => prefix === undefined && !/\/__(?:group|meta|tiledb)/.test(key),
    )
    expect(read.map(({ key }) => key)).toEqual([])
    mkdirSync(`${bucket}/runs/2024/05/deletes/__meta`, { recursive: true })
    writeFileSync(`${bucket}/runs/2024/05/deletes/__meta/one-more`, '')
    const last = (await lines('check', '--recursive', '--resume', file, 's3://bucket/runs')).at(-1) ?? null
    expect(get(last, 'resumed_num')).toBe(Number(get(again.at(-1), 'resumed_num')) - 1)
  })
})
