import { sameOnAnyNode } from './test/helpers/of-node.mjs'

// What TileDB reads depends on the time. Fixtures are read at one that is behind those of all of them, whatever the clock says.
process.env.TILEDB_INSPECT_NOW ??= '1900000000000'

/** Tests run as native ES modules, which Node loads itself (test/helpers/circus.mjs). */
export default {
  globalSetup: '<rootDir>/test/helpers/seed.mjs',
  globalTeardown: '<rootDir>/test/helpers/fixtures-kept.mjs',
  testEnvironment: '<rootDir>/test/helpers/environment.mjs',
  testRunner: '<rootDir>/test/helpers/circus.mjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.TESTS_OF_NODE === '1' ? sameOnAnyNode() : [])],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build'],
  injectGlobals: false,
  testTimeout: 60_000,
  maxWorkers: '100%',
}
