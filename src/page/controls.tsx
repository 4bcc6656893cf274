import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { rangeOf } from './range-list.ts'
import { Text } from './text.tsx'

/** A button that acts on this page. */
export function Button(props: JSX.IntrinsicElements['button']) {
  return <button type="button" {...props} />
}

/** Keeps the focus in its place when a control goes away by its use: what is around the control, with a tabIndex of -1, gets it. */
export function focusAround({ currentTarget }: Event): void {
  ;(currentTarget as Element).closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true })
}

/**
 * A form that is used on this page: nothing is sent. @param use called with the values when the form is submitted
 * @param of what the default values come from. When it changes, all fields get their default values, and the focus stays
 */
export function Form({
  use,
  of,
  ...more
}: Omit<JSX.IntrinsicElements['form'], 'onSubmit' | 'ref'> & { use(values: FormData): void; of?: string | undefined }) {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.reset(), [of])
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    use(new FormData(event.currentTarget as HTMLFormElement))
  }
  return <form ref={form} onSubmit={onSubmit} {...more} />
}

/** The trimmed text of a field of a form; empty if the form has no such field. */
export function formText(values: FormData, name: string): string {
  return String(values.get(name) ?? '').trim()
}

/** A choice between a few values, all in sight. @param values each with its label */
export function Radios<Value extends string>(props: {
  legend: string
  name: string
  values: readonly (readonly [value: Value, label: string])[]
  chosen: string
  choose(value: Value): void
}) {
  const { legend, name, values, chosen, choose } = props
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} /> {label}
        </label>
      ))}
    </fieldset>
  )
}

/** Length in characters from which a name is cut in drop-down lists, drawings and captions. */
const SHOWN_NAME = 60

export function cutName(name: string): string {
  return name.slice(0, SHOWN_NAME)
}

/** A drop-down list of names. @param at index of the chosen name */
export function Select(props: { label: string; names: readonly string[]; at: number; choose(index: number): void }) {
  const { label, names, at, choose } = props
  return (
    <label>
      {label}{' '}
      <select value={at} onChange={(event) => choose(event.currentTarget.selectedIndex)}>
        {names.map((name, i) => (
          <option key={i} value={i}>
            {cutName(name)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface RangeFieldsProps {
  dimensions: readonly { name: string }[]
  /** Ranges as `--range` takes them: `NAME=LOW..HIGH`. */
  ranges: readonly string[]
  placeholder?(dimension: number): string
}

/** A text field for the range of each dimension. {@link typedRanges} reads them. */
export function RangeFields({ dimensions, ranges, placeholder }: RangeFieldsProps) {
  return dimensions.map(({ name }, d) => (
    <label key={name}>
      <Text>{name}</Text>{' '}
      <input
        name={`r${d}`}
        defaultValue={rangeOf(ranges, name)?.slice(name.length + 1)}
        placeholder={placeholder?.(d)}
      />
    </label>
  ))
}

/** The ranges that were typed into {@link RangeFields}. */
export function typedRanges(values: FormData, dimensions: RangeFieldsProps['dimensions']): readonly string[] {
  return dimensions.flatMap(({ name }, d) => {
    const text = formText(values, `r${d}`)
    return text === '' ? [] : [`${name}=${text}`]
  })
}

/** A part of the page that scrolls by itself, also by keyboard. @param label its name for screen readers */
export function Scrolling({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
