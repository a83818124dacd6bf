/**
 * Shamir's secret sharing in Vault's format. Source: A. Shamir, "How to share a secret" (1979).
 *
 * Each byte of the secret is the constant term of a polynomial of degree `threshold - 1` with random coefficients. A share contains the
 * values of all polynomials at one x coordinate, followed by that coordinate. Fewer shares than the threshold reveal nothing about the
 * secret. Combining wrong or too few shares yields a wrong secret without an error, so the caller must verify the result. The field, the
 * layout and the error messages are the same as in Vault.
 */
import type { Entropy } from '../../base/entropy.ts'
import { invalid } from '../../base/errors.ts'
import { invert, multiply } from './gf256.ts'

/** The number of possible x coordinates: every byte value except 0, because the value at 0 is the secret. */
export const MAX_SHARES = 255

/**
 * Splits a secret into key shares; `shares` is their number. Any `threshold` key shares restore the secret. Each share is one byte longer
 * than the secret. The time depends only on the lengths and counts.
 * @throws KernelError 400 if the counts are invalid or the secret is empty
 */
export function split(secret: Uint8Array, shares: number, threshold: number, entropy: Entropy): Uint8Array[] {
  if (!(threshold >= 2)) throw invalid('threshold must be at least 2')
  if (!(shares >= threshold)) throw invalid('parts cannot be less than threshold')
  if (!(shares <= MAX_SHARES)) throw invalid(`parts cannot exceed ${MAX_SHARES}`)
  if (secret.length === 0) throw invalid('cannot split an empty secret')
  const coefficients = Array.from({ length: threshold - 1 }, () => entropy.bytes(secret.length))
  const parts = randomCoordinates(shares, entropy).map((x) => evaluate(secret, coefficients, x))
  for (const coefficient of coefficients) coefficient.fill(0)
  return parts
}

/**
 * Restores the secret. Wrong or too few shares yield other bytes without an error.
 * @throws KernelError 400 if there are less than two shares, if a share has less than two bytes, if the shares have different lengths, or
 * if two shares have the same x coordinate
 */
export function combine(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts
  if (!first || parts.length < 2) throw invalid('less than two parts cannot be used to reconstruct the secret')
  const last = first.length - 1
  if (last < 1) throw invalid('parts must be at least two bytes')
  if (parts.some(({ length }) => length !== first.length)) throw invalid('all parts must be the same length')
  const xs = parts.map((part) => part[last] as number)
  if (new Set(xs).size < xs.length) throw invalid('duplicate part detected')
  const secret = new Uint8Array(last)
  for (const [index, part] of parts.entries()) {
    const weight = weightAtZero(xs, index)
    for (let i = 0; i < last; i++) secret[i] = (secret[i] as number) ^ multiply(part[i] as number, weight)
  }
  return secret
}

/** Computes the share at the coordinate `x`, by Horner's rule. */
function evaluate(secret: Uint8Array, coefficients: readonly Uint8Array[], x: number): Uint8Array {
  const part = new Uint8Array(secret.length + 1)
  for (let i = 0; i < secret.length; i++) {
    let y = 0
    for (let degree = coefficients.length - 1; degree >= 0; degree--)
      y = multiply(y ^ ((coefficients[degree] as Uint8Array)[i] as number), x)
    part[i] = y ^ (secret[i] as number)
  }
  part[secret.length] = x
  return part
}

/** The Lagrange coefficient at x = 0 for the share at `index`. In this field, subtraction is the same as addition. */
function weightAtZero(xs: readonly number[], index: number): number {
  const own = xs[index] as number
  let above = 1
  let below = 1
  for (const [other, x] of xs.entries()) {
    if (other === index) continue
    above = multiply(above, x)
    below = multiply(below, x ^ own)
  }
  return multiply(above, invert(below))
}

/** Returns the first elements of a random permutation of 1 to 255. */
function randomCoordinates(count: number, entropy: Entropy): number[] {
  const row = Array.from({ length: MAX_SHARES }, (_, i) => i + 1)
  for (let i = 0; i < count; i++) {
    const chosen = i + randomBelow(MAX_SHARES - i, entropy)
    const place = row[chosen] as number
    row[chosen] = row[i] as number
    row[i] = place
  }
  return row.slice(0, count)
}

/** Returns a uniformly random integer less than `limit`, by rejection sampling. */
function randomBelow(limit: number, entropy: Entropy): number {
  const fair = 256 - (256 % limit)
  for (;;) {
    const [byte] = entropy.bytes(1)
    if ((byte as number) < fair) return (byte as number) % limit
  }
}
