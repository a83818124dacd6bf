/**
 * Arithmetic in the field with 256 elements: polynomials over GF(2) modulo x^8 + x^4 + x^3 + x + 1 (0x11b). Addition is XOR.
 *
 * The operands are secret key bytes. No branch and no table lookup depends on the operands, so the time is constant.
 */
const POLYNOMIAL = 0x11b

export function multiply(a: number, b: number): number {
  let product = 0
  let shifted = a
  for (let bit = 0; bit < 8; bit++) {
    product ^= shifted & -((b >> bit) & 1)
    shifted = (shifted << 1) ^ (POLYNOMIAL & -(shifted >> 7))
  }
  return product
}

/** The multiplicative inverse, `a` to the power of 254; 0 for 0. */
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
