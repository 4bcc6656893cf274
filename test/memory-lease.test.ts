import { describe, expect, test } from '@jest/globals'
import { commandLineText, InspectError } from '../src/base/errors.ts'
import { CountedBytes, Lease, Memory } from '../src/base/memory.ts'

describe('leases of memory', () => {
  test('get a third of it together, and give it back', () => {
    const memory = new Memory(300)
    const [one, other] = [new Lease(memory), new Lease(memory)]
    one.hold(60)
    other.hold(40)
    expect(() => other.hold(41)).toThrow('expected at most 100 unfiltered bytes in tiles that are needed at once')
    expect(() => other.hold(41)).toThrow('found 41, beside 60 that are still needed')
    expect(other.bytes).toBe(40)
    one.release()
    other.hold(100)
    other.release()
    expect(memory.held).toBe(0)
  })

  test('wait for others that give something back, in any order', async () => {
    const memory = new Memory(300)
    let most = 0
    const unit = async (bytes: number): Promise<void> => {
      const lease = new Lease(memory)
      await lease.wait(bytes)
      most = Math.max(most, memory.held)
      await new Promise((resolve) => setTimeout(resolve, 1))
      lease.release()
    }
    await Promise.all([100, 10, 60, 60, 100, 1, 50, 99].map(unit))
    expect([most <= 100, memory.held]).toEqual([true, 0])
  })

  test('more than there is for all is refused at once', async () => {
    const memory = new Memory(300)
    new Lease(memory).hold(1)
    await expect(new Lease(memory).wait(101)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  test('threads have equal shares', () => {
    const memory = new Memory(3000, true)
    memory.threads = 4
    expect(memory.facts).toEqual({ bytes: 750, isSet: true })
    expect(memory.room).toBe(250)
  })
})

test('bytes of lists are counted up to a share of memory, which the error names', () => {
  const refusal = (counted: CountedBytes): unknown => {
    try {
      for (let i = 0; i < 100; i++) counted.add(20, 'file')
    } catch (error) {
      return error instanceof InspectError ? [error.code, error.at.file, commandLineText(error)] : error
    }
    return undefined
  }
  const memory = new Memory(300)
  const names = 'expected at most 100 bytes of names (a third of --memory), found 120 or more'
  expect(refusal(new CountedBytes(memory, 'names'))).toEqual(['TOO_LARGE', 'file', names])
  const lines = 'expected at most 25 bytes of lines (1/12 of --memory), found 40 or more'
  expect(refusal(new CountedBytes(memory, 'lines', 4))).toEqual(['TOO_LARGE', 'file', lines])
})
