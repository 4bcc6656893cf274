/**
 * Faults of TileDB releases that show in their arrays, with what they mean for a reader. A finding about one becomes a note.
 * known-faults.ts and old-orders.ts recognize them.
 */
export const KNOWN_FAULTS = {
  emptyString:
    'TileDB before 2.4 computes wrong upper ends of boxes that begin with the empty string: readers may miss cells',
  // About NaN coordinates. Measured with queries of TileDB 2.30 on such arrays, with and without ranges.
  nanCoordinate:
    'TileDB accepts NaN as a coordinate: reads without a range of this dimension find such cells; reads with a range find them only if it covers the whole box of their tile',
  nanBox:
    'TileDB makes such a box where the first coordinate of a tile is NaN: reads with a range of this dimension miss the tiles in the box, even cells with other coordinates; reads without one find them',
  nanDomain: 'TileDB writes such a domain where coordinates are NaN; readers still look at the boxes of tiles',
  nanUnion:
    'TileDB ignores the boxes before a box of NaN when it computes the box around them: reads with a range of this dimension may miss cells',
  surplusEntries:
    'TileDB 2.2 also added an entry for each validity tile when it wrote in global order; readers never look there',
  validityAsValues:
    'in ordered writes of dense arrays, TileDB 2.4 to 2.10 filters validity as if it were values, and reads it as bytes: the wrong cells may read as null, and nulls as values. decode and read give the nulls that were written if a filter stores the type',
  lossyCoordinates:
    'a filter of a dimension keeps only some digits of its coordinates: TileDB ordered and bounded the cells by the coordinates as they were written, so readers may skip cells',
  // About statistics.
  extremesOfNulls:
    'where all fixed-length strings of a tile are null, TileDB takes minimum and maximum of the fragment from the wrong tiles',
  varNullsUncounted: 'TileDB does not count the nulls of var-sized fields without minima and maxima',
  textNullsUncounted: 'TileDB does not count the nulls of text in encodings other than ASCII',
  denseNullsRepeated:
    'TileDB counts nulls of dense attributes without minima and maxima once for each run of cells, padding included',
  denseStringValidity:
    'in dense fragments, TileDB uses the validity of the wrong cells to find the strings that are null',
  nullableTextExtremes: 'before format 21 TileDB computes these wrongly for nullable strings of fixed length',
  batchesSwapped:
    'in dense fragments with fewer tiles than attributes, TileDB stores minima and maxima of var-sized attributes for the wrong tiles',
  // TileDB 2.30 uses them for aggregates, but not for query conditions.
  nanExtremes:
    'TileDB starts minimum and maximum of a tile anew after a NaN: aggregates (min, max) of such tiles may be wrong; reads give the cells as they are',
  // About the order of cells.
  armOrder:
    'TileDB on ARM processors orders cells of float dimensions differently where a tile number is NaN or too large: readers on other processors may merge them wrongly',
  orderWithoutTiles: 'TileDB before 2.0 orders cells without regard to tiles where a dimension has no tile extent',
  orderOfWideDomains:
    'TileDB before 2.0 orders cells of float domains, and of those wider than half their type, without regard to tiles',
  wrappedTileNumbers:
    'TileDB before 2.3.1 computes wrong tile numbers in domains wider than half their type: tiles are out of order there',
  byteTileNumbers: 'TileDB 2.3.1 to 2.9 puts tiles of INT8 and INT16 out of order in domains that begin below 0',
  signedText:
    'TileDB orders text by signed bytes when it writes, and by unsigned bytes when it merges: where text is not ASCII, merged reads may show cells twice',
  hilbertTies:
    'TileDB before 2.23 orders cells of the same Hilbert value by the last dimension first; newer releases still read them',
  hilbertRange: 'TileDB before 2.3 orders some close cells differently; newer releases still read them',
  hilbertSpill:
    'in TileDB 2.7 and 2.8, Hilbert values of short texts include bytes of the next text in the buffer: merged reads may be wrong',
  hilbertNan:
    'TileDB takes NaN for equal to every coordinate where Hilbert values are the same: such cells are in no order',
} as const satisfies Readonly<Record<string, string>>

export type KnownFault = keyof typeof KNOWN_FAULTS

export function isKnownFault(key: string): key is KnownFault {
  return Object.hasOwn(KNOWN_FAULTS, key)
}
