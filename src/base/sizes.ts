const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const
/** Ratio between a unit of size and the next smaller unit. */
export const SIZE_STEP = 1024

/** A size, an offset or a count. Above 2^53 it was rounded when it was read, and the text says so. */
export function sizeText(size: number): string {
  return size > Number.MAX_SAFE_INTEGER ? `about ${size.toExponential(3)}` : String(size)
}

/** `12.3 KiB`; below 1 KiB `595 B`. */
export function shortSize(bytes: number): string {
  if (Math.abs(bytes) < SIZE_STEP) return `${bytes} B`
  let size = bytes
  let unit = -1
  // A size that would be rounded to 1024.0 becomes 1.0 of the next unit.
  while (Math.abs(size) >= SIZE_STEP - 0.05 && unit < UNITS.length - 1) {
    size /= SIZE_STEP
    unit++
  }
  return `${size.toFixed(1)} ${UNITS[unit]}`
}
