import { describe, expect, test } from '@jest/globals'
import { mapRows, walk } from '../src/base/walk.ts'

/** Rows that are made one by one; says whether they were closed, and when. */
function source(
  count: number,
  fails = false,
): { rows: AsyncGenerator<number, string>; made: number[]; ended: string[] } {
  const made: number[] = []
  const ended: string[] = []
  async function* rows(): AsyncGenerator<number, string> {
    try {
      for (let i = 0; i < count; i++) {
        made.push(i)
        yield i
      }
      if (fails) throw new Error('damaged')
    } finally {
      ended.push('closed')
    }
    return 'the end'
  }
  return { rows: rows(), made, ended }
}

describe('a walk', () => {
  test('gives what the rows return', async () => {
    const { rows, ended } = source(3)
    const seen: number[] = []
    expect(await walk(rows, (row) => void seen.push(row))).toBe('the end')
    expect(seen).toEqual([0, 1, 2])
    expect(ended).toEqual(['closed'])
  })

  test('waits for the work on a row before it takes the next', async () => {
    const { rows, made } = source(3)
    await walk(rows, async (row) => {
      await new Promise((resolve) => setTimeout(resolve))
      expect(made).toHaveLength(row + 1)
    })
  })

  test('closes the rows if the work fails', async () => {
    const { rows, made, ended } = source(3)
    const work = (): never => {
      throw new Error('closed pipe')
    }
    await expect(walk(rows, work)).rejects.toThrow('closed pipe')
    expect({ made, ended }).toEqual({ made: [0], ended: ['closed'] })
  })

  test('passes the error of the rows on', async () => {
    await expect(walk(source(1, true).rows, () => {})).rejects.toThrow('damaged')
  })
})

describe('changed rows', () => {
  test('return what the rows return', async () => {
    const seen: string[] = []
    const rows = mapRows(source(2).rows, (row) => `row ${row}`)
    expect(await walk(rows, (row) => void seen.push(row))).toBe('the end')
    expect(seen).toEqual(['row 0', 'row 1'])
  })

  test('close the rows if they are closed, or if the change fails', async () => {
    const first = source(3)
    for await (const row of mapRows(first.rows, (row) => row)) if (row === 1) break
    expect(first.ended).toEqual(['closed'])
    const second = source(3)
    const change = (): never => {
      throw new Error('no such column')
    }
    await expect(walk(mapRows(second.rows, change), () => {})).rejects.toThrow('no such column')
    expect(second).toMatchObject({ made: [0], ended: ['closed'] })
  })
})
