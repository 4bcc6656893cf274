const { expect } = globals()

/** What the circus of the file of tests that runs has (circus.mjs). */
function globals() {
  return globalThis[Symbol.for('jest.globals')]
}

/** A function of the circus. Helpers of tests import it once and call it from each file. */
const now = (name) =>
  new Proxy(() => {}, {
    apply: (_, _self, given) => globals()[name](...given),
    get: (_, key) => globals()[name][key],
  })

export { expect }
export const [afterAll, afterEach, beforeAll, beforeEach] = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach'].map(
  now,
)
export const [describe, test] = ['describe', 'test'].map(now)
