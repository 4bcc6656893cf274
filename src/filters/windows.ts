import { badValue } from '../base/errors.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { ElementSize } from './elements.ts'

/**
 * The windows into which BIT_WIDTH_REDUCTION and POSITIVE_DELTA cut each part. A window has as many whole elements as
 * fit in `maxWindow` bytes. The last window has the rest, which may end with an incomplete element.
 *
 * @throws InspectError BAD_VALUE if no element fits into a window
 */
export function windowsOf(
  parts: readonly Uint8Array[],
  maxWindow: number | undefined,
  size: ElementSize,
): Uint8Array[] {
  if (maxWindow === undefined || maxWindow < size) {
    const found = maxWindow === undefined ? 'none' : `${maxWindow}`
    throw badValue(`expected a window of at least ${size} bytes, found ${found}`, { field: 'max_window_size' })
  }
  const windows: Uint8Array[] = []
  for (const part of parts) {
    const whole = Math.min(part.length, maxWindow)
    const step = whole < size ? whole : whole - (whole % size)
    for (let at = 0; at < part.length; at += step) windows.push(part.subarray(at, at + step))
  }
  return windows
}

/** Whether these two filters accept a type. They would pass floats, text and ANY unchanged. */
export function isWindowed(type: Datatype): boolean {
  const kind = datatypeKind(type)
  return kind !== 'float' && kind !== 'text' && type !== 'ANY'
}

export function windowRefusal(type: Datatype, { name }: FilterConfig): string | undefined {
  return isWindowed(type) ? undefined : `${name} does not accept ${type}`
}
