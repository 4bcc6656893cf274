import type { ComponentChild } from 'preact'
import { Form, formText, RangeFields, typedRanges } from './controls.tsx'
import type { Documents } from './inspected.ts'
import { changeLink, type Link } from './link.ts'
import { listInLink } from './range-list.ts'
import { Text } from './text.tsx'
import { timeOptions } from './times.ts'
import type { ViewProps } from './view.ts'
import { WithSchema } from './with-schema.tsx'

/**
 * The options that say which cells are read. In the link, `r` has the ranges and `f` the fields, each as a JSON list of texts; `w`
 * is the condition, `o` the order, `n` the limit, and `x` has a letter for each switch. The texts are those of the command's
 * options, so the call can be shown before the schema is loaded.
 */
export interface QueryOptions {
  asOf?: string
  range?: readonly string[]
  field?: readonly string[]
  where?: string
  order?: string
  limit?: string
  provenance?: true
  labels?: true
  keepGoing?: true
}

const SWITCHES = {
  p: ['provenance', 'where each cell is stored'],
  l: ['labels', 'labels of enumerations'],
  k: ['keepGoing', 'go on after damage'],
} as const

export function queryOptions(link: Link): QueryOptions {
  const [range, field] = [listInLink(link.r), listInLink(link.f)]
  const on = Object.entries(SWITCHES).filter(([letter]) => link.x?.includes(letter))
  return {
    ...timeOptions(link),
    ...(range.length > 0 && { range }),
    ...(field.length > 0 && { field }),
    ...(link.w && { where: link.w }),
    ...(link.o && { order: link.o }),
    ...(link.n && { limit: link.n }),
    ...Object.fromEntries(on.map(([, [name]]) => [name, true])),
  }
}

/** A sentence about the cells of a dense read that hold fill values; empty for sparse arrays. */
export function fillWords({ array_type }: Pick<Schema, 'array_type'>, { where }: QueryOptions): string {
  if (array_type !== 'dense') return ''
  const others = where === undefined ? 'never written' : 'never written, or do not meet the condition,'
  return ` Cells that were ${others} hold fill values.`
}

/** Options of a command's module as words of a call. */
export function optionWords(options: object): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (value === true) return [option]
    return (Array.isArray(value) ? value : [value]).flatMap((one) =>
      // A value that begins with a dash would be taken for another option.
      String(one).startsWith('-') ? [`${option}=${one}`] : [option, String(one)],
    )
  })
}

type Schema = Documents['schema']

/** The form that says which cells are read, and below it what `show` reads. @param switches letters of {@link SWITCHES} */
export function Queried({
  inspected,
  link,
  switches = 'plk',
  show,
}: ViewProps & { switches?: string; show(schema: Schema): ComponentChild }) {
  return (
    <WithSchema
      {...{ inspected, link }}
      show={(schema) => (
        <>
          <QueryForm {...{ schema, link, switches }} isFragment={inspected.target.type === 'fragment'} />
          {show(schema)}
        </>
      )}
    />
  )
}

/** Checkboxes for attributes, in a form. {@link chosenAttributes} reads them. */
export function AttributeChoice({ attributes, link }: Pick<Schema, 'attributes'> & { link: Link }) {
  const fields = listInLink(link.f)
  if (attributes.length < 2) return null
  return (
    <details>
      <summary>
        {fields.length || 'all'} of {attributes.length} attributes
      </summary>
      {attributes.map(({ name }, i) => (
        <label key={name}>
          <input type="checkbox" name="f" value={i} defaultChecked={fields.length === 0 || fields.includes(name)} />{' '}
          <Text>{name || '(no name)'}</Text>
        </label>
      ))}
    </details>
  )
}

/** `f` of the link for the checked attributes; undefined for all of them. */
export function chosenAttributes(values: FormData, attributes: Schema['attributes']): string | undefined {
  const names = values.getAll('f').flatMap((i) => attributes[Number(i)]?.name ?? [])
  return names.length > 0 && names.length < attributes.length ? JSON.stringify(names) : undefined
}

/** A form for the part of the link that says which cells are read. */
function QueryForm(props: { schema: Schema; link: Link; switches: string; isFragment: boolean }) {
  const { schema, link, switches, isFragment } = props
  const { dimensions, attributes } = schema
  const read = (values: FormData): void => {
    const ranges = typedRanges(values, dimensions)
    changeLink(link, {
      r: ranges.length > 0 ? JSON.stringify(ranges) : undefined,
      f: chosenAttributes(values, attributes),
      w: formText(values, 'w'),
      o: formText(values, 'o'),
      n: formText(values, 'n'),
      x: values.getAll('x').join(''),
      s: undefined,
    })
  }
  return (
    <Form class="query" use={read} of={JSON.stringify(link)}>
      <RangeFields
        dimensions={dimensions}
        ranges={listInLink(link.r)}
        placeholder={(d) => dimensions[d].domain?.join('..') ?? '"a".."b"'}
      />
      <label hidden={isFragment}>
        condition <input name="w" defaultValue={link.w} placeholder="a > 3 and b == 'x'" />
      </label>
      <label hidden={isFragment}>
        order{' '}
        <select name="o">
          {['', 'row-major', 'col-major', 'global', 'unordered'].map((order) => (
            // Preact's types lack the property.
            <option key={order} value={order} {...{ defaultSelected: order === (link.o ?? '') }}>
              {order || 'the cheapest'}
            </option>
          ))}
        </select>
      </label>
      <label>
        at most <input name="n" type="number" min="1" defaultValue={link.n} /> cells
      </label>
      <AttributeChoice {...{ attributes, link }} />
      {Object.entries(SWITCHES).map(([letter, [, words]]) => (
        <label
          key={letter}
          hidden={
            !switches.includes(letter) ||
            (isFragment && letter === 'p') ||
            (letter === 'l' && schema.enumerations.length === 0)
          }
        >
          <input type="checkbox" name="x" value={letter} defaultChecked={link.x?.includes(letter) ?? false} /> {words}
        </label>
      ))}
      <button type="submit">Read</button>
    </Form>
  )
}
