export const NO_BYTES = new Uint8Array(0)

/** Joins the parts. A single part is returned as it is, without a copy. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [first, second] = parts
  if (first === undefined) return NO_BYTES
  if (second === undefined) return first
  let length = 0
  for (const part of parts) length += part.length
  const out = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** The start of each part when the parts are joined. */
export function startsOf(parts: readonly Uint8Array[]): Float64Array {
  const starts = new Float64Array(parts.length)
  let end = 0
  for (const [i, part] of parts.entries()) {
    starts[i] = end
    end += part.length
  }
  return starts
}
