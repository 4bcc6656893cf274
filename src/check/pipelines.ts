import type { ArraySchema } from '../format/array-schema.ts'
import type { FilterPipeline } from '../format/filter-pipeline.ts'

/** The filter pipelines of a schema, by the names that findings give them. */
export function pipelinesOf(schema: ArraySchema): [field: string, pipeline: FilterPipeline][] {
  const { coords_filters, offsets_filters, validity_filters, domain, attributes } = schema
  return [
    ['coords_filters', coords_filters],
    ['offsets_filters', offsets_filters],
    ...(validity_filters ? [['validity_filters', validity_filters] as [string, FilterPipeline]] : []),
    ...domain.dimensions.map(({ name, filters }): [string, FilterPipeline] => [`dimensions.${name}.filters`, filters]),
    ...attributes.map(({ name, filters }): [string, FilterPipeline] => [`attributes.${name}.filters`, filters]),
  ]
}
