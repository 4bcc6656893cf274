import { NEWEST_FORMAT_VERSION } from '../../format/format-version.ts'
import { nameFacts } from '../../format/timestamped-name.ts'
import type { LayerFact } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { ENCODING_VERSION, ENCODINGS, FORMAT_RELEASES, isBeforeOne } from './objects.ts'

/** Which releases of tiledbsoma open a dataset, and why older ones do not. */
export async function releaseFacts(top: DatasetPart): Promise<LayerFact[]> {
  if (await isBeforeOne(top)) return [{ name: 'opened by', value: 'tiledbsoma before 1.0' }]
  let encoding: { version: string; release: number } = { version: '', release: 0 }
  let format = 0
  for (const part of top.all()) {
    const version = await part.text(ENCODING_VERSION)
    const release = version !== undefined && Object.hasOwn(ENCODINGS, version) ? ENCODINGS[version] : undefined
    if (version !== undefined && release === undefined)
      return [{ name: 'opened by', value: 'no known release of tiledbsoma' }]
    if (version !== undefined && release !== undefined && release > encoding.release) encoding = { version, release }
    format = Math.max(format, await newestFormat(part))
  }
  if (format > NEWEST_FORMAT_VERSION) return [{ name: 'opened by', value: 'no known release of tiledbsoma' }]
  const ofFormat = FORMAT_RELEASES.find(({ version }) => format >= version)?.release ?? 0
  const release = Math.max(encoding.release, ofFormat)
  const reason =
    release === encoding.release ? `encoding version ${encoding.version}` : `format version ${format} of TileDB`
  return [
    { name: 'opened by', value: `tiledbsoma 1.${release} or newer` },
    ...(release > 0 ? [{ name: 'older ones refuse', value: reason }] : []),
  ]
}

/** The newest format version of an array: of its schema, or of a fragment. */
async function newestFormat(part: DatasetPart): Promise<number> {
  if (!part.array) return 0
  const schema = await part.schema()
  const fragments = (await part.fragments()).map(({ name }) => nameFacts(name)?.format_version ?? 0)
  return fragments.reduce((most, one) => Math.max(most, one), schema?.version ?? 0)
}
