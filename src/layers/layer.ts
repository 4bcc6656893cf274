import type { RangeSets } from '../cells/bounds.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import type { LostAs } from '../check/across.ts'
import type { Items, Level } from '../check/finding.ts'
import type { OpenedArray } from '../read/query.ts'
import type { DatasetPart } from './part.ts'
import type { LayerPicture } from './picture.ts'

/*
 * What every layer tells, in words that renderers, the page and other programs can show without knowing the layer.
 */

/** The layers that are known: the key of each in {@link import('./layers.ts').LAYERS}. */
export type LayerName =
  | 'soma'
  | 'bioimg'
  | 'gdal'
  | 'gdalMultidim'
  | 'pdal'
  | 'silvimetric'
  | 'cellarr'
  | 'cf'
  | 'filestore'
  | 'pandas'
  | 'vectorSearch'
  | 'vcf'

/** A value of a fact: shown as it is. A list is shown with commas. Null is shown as none. */
export type FactValue = string | number | bigint | boolean | null | readonly (string | number | bigint)[]

/** Something that a layer tells about a dataset or a member. */
export interface LayerFact {
  /** Name, in the words of the layer. */
  name: string
  /** The value. */
  value: FactValue
}

/** Facts of several things of one kind. */
export interface LayerTable {
  /** What the rows are about. */
  title: string
  /** Headings of the columns. */
  columns: readonly string[]
  /** The values of each thing, one a column. */
  rows: readonly (readonly FactValue[])[]
}

/** What a layer says of one member of a dataset. */
export interface LayerMember {
  /** What the layer calls it, such as `SOMADataFrame`. */
  type: string
  facts: readonly LayerFact[]
}

/** What a layer says of a dataset. */
export interface LayerDescription {
  layer: LayerName
  /** The name of the layer, as its authors write it. */
  title: string
  /** What the layer calls the dataset, such as `SOMAExperiment`. */
  type: string
  /** Version of the layer's format; null if the dataset has none. */
  version: string | null
  /** Whether the version is one that is known here. */
  is_version_known: boolean
  facts: readonly LayerFact[]
  tables: readonly LayerTable[]
  /** Pictures that can be drawn of it, the most telling first. Left out if there are none. */
  pictures?: readonly LayerPicture[]
  /** By the names from the dataset down to the member. The dataset itself has none. */
  members: ReadonlyMap<string, LayerMember>
}

/** What an array is in the words of a layer, for commands that look at one array alone. */
export interface ArrayWords {
  /** What the layer calls the array, such as `SOMADataFrame`. */
  type: string
  /** What the layer calls the dataset around it, such as `SOMAExperiment`. */
  dataset_type: string
  /** What a cell is, with its article: `an observation`. Undefined if no word says more than `a cell`. */
  cell?: string | undefined
  /** What a field is, by its name, if the name does not tell. The text follows the word `is`. */
  fields?: Readonly<Record<string, string>> | undefined
}

/** How closely a layer looks at a dataset. */
export interface Look {
  /** Whether to read cells, too. Some facts are cells: names, and counts of what cells mean. */
  cells?: boolean
}

/** What a layer can tell of its datasets. */
export interface Layer {
  /**
   * Reads key-value metadata, schemas and names of fragments, as a list of the dataset does. Reads cells only if asked to.
   * @throws InspectError of cells that cannot be read
   */
  describe(part: DatasetPart, look?: Look): Promise<LayerDescription>
  /**
   * What an array is. Reads no more than its schema and the key-value metadata of the array and the dataset.
   * @param part with its names from the dataset down
   * @param top the dataset without its members; the array itself if there is none around it
   */
  words?(part: DatasetPart, top: DatasetPart): Promise<ArrayWords | undefined>
  /** Whether a group is a dataset of its own, though a group around it may be of the layer, too. */
  isWhole?(part: DatasetPart): Promise<boolean>
  /**
   * What a missing member is for the library of the layer.
   * @param name of the member
   * @param group that lists it, without its members
   */
  lostAs?(name: string, group: DatasetPart): Promise<LostAs | undefined>
  /** The same if the group has no sign of the layer, but is in a dataset of it. @param path names from the dataset down */
  lostBelow?(path: string): LostAs | undefined
  /**
   * What is wrong between the parts of a dataset, not in one array alone.
   * @param level `cells` reads cells; the others read key-value metadata and schemas
   */
  check(part: DatasetPart, level: Level): Items
  /**
   * The cells of an array whose rows meet conditions on the axes. Left out by layers without axes.
   * @throws InspectError USAGE if there is no such array or axis; and those of conditions
   */
  select?(part: DatasetPart, path: string, conditions: AxisConditions): Promise<LayerSelection>
}

/** The axes of annotated matrices: observations, and variables. */
export type AxisName = 'obs' | 'var'

/** Conditions as text, as `--where` takes them, by axis. */
export type AxisConditions = Readonly<Partial<Record<AxisName, string>>>

/** The cells of an array that a layer selects. */
export interface LayerSelection {
  opened: OpenedArray
  /** Ranges that hold all wanted cells, and perhaps others. */
  ranges: RangeSets
  /** The columns of the selection. @param columns those of the array */
  columns(columns: readonly ColumnType[]): readonly ColumnType[]
  /** The wanted cells. @param batches the cells in the ranges */
  batches(batches: AsyncIterable<CellBatch>): AsyncGenerator<CellBatch>
}
