import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

/** Dense tiles of 1 MB, read with a memory that does not hold one: the windows of a read take pieces of them. */
const folder = temporaryFolder()
const SHAPE = ['--dense', '--dim', 'x:INT32:0..399:400', '--dim', 'y:INT32:0..599:300', '--attr', 'a:FLOAT64']
const ORDERS = ['row-major', 'col-major', 'global']
const LAYOUTS = { 'row-major': [], 'col-major': ['--cell-order', 'col-major'] } as const

beforeAll(async () => {
  for (const [name, options] of Object.entries(LAYOUTS)) {
    const args = ['write-sample', `${folder}/${name}`, ...SHAPE, '--attr', 'n:INT32:nullable', ...options]
    const { code, stderr } = await run([...args, '--cells', '200000', '--fragments', '2', '--filters', 'zstd'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
})

/** Room for 0.67 MB. A window has a quarter of it. */
const LITTLE = ['--memory', '2M']
const READS = {
  everything: [],
  'the first cells': ['--limit', '5'],
  'a box': ['--range', 'x=100..250', '--range', 'y=290..310'],
  'two ranges': ['--range', 'y=3..4', '--range', 'y=500'],
  'a condition': ['--where', 'a > 0', '--range', 'x=7..90'],
  'where cells come from': ['--provenance', '--range', 'x=33..60'],
} as const

/** The orders of a case. The gate tries all; another run tries one, and so that the cases share all of them. */
function ordersOf(number: number): string[] {
  const from = number % ORDERS.length
  return shortTurn([...ORDERS.slice(from), ...ORDERS.slice(0, from)], ORDERS.length)
}

describe.each([...Object.keys(LAYOUTS).entries()])('cells of tiles that are larger than memory (%i, %s)', (l, name) => {
  const array = `${folder}/${name}`
  const reads = Object.entries(READS).map(([what, options], i) => ({ what, options, orders: ordersOf(i + l) }))
  test.each(reads)('$what', async ({ options, orders }) => {
    for (const order of orders) {
      const args = ['read', array, ...options, '--order', order, '--format', 'csv']
      const whole = await run(args)
      const { code, text } = await run([...args, ...LITTLE])
      expect([code, text === whole.text]).toEqual([0, true])
      expect(whole.text.length).toBeGreaterThan(50)
    }
  })

  test('tile lists the chunks of a tile without holding it', async () => {
    const path = `${array}/__fragments`
    const fragment = `${path}/${readdirSync(path)[0]}`
    const whole = await run(['tile', fragment, 'a', '0', '--json'])
    const { code, text } = await run(['tile', fragment, 'a', '0', '--json', ...LITTLE])
    expect([code, text]).toEqual([0, whole.text])
  })
})
