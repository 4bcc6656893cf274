/** What jest makes for each file of tests: nothing, since tests run where Node itself runs (circus.mjs). */
export default class Environment {
  global = {}
  // Nothing is mocked, but jest asks for this at the end of each file.
  moduleMocker = { restoreAllMocks() {} }

  getVmContext() {
    return null
  }

  async setup() {}
  async teardown() {}
}
