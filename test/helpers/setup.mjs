import { addEventHandler } from 'jest-circus'
import '../fuzz/register.mjs'

const LONGEST_MS = 60_000

// The runner for plain Node waits for a test for ever. Here one that hangs fails.
addEventHandler((event, state) => {
  if (event.name !== 'add_test') return
  const test = state.currentDescribeBlock.children.at(-1)
  const { fn, timeout = LONGEST_MS } = test
  if (fn !== undefined) test.fn = () => inTime(fn, timeout)
})

async function inTime(run, milliseconds) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the test took longer than ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([run(), late])
  } finally {
    clearTimeout(timer)
  }
}
