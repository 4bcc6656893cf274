/*
 * What a layer says of a picture of a dataset: which array, which attributes, and what its dimensions mean. Whoever draws it decides by
 * these facts alone which way is up, and knows no layer.
 */

/**
 * What the coordinates of a dimension stand for. `row` and `column` count from the upper left corner of an image; the others are
 * places or times, which rise to the top and to the right.
 */
export type AxisRole = 'row' | 'column' | 'y' | 'x' | 'latitude' | 'longitude' | 'time'

/** An array with the place of each coordinate of a dimension. */
export interface CoordinateValues {
  /** The path of its names in the dataset. */
  array: string
  /** The attribute with the places. */
  attribute: string
}

/** A dimension whose cells are channels of an image. */
export interface ImageChannels {
  /** Its name. */
  dimension: string
  /** The coordinates to show: one, or three for red, green and blue. */
  at: readonly number[]
}

/** Names for the rows of a matrix. */
export interface RowNames {
  /** The array: the path of its names in the dataset. */
  array: string
  /** Its only dimension, whose coordinates are rows of the matrix. */
  dimension: string
  /** Attributes that may name the rows: the first with several different names does. */
  attributes: readonly string[]
}

/** A dimension of a picture. */
export interface PictureAxis {
  /** Its name. */
  dimension: string
  role: AxisRole
  /** Whether the places fall while the coordinates rise, as in rasters whose first row is in the north. Left out if they rise, or if `values` tell. */
  falls?: boolean | undefined
  /** The array with the place of each coordinate; it rises or falls. */
  values?: CoordinateValues | undefined
  /** Number of coordinates of the picture, from the first. Left out if all belong to it. */
  length?: number | undefined
}

/** Cells on a grid. */
export interface LayerImage {
  /** Cells on a grid. */
  kind: 'image'
  /** What it shows. */
  title: string
  /** The array: the path of its names in the dataset; empty if it is the target. */
  array: string
  /** The two dimensions. */
  axes: readonly [PictureAxis, PictureAxis]
  /** The attribute to show; three for red, green and blue. */
  attributes: readonly string[]
  /** The dimension whose cells are channels, and which to show: one, or three for red, green and blue. Left out if there is none. */
  channels?: ImageChannels | undefined
}

/** Points with two numbers each, which are cells of one row of a matrix. */
export interface LayerPoints {
  /** Points with two numbers each. */
  kind: 'points'
  /** What it shows. */
  title: string
  /** The array: the path of its names in the dataset; empty if it is the target. */
  array: string
  /** Name of the dimension with a row for each point. */
  row_dimension: string
  /** Name of the dimension with the numbers of each row: the first two are shown, across and up. */
  number_dimension: string
  /** The attribute with the numbers. */
  attribute: string
  /** Names for the rows, which colours tell apart. Left out if there are none. */
  colours?: RowNames | undefined
}

/** A picture of a dataset. */
export type LayerPicture = LayerImage | LayerPoints
