/**
 * Counts the seconds and requests of commands on 300 fragments, beside those of `ls`. A local S3 server waits before each answer.
 * node --import ./test/fuzz/register.mjs bench/remote.mjs [FRAGMENTS [MILLISECONDS]]
 */
import { spawn } from 'node:child_process'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listen } from '../test/helpers/http-server.ts'
import { serveBuckets } from '../test/helpers/s3-server.ts'
import { scratch, TOOL } from './measure.mjs'

const fragmentNum = Number(process.argv[2] ?? 300)
const delay = Number(process.argv[3] ?? 100)
const SOURCE = 'test/fixtures/22/filter_md5'

cpSync(SOURCE, join(scratch, 'array'), { recursive: true })
const [original] = readdirSync(join(SOURCE, '__fragments'))
for (let i = 1; i < fragmentNum; i++) {
  const name = original.replace(/^__\d+_\d+_/, `__${1000 + i}_${1000 + i}_`)
  cpSync(join(SOURCE, '__fragments', original), join(scratch, 'array/__fragments', name), { recursive: true })
  writeFileSync(join(scratch, 'array/__commits', `${name}.wrt`), '')
}

const servers = []
const server = await serveBuckets(
  { bucket: scratch },
  {
    pageSize: 1000,
    delay,
    async listen(listener) {
      const one = await listen(listener)
      servers.push(one)
      return one.url
    },
  },
)
const env = { ...process.env, AWS_ENDPOINT_URL: server.url, AWS_NO_SIGN_REQUEST: '1' }

function measured(args) {
  server.reset()
  const start = process.hrtime.bigint()
  return new Promise((resolve, reject) => {
    const child = spawn('node', [...TOOL, ...args, '--json'], { stdio: ['ignore', 'ignore', 'inherit'], env })
    child.on('error', reject)
    child.on('exit', () => resolve(Number(process.hrtime.bigint() - start) / 1e9))
  })
}

const TARGET = 's3://bucket/array'
console.log(`${fragmentNum} fragments, ${delay} ms an answer`)
console.log('seconds  requests  listings  most at once')
for (const args of [
  ['ls', TARGET],
  ['ls', TARGET, '--names'],
  ['stats', TARGET],
  ['check', TARGET, '--level', 'structure'],
  ['check', TARGET],
  ['check', TARGET, '--level', 'cells'],
  ['verify-checksums', TARGET],
  ['verify-checksums', TARGET, '--jobs', '8'],
  ['verify-checksums', TARGET, '--deep'],
  ['commits', TARGET],
  ['metadata', TARGET],
  ['footer', TARGET],
  ['tiles', TARGET],
  ['decode', TARGET, '--all-fragments'],
  ['decode', TARGET, '--all-fragments', '--jobs', '4'],
  ['diff', TARGET, TARGET],
]) {
  const seconds = await measured(args)
  const listings = server.requests.filter(({ prefix }) => prefix !== undefined).length
  const numbers = [seconds.toFixed(1), server.requests.length, listings, server.mostAtOnce]
  console.log(numbers.map((n, i) => String(n).padStart([7, 8, 8, 12][i])).join('  '), '', args.join(' '))
}
for (const one of servers) one.close()
