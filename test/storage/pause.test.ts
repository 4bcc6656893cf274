import { afterEach, expect, test } from '@jest/globals'
import { eventsWereHandled, pauseForEvents } from '../../src/node/pause.ts'

const { now } = Date
afterEach(() => {
  Date.now = now
  eventsWereHandled()
})

/** Sets the clock, in milliseconds since 1970. */
function setClock(time: number): void {
  Date.now = () => time
}

test('the event loop gets a turn after a while, and at once if the clock was set back', async () => {
  setClock(1_000_000)
  eventsWereHandled()
  setClock(1_000_099)
  expect(pauseForEvents()).toBeUndefined()
  setClock(1_000_100)
  const pause = pauseForEvents()
  expect(pause).toBeInstanceOf(Promise)
  await pause
  expect(pauseForEvents()).toBeUndefined()
  setClock(500_000)
  expect(pauseForEvents()).toBeInstanceOf(Promise)
})
