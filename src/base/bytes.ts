export const NO_BYTES = new Uint8Array(0)

/** Joins the parts. A single part is returned as it is, without a copy. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]
  if (parts.length === 0) return NO_BYTES
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
  for (let i = 1; i < parts.length; i++) starts[i] = starts[i - 1] + parts[i - 1].length
  return starts
}
