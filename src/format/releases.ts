/** For each format version: the TileDB releases that write it. Every release writes exactly one version. */
const WRITTEN_BY: Readonly<Record<number, string>> = {
  1: '1.4',
  2: '1.5',
  3: '1.6',
  4: '1.7',
  5: '2.0',
  6: '2.1',
  7: '2.2.0 to 2.2.2',
  8: '2.2.3 and later 2.2',
  9: '2.3',
  10: '2.4 to 2.6',
  11: '2.7',
  12: '2.8',
  13: '2.9',
  14: '2.10',
  15: '2.11',
  16: '2.12 and 2.13',
  17: '2.14',
  18: '2.15',
  19: '2.16',
  20: '2.17 and 2.18',
  21: '2.19 to 2.24',
  22: '2.25 to 2.30',
}

/** The newest format version that any release writes. No release opens a newer version. */
export const NEWEST_STABLE = Math.max(...Object.keys(WRITTEN_BY).map(Number))

/** What TileDB refuses, and what its reads cost, was measured with this release. explain/memory/release.ts has its numbers. */
export const MEASURED_RELEASE = '2.30'

/** Returns the TileDB releases that write a format version, as text; undefined for versions that none writes. */
export function writtenBy(version: number): string | undefined {
  return WRITTEN_BY[version]
}

/** Returns the TileDB releases that read a format version, as text: the first that writes it, and all later ones. */
export function readBy(version: number): string | undefined {
  const first = WRITTEN_BY[version]?.split(' ')[0]
  return first && `${first} and later`
}
