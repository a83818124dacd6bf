/**
 * The field of 256 elements that shares are made in: polynomials over GF(2) modulo x^8 + x^4 + x^3 + x + 1 (0x11b); adding is XOR.
 *
 * Operands are bytes of keys, so nothing here branches on one or looks one up in a table: the time is the same for all of them.
 */
const POLYNOMIAL = 0x11b

/** The product of two bytes. */
export function multiply(a: number, b: number): number {
  let product = 0
  let shifted = a
  for (let bit = 0; bit < 8; bit++) {
    product ^= shifted & -((b >> bit) & 1)
    shifted = (shifted << 1) ^ (POLYNOMIAL & -(shifted >> 7))
  }
  return product
}

/** The element that gives 1 with `a`: `a` to the power of 254. Of 0 it is 0. */
export function invert(a: number): number {
  const square = multiply(a, a)
  let power = square
  let result = square
  for (let i = 0; i < 6; i++) {
    power = multiply(power, power)
    result = multiply(result, power)
  }
  return result
}
