/** Tests run as native ES modules; TypeScript is stripped by the same engine that builds the package. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/helpers/strip-types.mjs' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build'],
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/**/kernels/assembly/**'],
  testTimeout: 60_000,
  maxWorkers: '100%',
}
