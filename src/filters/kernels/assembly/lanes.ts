/** Shift a vector towards higher lanes by 1, 2, 4 or 8 bytes, and fill with zeros. */
export function up1(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
}
export function up2(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
}
export function up4(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
}
export function up8(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
}

/** The last four bytes, four times. */
export function last32(x: v128): v128 {
  return i8x16.shuffle(x, x, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15)
}

/** Interleave the bytes of the low, or of the high, halves of two vectors. */
export function lowBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
}
export function highBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
}
