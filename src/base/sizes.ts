const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const
/** Ratio between a unit of size and the next smaller unit. */
export const SIZE_STEP = 1024

/** A size, an offset or a count. Above 2^53 it was rounded when it was read, and the text says so: `about 1,153,000,000,000,000,000`. */
export function sizeText(size: number): string {
  if (!(size > Number.MAX_SAFE_INTEGER && Number.isFinite(size))) return String(size)
  if (size > LARGEST_TOLD) return `more than ${grouped(String(BigInt(LARGEST_TOLD)))}`
  const digits = BigInt(Number(size.toPrecision(4))).toString()
  // A double has more digits than those that were asked for.
  const rounded = digits.slice(0, 4) + digits.slice(4).replace(/./g, '0')
  return `about ${grouped(rounded)}`
}

/** Above this, a number is not told. It has no use for anybody. */
const LARGEST_TOLD = 1e21

function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:...)+$)/g, ',')
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
