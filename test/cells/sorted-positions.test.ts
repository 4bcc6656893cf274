import { expect, test } from '@jest/globals'
import { type KeyLanes, sortedPositions } from '../../src/cells/sorted-positions.ts'
import { Random } from '../helpers/random.ts'

const random = new Random(11)

/** The positions, sorted by comparing whole keys. Cells of equal keys stay in their order. */
function compared(lanes: KeyLanes, cellNum: number): number[] {
  return Array.from({ length: cellNum }, (_, i) => i).sort((a, b) => {
    const lane = lanes.find((one) => one[a] !== one[b])
    return lane ? lane[a] - lane[b] : a - b
  })
}

/** A lane of few bits that differ, each with the same bits beside them. */
function lane(cellNum: number, mask: number, beside = 0): Uint32Array {
  return Uint32Array.from({ length: cellNum }, () => (random.below(2 ** 32) & mask) | beside)
}

test.each<[name: string, masks: number[], cellNum: number]>([
  ['no cell', [0xff], 0],
  ['one cell', [0xff], 1],
  ['few cells', [3, 0xffffffff], 30],
  ['all equal', [0, 0], 500],
  ['no key', [], 500],
  ['whole lanes', [0xffffffff, 0xffffffff], 2000],
  ['bits apart', [0x80000001, 0x0f0f0f0f], 2000],
  ['more bits than one number has, and many equal', [3, 0x10000, 0xfffc0000, 0x1fffff], 10000],
  ['a lane that only a few share with others', [7, 0xffffffff, 0xff], 9000],
  ['large groups of equal first bits, and of equal keys', [1, 0xaaaaaaaa, 0xaaaaaaaa, 1, 1], 20000],
])('positions are sorted by their keys, and stay in their order if these are equal: %s', (_, masks, cellNum) => {
  const lanes = masks.map((mask) => lane(cellNum, mask, ~mask & 0x5a5a5a5a))
  // Some whole keys come more than once.
  for (let i = 2; i < cellNum; i += 3) for (const one of lanes) one[i] = one[i >> 1]
  expect([...sortedPositions(lanes, cellNum)]).toEqual(compared(lanes, cellNum))
})
