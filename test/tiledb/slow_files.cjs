/*
 * Loaded before the program (`node --require`): each listing of an array's folder waits for up to 150 ms, and each opening of a file for up to 10 ms,
 * so that more of what a writer does falls between them.
 */
const fs = require('node:fs')

const pause = new Int32Array(new SharedArrayBuffer(4))

function slow(name, most) {
  const work = fs[name]
  fs[name] = (path, ...given) => {
    if (String(path).includes('/__')) Atomics.wait(pause, 0, 0, Math.random() * most)
    return work(path, ...given)
  }
}

slow('readdirSync', 150)
slow('openSync', 10)
