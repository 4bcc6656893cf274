import type { Layer, LayerName } from './layer.ts'
import type { DatasetPart } from './part.ts'
import { DATASET_TYPE, isVcf } from './vcf/recognise.ts'
import { isVectorIndex } from './vector-search/recognise.ts'

/** How a layer is recognised, and where its own code is. */
export interface LayerRow {
  /**
   * Whether a group, an array or a folder is one of the layer's. It reads the key-value metadata of the part, or of a plain folder the
   * names in it; of a group without such metadata the names of its members.
   */
  recognises(part: DatasetPart): boolean | Promise<boolean>
  load(): Promise<Layer>
  /** Whether only the arrays say of themselves that they are the layer's: the dataset is then the group that lists them. */
  isOfArrays?: true
  /**
   * Whether an array may belong to a dataset of the layer, though it does not say so itself. Reads its schema and its key-value metadata:
   * the groups around it are looked at only then.
   */
  mayHold?(array: DatasetPart): boolean | Promise<boolean>
}

/** Names of all data frames of a store of cellarr, and of the group of its matrices. Stores before 0.3 do not have the group. */
const CELLARR_NAMES = ['cell_metadata', 'gene_annotation', 'sample_metadata', 'assays']
/** So many of them are enough: one may be lost. */
const CELLARR_ENOUGH = 3

async function isOfType(part: DatasetPart, ...types: readonly string[]): Promise<boolean> {
  const type = await part.text(DATASET_TYPE)
  return type !== undefined && types.includes(type)
}

/** Whether an array has one of some names, and fields with certain names. */
async function looksLike(part: DatasetPart, names: RegExp, fields: readonly string[]): Promise<boolean> {
  if (!names.test(part.target?.path.split('/').at(-1) ?? '')) return false
  const schema = await part.schema()
  const all = [...(schema?.domain.dimensions ?? []), ...(schema?.attributes ?? [])].map(({ name }) => name)
  return fields.every((name) => all.includes(name))
}

async function hasKey(part: DatasetPart, isOne: (key: string) => boolean): Promise<boolean> {
  return [...(await part.metadata()).keys()].some(isOne)
}

/**
 * The layers, in the order in which they are asked.
 * @see the specification of each, in its folder
 */
export const LAYERS: Readonly<Record<LayerName, LayerRow>> = {
  soma: {
    recognises: (part) => hasKey(part, (key) => key === 'soma_object_type'),
    load: async () => (await import('./soma/soma.ts')).soma,
  },
  bioimg: {
    recognises: async (part) => part.group !== undefined && (await isOfType(part, 'bioimg')),
    mayHold: (array) => looksLike(array, /^l_\d+/, ['X', 'Y']),
    load: async () => (await import('./bioimg/bioimg.ts')).bioimg,
  },
  gdal: {
    recognises: async (part) => (await isOfType(part, 'raster', 'geometry')) || hasKey(part, (key) => key === '_gdal'),
    load: async () => (await import('./gdal/gdal.ts')).gdal,
  },
  gdalMultidim: {
    recognises: async (part) =>
      part.array !== undefined && (await hasKey(part, (key) => key === '_CRS' || key === '_UNIT')),
    load: async () => (await import('./gdal/multidim.ts')).gdalMultidim,
    isOfArrays: true,
  },
  pdal: {
    recognises: async (part) => (await isOfType(part, 'pointcloud')) || hasKey(part, (key) => key === '_pdal'),
    load: async () => (await import('./pdal/pdal.ts')).pdal,
  },
  silvimetric: {
    // `config` alone is a name that others may use.
    recognises: async (part) =>
      part.array !== undefined &&
      (await part.metadata()).has('config') &&
      ((await hasKey(part, (key) => /^shatter(?:_\d+)?$/.test(key))) ||
        /"next_time_slot"/.test((await part.text('config')) ?? '')),
    load: async () => (await import('./silvimetric/silvimetric.ts')).silvimetric,
  },
  cellarr: {
    async recognises(part) {
      const names = await part.namesInFolder()
      return CELLARR_NAMES.filter((name) => names.has(name)).length >= CELLARR_ENOUGH
    },
    mayHold: async (array) =>
      (await looksLike(array, /./, ['cell_index', 'gene_index'])) ||
      looksLike(array, /^(?:cell_metadata|gene_annotation|sample_metadata)$/, []),
    load: async () => (await import('./cellarr/cellarr.ts')).cellarr,
  },
  cf: {
    recognises: async (part) =>
      (await hasKey(part, (key) => /^__tiledb_(?:attr|dim)\.|^__xr_variable_/.test(key))) ||
      (part.group !== undefined && /^CF-/.test((await part.text('Conventions')) ?? '')),
    load: async () => (await import('./cf/cf.ts')).cf,
    isOfArrays: true,
  },
  filestore: {
    recognises: async (part) =>
      part.array !== undefined &&
      (await hasKey(part, (key) => key === 'mime_type')) &&
      (await hasKey(part, (key) => key === 'file_size')),
    load: async () => (await import('./filestore/filestore.ts')).filestore,
  },
  pandas: {
    recognises: async (part) =>
      part.array !== undefined && (await hasKey(part, (key) => key === '__pandas_index_dims')),
    load: async () => (await import('./pandas/pandas.ts')).pandas,
  },
  vectorSearch: {
    recognises: isVectorIndex,
    mayHold: async (array) =>
      (await looksLike(array, /^(?:shuffled|partition|pq|adjacency)_|^(?:parts|ids|centroids|index)\.tdb$/, [
        'values',
      ])) || looksLike(array, /^updates$/, ['external_id', 'vector']),
    load: async () => (await import('./vector-search/vector-search.ts')).vectorSearch,
  },
  // The last, as the members of old datasets tell what they are.
  vcf: {
    recognises: isVcf,
    mayHold: async (array) =>
      (await hasKey(array, (key) => key === 'anchor_gap')) ||
      (await looksLike(array, /vcf_headers$/, ['sample', 'header'])) ||
      looksLike(array, /(?:allele_count|variant_stats|sample_stats)$/, []),
    load: async () => (await import('./vcf/vcf.ts')).vcf,
  },
}

/** A layer that was recognised. */
export interface Recognised {
  layer: Layer
  isOfArrays: boolean
}

/** The layers that an array may belong to, the likeliest first: parts of datasets before arrays that stand alone. */
export async function* layersOfArray(array: DatasetPart): AsyncGenerator<LayerRow & { name: LayerName }> {
  const rows = (Object.entries(LAYERS) as [LayerName, LayerRow][]).map(([name, row]) => ({ ...row, name }))
  for (const row of rows) if (await row.mayHold?.(array)) yield row
  for (const row of rows) if (await row.recognises(array)) yield row
}

/** The layer that a part belongs to. Undefined if none is known. */
export async function recognise(part: DatasetPart): Promise<Layer | undefined> {
  return (await recogniseRow(part))?.layer
}

/** As {@link recognise}, with what else its row says. */
export async function recogniseRow(part: DatasetPart): Promise<Recognised | undefined> {
  for (const { recognises, load, isOfArrays } of Object.values(LAYERS))
    if (await recognises(part)) return { layer: await load(), isOfArrays: isOfArrays === true }
  return undefined
}
