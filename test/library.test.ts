import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import * as browser from '../src/browser.ts'
import * as format from '../src/format.ts'
import * as library from '../src/index.ts'
import { localFiles } from '../src/node/file.ts'
import { readAll } from '../src/storage/source.ts'

const ARRAY = 'examples/arrays/places'

/** Names in lines of up to 100 characters. */
function inLines(names: Iterable<string>): string {
  return [...names]
    .sort()
    .join(' ')
    .replace(/(.{1,100})(?: |$)/g, '$1\n')
    .trimEnd()
}

/** The names of the types that a built entry exports. */
function typesOf(entry: 'index' | 'browser' | 'format'): string[] {
  const text = readFileSync(new URL(`../dist/lib/${entry}.d.ts`, import.meta.url), 'utf8')
  const exported = /^export \{([^}]*)\};?\s*$/m.exec(text)?.[1].split(',') ?? []
  const names = exported.map((name) => name.trim().replace(/^type /, ''))
  const values = { index: library, browser, format }[entry]
  return names.filter((name) => !(name in values))
}

describe('the exports of the package: changing a name needs a decision', () => {
  test('.', () => {
    expect(inLines(Object.keys(library))).toMatchInlineSnapshot(`
"ERROR_CODES InspectError MemorySource MemoryStorage cellHistory cellValue collectColumns
folderStorage leafLevel mbrAt open openArray openCells openFragment openGroup readArray readCells
writeArrowStream writeParquet"
`)
    expect(inLines(typesOf('index'))).toMatchInlineSnapshot(`
"ArrayCells ArraySchema Attribute ByteSource CellBatch CellVersion CellWanted Cells CellsWanted
ColumnData ColumnType ColumnValues Datatype Dimension DirectoryHandle Entry Enumeration ErrorCode
ErrorPlace FieldFile FileContent Fragment FragmentCells FragmentEntry FragmentFooter FragmentInfo
FragmentState GroupMember HistoryOptions InspectArray InspectGroup ListedFile MetadataEntry NDRange
OffsetsList OpenOptions RTree RTreeLevel Range RangeEnd ReadOptions ReadOrder ReadTime ReadTimes
Result SchemaFile SlotStatistics Storage Target TileMinMax VersionHiddenBy VersionState WantedRange
WriteParquet"
`)
  })

  test('./browser has the same', () => {
    expect(Object.keys(browser).sort()).toEqual(Object.keys(library).sort())
    expect(typesOf('browser').sort()).toEqual(typesOf('index').sort())
  })

  test('./format', () => {
    expect(inLines(Object.keys(format))).toMatchInlineSnapshot(`
"DATATYPES ERROR_CODES FILTER_TYPES FOOTER_LENGTH_BYTES InspectError NEWEST_FORMAT_VERSION
aesMetadata arrayMetadata arraySchema bitWidthMetadata bytesOf cellValue checksumMetadata childrenOf
compressorMetadata consolidatedFragmentMetadata datatypeSize decode decodePrefix deleteCondition
dictionaryMetadata encode enumerationFile footerHead footerLength footerLengthIsStored
fragmentFooter fragmentMetadataV1 fragmentMinMaxSumNullCount fragmentSlots genericTileHeader
groupDetails leafLevel mbrAt parseConsolidatedCommits parseFragmentName parseTimestampedName
partLengthsMetadata positiveDeltaMetadata processedConditions rleStringMetadata rtree sectionContent
sectionPlaces sumValue tileChunks tileMinMax tileOffsets tileSums trace updateCondition"
`)
    expect(inLines(typesOf('format'))).toMatchInlineSnapshot(`
"AesMetadata ArrayMetadata ArraySchema ArrayType Attribute BitWidthMetadata BitWidthWindow CellValNum
CellValue ChecksumMetadata Coding CombinationOp ComparisonOp CompressedPart CompressorMetadata
ConditionExpression ConditionNode ConditionValue ConsolidatedCommit ConsolidatedFooterEntry
ConsolidatedFragmentMetadata CurrentDomain DataOrder Datatype Describe DictionaryMetadata Dimension
DimensionLabel Domain EncryptedPart EncryptionType Enumeration EnumerationEntry ErrorCode ErrorPlace
FilterConfig FilterPipeline FilterType FooterFields FooterHead FragmentFooter FragmentMetadataV1
FragmentName GenericTileHeader GroupDetails GroupMember Io KeysOf Layout MetadataEntry NDRange
ObjectType OffsetsList OptionalSection Origin PartChecksum PartLengthsMetadata PixelFormat
PositiveDeltaMetadata PositiveDeltaWindow ProcessedConditions RTree RTreeLevel Range RangeType
RleStringMetadata Scalar SectionName SectionPlace Slot SlotFlags SlotKind SlotSectionName
SlotSectionOffsets SlotStatistics Span StoredChunk StringPart TileChunks TileMinMax TileOffsets
TileSums TimestampedName UpdateCondition UpdateValue ValueStyle Wire"
`)
  })
})

test('an array opens by its path, and by a file:// URL', async () => {
  for (const path of [ARRAY, `file://${process.cwd()}/${ARRAY}`]) {
    const array = await library.openArray(path)
    expect(await array.fragments()).toHaveLength(1)
  }
})

test('a fragment opens by an http:// URL, and returns its cells as columns and as rows', async () => {
  const [{ path }] = await (await library.openArray(ARRAY)).fragments()
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '', 'http://here').pathname)
    const source = localFiles.open(`.${name}`)
    readAll(source).then(
      (bytes) => {
        const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
        const end = Math.min(Number(to), bytes.length - 1)
        const part = from === undefined ? bytes : bytes.subarray(Number(from), end + 1)
        response.writeHead(from === undefined ? 200 : 206, {
          'content-length': part.length,
          'content-type': 'application/octet-stream',
          ...(from === undefined ? {} : { 'content-range': `bytes ${from}-${end}/${bytes.length}` }),
        })
        response.end(request.method === 'HEAD' ? undefined : part)
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const fragment = await library.openFragment(`http://127.0.0.1:${port}/${ARRAY}/${path}`)
    expect((await fragment.info()).tile_num).toBe(5)
    const rows = []
    for await (const row of library.readCells(fragment)) rows.push(row)
    expect(rows).toHaveLength(40)
    const cells = await library.openCells(fragment, { fields: ['name'] })
    let count = 0
    for await (const { cell_num } of cells.batches()) count += cell_num
    expect(count).toBe(40)
    await cells.close()
    await fragment.close()
  } finally {
    server.close()
  }
  await expect(library.openArray('tiledb://space/array')).rejects.toMatchObject({ code: 'USAGE' })
  await expect(library.openGroup(ARRAY)).rejects.toMatchObject({ code: 'WRONG_TARGET' })
})
