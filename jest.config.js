import { sameOnAnyNode } from './test/helpers/of-node.mjs'

// What TileDB reads depends on the time. Fixtures are read at one that is behind those of all of them, whatever the clock says.
process.env.TILEDB_INSPECT_NOW ??= '1900000000000'

/** Tests run as native ES modules; TypeScript is stripped by the same engine that builds the package. */
export default {
  globalSetup: '<rootDir>/test/helpers/seed.mjs',
  globalTeardown: '<rootDir>/test/helpers/fixtures-kept.mjs',
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.TESTS_OF_NODE === '1' ? sameOnAnyNode() : [])],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/helpers/strip-types.mjs' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build'],
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/**/kernels/assembly/**'],
  testTimeout: 60_000,
  maxWorkers: '100%',
  // Modules of tests that have ended stay in memory, and collecting garbage beside those of a hundred files takes a third of the time.
  workerIdleMemoryLimit: '200MB',
}
