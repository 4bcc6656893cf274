import { argv, stdout } from 'node:process'
import { parseRangeSets } from '../../src/calls/ranges.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { chosenPicture } from '../../src/page/picture/chosen.ts'
import { picturedFragments, readPicture, stagesOf } from '../../src/page/picture/picture.ts'
import { colouredPixels, endsOf } from '../../src/page/picture/pixels.ts'
import { pictureFacts, pixelValue } from '../../src/page/raster.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'

/**
 * Prints the picture that the page shows first of each array: node --import ./test/fuzz/register.mjs test/tiledb/pictures.mjs ARRAY…
 * A line is one array: the values as they are seen, row after row from the top, and the colours of the pixels.
 */

for (const path of argv.slice(2)) {
  const opened = await openAt(new InspectArray(new Folder(localFiles, path), contextFor({ key: undefined })))
  const source = { ...pictureFacts(opened), fragments: picturedFragments(opened), unopened: [] }
  const { up, across, frame, planes, fillIsValue, isTrue } = chosenPicture(source, { v: 'heat' }, undefined)
  const found = []
  for (const { attribute, ranges } of planes) {
    const asked = parseRangeSets(source.dimensions, ranges)
    const wanted = { down: up, right: across, attribute, ranges: asked, isWhole: false, fillIsValue }
    const steps = { isDue: () => false, isWhole: false, onFault: undefined }
    let last
    for await (const stage of stagesOf(readPicture(opened, wanted, steps))) last = stage.found
    found.push(last)
  }
  const [{ down, right, kind }] = found
  const [low, high] = endsOf(found)
  const pixels = colouredPixels(found, { palette: 'viridis', low, high, isLog: false }, { fill: 1, null: 2 })
  const seen = []
  for (let y = 0; y < down.length; y++)
    for (let x = 0; x < right.length; x++) {
      const [row, column] = [frame.isLastTop ? down.length - 1 - y : y, frame.isLastLeft ? right.length - 1 - x : x]
      const i = row * right.length + column
      const values = found.map((one) => pixelValue(one, i) ?? 'none')
      seen.push([...values, [...pixels.subarray(4 * i, 4 * i + 3)].reduce((sum, part) => sum * 256 + part, 0)])
    }
  const names = [up, across].map((d) => source.dimensions[d].name)
  stdout.write(
    `${JSON.stringify({ names, kind, isTrue, ends: [low, high], rows: down.length, columns: right.length, seen })}\n`,
  )
}
