import { createHash } from 'node:crypto'
import { isStringOffsetsTile, TileFile, type TileRole } from '../../src/cells/tile-files.ts'
import { tileRole } from '../../src/cells/tile-places.ts'
import { Pipeline, type StageResult } from '../../src/filters/pipeline.ts'
import { arrayMetadata } from '../../src/format/array-metadata.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import {
  aesMetadata,
  bitWidthMetadata,
  checksumMetadata,
  compressorMetadata,
  dictionaryMetadata,
  partLengthsMetadata,
  positiveDeltaMetadata,
  rleStringMetadata,
} from '../../src/format/chunk-metadata.ts'
import { consolidatedFragmentMetadata } from '../../src/format/consolidated-fragment-metadata.ts'
import { datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import { deleteCondition } from '../../src/format/delete-condition.ts'
import { enumerationFile } from '../../src/format/enumeration.ts'
import { filterPipeline, isCompressor } from '../../src/format/filter-pipeline.ts'
import { FRAGMENT_METADATA_FILE, fragmentFooter } from '../../src/format/fragment-footer.ts'
import { fragmentMetadataV1 } from '../../src/format/fragment-metadata-v1.ts'
import { genericTileHeader } from '../../src/format/generic-tile.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { type Describe, decodePrefix, encode } from '../../src/format/io.ts'
import { sectionContent, sectionPlaces } from '../../src/format/metadata-sections.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { commitKind } from '../../src/objects/commits.ts'
import type { Fragment, FragmentInfo } from '../../src/objects/fragment.ts'
import { openGenericTile, TILE_OF_BYTES } from '../../src/objects/generic-tile.ts'
import type { ReadContext } from '../../src/objects/read-context.ts'
import { Folder, readAll } from '../../src/storage/source.ts'
import { contextFor, type FixtureFolder, fixtureFolders, versionOf } from './fixtures.ts'
import { type Specimen, specimen } from './specimen.ts'

/** Names of structures that are not those of their sections. */
const STRUCTURES: Readonly<Record<string, string>> = {
  fragment_min_max_sum_null_count: 'fragment statistics',
  global_order_mins: 'global order bounds',
  global_order_maxs: 'global order bounds',
}

/** Every structure of every file of the fixtures, each different content once. */
export async function collectSpecimens(): Promise<Specimen[]> {
  const collector = new Collector()
  for (const folder of fixtureFolders()) await collector.folder(folder)
  return collector.specimens
}

/** The footers of all fragments of the fixtures, each different content once. */
export async function collectFooters(): Promise<Specimen[]> {
  const collector = new Collector()
  for (const folder of fixtureFolders()) await collector.footers(folder)
  return collector.specimens
}

class Collector {
  readonly specimens: Specimen[] = []
  private readonly seen = new Set<string>()

  async folder(fixture: FixtureFolder): Promise<void> {
    const cx = contextFor(fixture)
    const folder = new Folder(localFiles, fixture.path)
    const at = { folder, cx, name: fixture.name, version: versionOf(fixture) }
    await this.files(at, '__meta', 'array metadata', arrayMetadata, true)
    if (fixture.kind === 'group') {
      await this.files(at, '__group', 'group details', groupDetails)
      return
    }
    const array = new InspectArray(folder, cx)
    for (const { path } of await array.schemaFiles()) await this.file(at, path, 'array schema', arraySchema)
    await this.files(at, '__schema/__enumerations', 'enumeration', enumerationFile)
    for (const commit of (await array.commits()).files) {
      if (commit.kind === 'delete') await this.file(at, commit.path, 'delete condition', deleteCondition)
      if (commit.kind === 'fragment-metadata') {
        await this.file(at, commit.path, 'consolidated fragment metadata', consolidatedFragmentMetadata, true)
      }
      for (const { tile, text } of commit.entries) {
        if (!tile || commitKind(text) !== 'delete') continue
        const bytes = (await this.read(folder, commit.path)).subarray(tile.offset, tile.offset + tile.length)
        await this.tile(at, `${commit.path}:${text}`, bytes, 'delete condition', deleteCondition)
      }
    }
    for (const entry of await array.fragments()) {
      const fragment = array.fragment(entry.path)
      await this.fragment({ ...at, name: `${at.name}/${entry.name}` }, fragment)
      await fragment.close()
    }
  }

  async footers(fixture: FixtureFolder): Promise<void> {
    if (fixture.kind === 'group') return
    const cx = contextFor(fixture)
    const folder = new Folder(localFiles, fixture.path)
    const array = new InspectArray(folder, cx)
    for (const entry of await array.fragments()) {
      const fragment = array.fragment(entry.path)
      const info = await fragment.info()
      const at = { folder, cx, name: `${fixture.name}/${entry.name}`, version: info.format_version }
      this.footer(at, await this.read(fragment.folder, FRAGMENT_METADATA_FILE), info)
      await fragment.close()
    }
  }

  private async fragment(at: Place, fragment: Fragment): Promise<void> {
    const info = await fragment.info()
    const version = info.format_version
    const metadata = await this.read(fragment.folder, FRAGMENT_METADATA_FILE)
    const here = { ...at, version, folder: fragment.folder }
    if (info.v1) await this.tile(here, 'metadata', metadata, 'fragment metadata v1', fragmentMetadataV1(info.schema))
    this.footer(here, metadata, info)
    await this.sections(here, metadata, info)
    for (const file of await fragment.fieldFiles()) {
      const { kind } = info.slots[file.slot]
      if (kind !== 'attribute' && kind !== 'dimension' && kind !== 'coords' && version < 14) continue
      await this.tiles(here, fragment, info, file.slot, tileRole(file))
    }
  }

  private footer(at: Place, metadata: Uint8Array, { footer, schema }: FragmentInfo): void {
    if (!footer) return
    const { offset, size, slack } = footer
    const bytes = metadata.slice(offset, offset + size)
    this.add(at, 'footer', `footer of ${at.name}`, bytes, fragmentFooter(schema), slack.length > 0)
  }

  private async sections(at: Place, metadata: Uint8Array, { footer, slots, schema }: FragmentInfo): Promise<void> {
    if (!footer) return
    for (const { name, offset } of sectionPlaces(footer, slots)) {
      const structure = STRUCTURES[name] ?? name.replaceAll('_', ' ')
      const describe = sectionContent(name, footer.version, schema, slots)
      await this.tile(at, `${structure} at ${offset}`, metadata.subarray(offset), structure, describe)
    }
  }

  /** The first and the last tile of a data file: its chunks, and what each filter keeps as metadata. */
  private async tiles(at: Place, fragment: Fragment, info: FragmentInfo, slot: number, role: TileRole): Promise<void> {
    const file = await TileFile.open(fragment, slot, role)
    const last = info.tile_num - 1
    for (const tile of last > 0 ? [0, last] : last === 0 ? [0] : []) {
      const stored = await file.stored(tile)
      this.add(at, 'tile chunks', `${file.name} tile ${tile} of ${at.name}`, stored, tileChunks)
      if (role === 'offsets' && isStringOffsetsTile(stored)) continue
      let stringOffsets = false
      if (role === 'var') {
        const offsets = await TileFile.open(fragment, slot, 'offsets')
        stringOffsets = isStringOffsetsTile(await offsets.stored(tile))
        await offsets.close()
      }
      await file.unfilter(tile, stored, { stringOffsets, onStage: (stage) => this.stage(at, stage) })
    }
    await file.close()
  }

  /** What a filter put in front of the metadata of the filters before it. */
  private stage(at: Place, { config, datatype, stringOffsets, input }: StageResult): void {
    const { name } = config
    const found = <T>(structure: string, describe: Describe<T>): void => {
      const { length } = decodePrefix(input.metadata, describe)
      this.add(at, structure, `${name} in ${at.name}`, input.metadata.slice(0, length), describe)
    }
    const empty = input.metadata.length === 0
    if (stringOffsets && name === 'RLE') found('rle string metadata', rleStringMetadata)
    else if (stringOffsets && name === 'DICTIONARY_ENCODING') found('dictionary metadata', dictionaryMetadata)
    else if (isCompressor(name)) found('compressor metadata', compressorMetadata)
    else if (name === 'CHECKSUM_MD5') found('checksum metadata', checksumMetadata(16))
    else if (name === 'CHECKSUM_SHA256') found('checksum metadata', checksumMetadata(32))
    else if (name === 'AES_256_GCM') found('aes metadata', aesMetadata)
    else if (name === 'SCALE_FLOAT' || name === 'BYTESHUFFLE' || name === 'BITSHUFFLE')
      found('part lengths metadata', partLengthsMetadata)
    else if (empty || datatypeKind(datatype) === 'float') return
    else if (name === 'BIT_WIDTH_REDUCTION') found('bit width metadata', bitWidthMetadata(datatypeSize(datatype)))
    else if (name === 'POSITIVE_DELTA') found('positive delta metadata', positiveDeltaMetadata(datatypeSize(datatype)))
  }

  private async files<T>(
    at: Place,
    inside: string,
    structure: string,
    describe: Describe<T>,
    openEnded = false,
  ): Promise<void> {
    for (const { name, kind } of await at.folder.folder(inside).listIfThere()) {
      if (kind === 'file' && !name.endsWith('.vac'))
        await this.file(at, `${inside}/${name}`, structure, describe, openEnded)
    }
  }

  private async file<T>(
    at: Place,
    path: string,
    structure: string,
    describe: Describe<T>,
    openEnded = false,
  ): Promise<void> {
    await this.tile(at, path, await this.read(at.folder, path), structure, describe, openEnded)
  }

  /** A generic tile: its header, its pipeline, its chunks and its payload. */
  private async tile<T>(
    at: Place,
    what: string,
    bytes: Uint8Array,
    structure: string,
    describe: Describe<T>,
    openEnded = false,
  ): Promise<void> {
    const where = `${what} of ${at.name}`
    const { header, payload } = await openGenericTile(bytes, at.cx, { file: where, offset: 0 })
    const { length } = decodePrefix(bytes, genericTileHeader)
    this.add(at, 'generic tile header', where, bytes.slice(0, length), genericTileHeader)
    const pipeline = filterPipeline(header.format_version)
    this.add(at, 'filter pipeline', where, encode(header.filters, pipeline), pipeline)
    const stored = bytes.slice(length, length + header.persisted_size)
    this.add(at, 'generic tile chunks', where, stored, tileChunks)
    const loaded = await Pipeline.load(header.filters.filters, tileType(header, at.cx), at.cx.codecs)
    loaded.reverseTile(stored, { onStage: (stage) => this.stage(at, stage) })
    this.add(at, structure, where, payload.slice(), describe, openEnded)
  }

  private async read(folder: Folder, path: string): Promise<Uint8Array> {
    const source = folder.file(path)
    try {
      return await readAll(source)
    } finally {
      await source.close()
    }
  }

  private add<T>(
    at: Place,
    structure: string,
    where: string,
    bytes: Uint8Array,
    describe: Describe<T>,
    openEnded = false,
  ): void {
    const { version } = at
    const id = `${structure} ${version} ${createHash('sha1').update(bytes).digest('hex')}`
    if (this.seen.has(id)) return
    this.seen.add(id)
    this.specimens.push(specimen({ structure, version, where, openEnded }, bytes, describe))
  }
}

interface Place {
  folder: Folder
  cx: ReadContext
  name: string
  version: number
}

function tileType(
  { format_version }: Awaited<ReturnType<typeof openGenericTile>>['header'],
  { key }: ReadContext,
): Parameters<typeof Pipeline.load>[1] {
  return { ...TILE_OF_BYTES, formatVersion: format_version, key }
}
