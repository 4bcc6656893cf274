const { expect } = globals()

/** The functions that jest-circus made for the current test file (circus.mjs). */
function globals() {
  return globalThis[Symbol.for('jest.globals')]
}

/** A function that calls the one of the current test file. Test helpers are loaded once per process and used by many test files. */
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
