/** These shift a vector towards higher lanes by 1, 2, 4 or 8 bytes. Zeros come in. */
function up1(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
}
function up2(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
}
function up4(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
}
function up8(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
}

/** Returns the running sums of the elements of a vector. */
export function prefixSums<T>(x: v128): v128 {
  if (sizeof<T>() === 1) x = v128.add<T>(x, up1(x))
  if (sizeof<T>() <= 2) x = v128.add<T>(x, up2(x))
  if (sizeof<T>() <= 4) x = v128.add<T>(x, up4(x))
  return v128.add<T>(x, up8(x))
}

/** Returns the last element, in all lanes. */
export function last<T>(x: v128): v128 {
  if (sizeof<T>() === 1) return i8x16.shuffle(x, x, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)
  if (sizeof<T>() === 2) return i8x16.shuffle(x, x, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15)
  if (sizeof<T>() === 4) return i8x16.shuffle(x, x, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15)
  return i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
}

/** These interleave the bytes of the low halves, and of the high halves, of two vectors. */
export function lowBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
}
export function highBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
}
