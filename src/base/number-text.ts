/** A number as all outputs write it. The sign of -0 is kept, which `String` leaves out. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value)
}
