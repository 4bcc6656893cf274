import type { ComponentChild } from 'preact'
import type { DocumentOf } from './inspected.ts'
import { change, type Link } from './link.ts'
import { Text } from './text.tsx'
import { timesOf } from './times.ts'
import type { ViewProps } from './view.ts'
import { WithSchema } from './with-schema.tsx'

/**
 * Which cells are read, in the link: `r` ranges and `f` fields as lists of texts, `w` the condition, `o` the order, `n` the most
 * cells; `x` has a letter for each switch. Texts are those of the options, so that the command has them without the schema.
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

/** A list in a link; empty if it is none. */
export function listOf(text: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.map(String) : []
  } catch {
    return []
  }
}

export function queryOptions(link: Link): QueryOptions {
  const [range, field] = [listOf(link.r), listOf(link.f)]
  const on = Object.entries(SWITCHES).filter(([letter]) => link.x?.includes(letter))
  return {
    ...timesOf(link),
    ...(range.length > 0 && { range }),
    ...(field.length > 0 && { field }),
    ...(link.w && { where: link.w }),
    ...(link.o && { order: link.o }),
    ...(link.n && { limit: link.n }),
    ...Object.fromEntries(on.map(([, [name]]) => [name, true])),
  }
}

/** What becomes of cells that a dense array gives though nothing was written there, or though the condition leaves them out. */
export function fillWords({ array_type }: Pick<Schema, 'array_type'>, { where }: QueryOptions): string {
  if (array_type !== 'dense') return ''
  const others = where === undefined ? 'never written' : 'never written, or do not meet the condition,'
  return ` Cells that were ${others} hold fill values.`
}

/** Options as words of a call. */
export function wordsOf(options: object): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (value === true) return [option]
    return (Array.isArray(value) ? value : [value]).flatMap((one) =>
      // What begins with a dash would be taken for another option.
      String(one).startsWith('-') ? [`${option}=${one}`] : [option, String(one)],
    )
  })
}

type Schema = DocumentOf<'schema'>

/** The form, and below it what is read with the link that it makes. @param switches letters of {@link SWITCHES} */
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

/** Boxes to tick for attributes. A form that has them gives {@link chosenAttributes}. */
export function AttributeChoice({ attributes, link }: Pick<Schema, 'attributes'> & { link: Link }) {
  const fields = listOf(link.f)
  if (attributes.length < 2) return null
  return (
    <details key={link.f}>
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

/** `f` of the link: undefined for all of them. */
export function chosenAttributes(data: FormData, attributes: Schema['attributes']): string | undefined {
  const names = data.getAll('f').flatMap((i) => attributes[Number(i)]?.name ?? [])
  return names.length > 0 && names.length < attributes.length ? JSON.stringify(names) : undefined
}

/** A form for the part of the link that says which cells are read. What it shows is in the link once it is sent. */
function QueryForm(props: { schema: Schema; link: Link; switches: string; isFragment: boolean }) {
  const { schema, link, switches, isFragment } = props
  const { dimensions, attributes } = schema
  const ranges = listOf(link.r)
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string): string => String(data.get(name) ?? '').trim()
    const range = dimensions.flatMap(({ name }, d) => (text(`r${d}`) === '' ? [] : [`${name}=${text(`r${d}`)}`]))
    change(link, {
      r: range.length > 0 ? JSON.stringify(range) : undefined,
      f: chosenAttributes(data, attributes),
      w: text('w'),
      o: text('o'),
      n: text('n'),
      x: data.getAll('x').join(''),
      s: undefined,
    })
  }
  return (
    <form class="query" onSubmit={submit} key={JSON.stringify(link)}>
      {dimensions.map(({ name, domain }, d) => (
        <label key={name}>
          <Text>{name}</Text>{' '}
          <input
            name={`r${d}`}
            defaultValue={ranges.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)}
            placeholder={domain ? domain.join('..') : '"a".."b"'}
          />
        </label>
      ))}
      <label hidden={isFragment}>
        condition <input name="w" defaultValue={link.w} placeholder="a > 3 and b == 'x'" />
      </label>
      <label hidden={isFragment}>
        order{' '}
        <select name="o">
          {['', 'row-major', 'col-major', 'global', 'unordered'].map((order) => (
            <option key={order} value={order} selected={order === (link.o ?? '')}>
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
        <label key={letter} hidden={!switches.includes(letter) || (isFragment && letter === 'p')}>
          <input type="checkbox" name="x" value={letter} defaultChecked={link.x?.includes(letter) ?? false} /> {words}
        </label>
      ))}
      <button type="submit">Read</button>
    </form>
  )
}
