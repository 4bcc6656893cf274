import type { ArraySpec, GroupSpec } from './parts.ts'

/*
 * Small datasets of layers, healthy unless they are told otherwise.
 */

export const level = (height: number, width: number, keys: Record<string, string> = {}): ArraySpec => ({
  options: {
    dense: true,
    dim: [`Y:UINT16:0..${height - 1}:${height}`, `X:UINT16:0..${width - 1}:${width}`],
    attr: ['intensity:UINT8'],
    cells: '0',
  },
  keys,
})

export const listed = (...shapes: readonly (readonly [number, number])[]): string =>
  JSON.stringify(shapes.map((shape, i) => ({ level: i, name: `l_${i}.tdb`, axes: 'YX', shape })))

export function image(keys: Record<string, string> = {}, members: GroupSpec['members'] = {}): GroupSpec {
  return {
    members: { 'l_0.tdb': level(20, 16), 'l_1.tdb': level(10, 8), ...members },
    keys: {
      dataset_type: 'bioimg',
      fmt_version: '2',
      valid: 'true',
      axes: 'YX',
      levels: listed([20, 16], [10, 8]),
      ...keys,
    },
  }
}

export const line = (name: string, length = 4, cells?: string): ArraySpec => ({
  options: {
    dense: true,
    dim: [`${name}:INT32:0..${length - 1}:${length}`],
    attr: [`${name}_:FLOAT64`],
    cells: cells ?? `${length}`,
  },
  keys: { [`__tiledb_attr.${name}_.units`]: 'm' },
})

export const field: ArraySpec = {
  options: { dense: true, dim: ['lat:INT32:0..3:4', 'lon:INT32:0..3:4'], attr: ['t:FLOAT32'], cells: '16' },
  keys: { '__tiledb_attr.t.units': 'K' },
}

export function climate(members: GroupSpec['members'] = {}, unlisted: readonly string[] = []): GroupSpec {
  return { members: { lat: line('lat'), lon: line('lon'), t: field, ...members }, unlisted }
}

export const rows = (length: number): ArraySpec => ({
  options: {
    dense: true,
    dim: [`__tiledb_rows:INT64:0..${length - 1}:${length}`],
    attr: ['name:STRING_ASCII'],
    cells: `${length}`,
  },
  keys: { __pandas_index_dims: '{"__tiledb_rows": "int64"}' },
})

export function matrix(cells: readonly (readonly [number, number])[]): ArraySpec {
  return {
    options: { dim: ['cell_index:UINT32:0..9999:100', 'gene_index:UINT32:0..9999:100'], attr: ['data:INT32'] },
    cells: cells.map(([cell_index, gene_index]) => `${JSON.stringify({ cell_index, gene_index, data: 1 })}\n`).join(''),
  }
}

const FRAMES = { cell_metadata: rows(3), gene_annotation: rows(2), sample_metadata: rows(1) }

export function store(members: GroupSpec['members'] = {}): GroupSpec {
  const counts = matrix([
    [0, 0],
    [1, 1],
    [2, 0],
  ])
  return { isPlain: true, members: { ...FRAMES, assays: { members: { counts } }, ...members } }
}

export function pam(width: number, height: number, overviews = 0): string {
  return `<?xml version="1.0"?><!-- made --><PAMDataset><SRS>PROJCS["UTM 11",AUTHORITY["EPSG","26711"]]</SRS>
  <GeoTransform> 1.0e+1, 2, 0, 30, 0, -2</GeoTransform><Metadata domain='IMAGE_STRUCTURE'><MDI key="X_SIZE">${width}</MDI>
  <MDI key="Y_SIZE">${height}</MDI><MDI key="INTERLEAVE">BAND</MDI></Metadata>
  <tiledb:OverviewCount>${overviews}</tiledb:OverviewCount></PAMDataset>`
}

export const raster = (size: number, keys: Record<string, string> = {}): ArraySpec => ({
  options: {
    dense: true,
    dim: ['BANDS:UINT64:1..1:1', `Y:UINT64:0..${size - 1}:${size}`, `X:UINT64:0..${size - 1}:${size}`],
    attr: ['TDB_VALUES:UINT8'],
    cells: '0',
  },
  keys: { dataset_type: 'raster', _gdal: pam(size - 1, size), ...keys },
})

export const cloud: ArraySpec = {
  options: {
    dim: ['X:FLOAT64:0..100:10', 'Y:FLOAT64:0..100:10', 'Z:FLOAT64:0..100:10'],
    attr: ['Intensity:UINT16'],
    cells: '5',
    coordsFilters: '',
  },
  keys: { dataset_type: 'pointcloud', _pdal: '{"root":{"readers.las":{"spatialreference":"EPSG:4326"}}}\0' },
}

export const config = {
  root: [0, 0, 60, 60],
  resolution: 10,
  attrs: [{ name: 'Z' }],
  version: '1.2',
  next_time_slot: 3,
}
export const forest = (keys: Record<string, string> = {}): ArraySpec => ({
  options: {
    dense: true,
    dim: ['X:UINT64:0..6:7', 'Y:UINT64:0..6:7'],
    attr: ['count:UINT32', 'Z:FLOAT32'],
    cells: '0',
  },
  keys: { config: JSON.stringify(config), shatter_1: '{"finished":true}', shatter_2: '{"finished":true}', ...keys },
})

export const file: ArraySpec = {
  options: { dense: true, dim: ['position:UINT64:0..1023:1024'], attr: ['contents:UINT8'], cells: '1024' },
  // Values of numbers are bytes, little-endian.
  keys: { mime_type: 'text/plain', original_file_name: 'notes.txt' },
}

export const multidim = (length: number): GroupSpec => ({
  members: {
    x: { ...line('x', length), keys: { _UNIT: 'm' } },
    wind: { ...line('x'), keys: { _UNIT: 'm/s', _CRS: 'x' } },
  },
})

export const vector: ArraySpec = {
  options: {
    dim: ['_X:FLOAT64:0..100:10', '_Y:FLOAT64:0..100:10'],
    attr: ['FID:INT64', 'wkb_geometry:UINT8:var'],
    cells: '2',
  },
  keys: { dataset_type: 'geometry', GeometryType: 'Point', FID_ATTRIBUTE_NAME: 'FID' },
}
