import { deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { gunzip } from '../../src/filters/codecs/gunzip.ts'

/** The streams of zlib that are undone one after another: each begins anew, whatever the one before it was. */

const content = Buffer.from('the content of a stream, the content of a stream')

test.each([
  ['a whole one', () => gunzip(gzipSync('another'), 1000)],
  ['one of the other form', () => gunzip(deflateSync('another'), 1000, 'zlib')],
  ['a broken one', () => gunzip(Buffer.from('no stream'), 1000)],
  ['one that ends too early', () => gunzip(gzipSync(content).subarray(0, 20), 1000)],
  ['one that is too large', () => gunzip(gzipSync(Buffer.alloc(100_000)), 1000)],
])('a stream after %s', (_, before) => {
  before()
  const stored = gzipSync(content)
  const found = gunzip(Buffer.concat([stored, Buffer.from('more')]), 1000)
  expect({ ...found, content: Buffer.from(found.content) }).toEqual({
    content,
    length: stored.length,
    fault: undefined,
  })
})
