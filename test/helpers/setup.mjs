import { addEventHandler } from 'jest-circus'
import '../fuzz/register.mjs'

const LONGEST_MS = 60_000

// The runner for plain Node waits for ever. Here a test or a hook that hangs fails.
addEventHandler((event, { currentDescribeBlock }) => {
  if (event.name === 'add_test') bound(currentDescribeBlock.children.at(-1))
  if (event.name === 'add_hook') bound(currentDescribeBlock.hooks.at(-1))
})

function bound(step) {
  const { fn, timeout = LONGEST_MS } = step
  if (fn !== undefined) step.fn = () => inTime(fn, timeout)
}

async function inTime(run, milliseconds) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([run(), late])
  } finally {
    clearTimeout(timer)
  }
}
