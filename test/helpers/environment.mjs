/** The environment that jest creates for each test file. It is empty, because tests run in Node's own context (circus.mjs). */
export default class Environment {
  global = {}
  // Jest calls this after each test file, although no test mocks anything.
  moduleMocker = { restoreAllMocks() {} }

  getVmContext() {
    return null
  }

  async setup() {}
  async teardown() {}
}
