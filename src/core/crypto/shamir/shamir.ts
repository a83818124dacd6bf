/**
 * Shamir's secret sharing, byte by byte, in the originals' form: a share is the values of the polynomials and behind them the place they
 * were taken at.
 *
 * Per byte of the secret one polynomial: the byte, and random coefficients up to the degree `threshold - 1`. Fewer shares than that say
 * nothing about the secret; whether enough were the right ones is not to be seen from them, so what comes out must be proven elsewhere.
 * Source: A. Shamir, "How to share a secret" (1979); field, layout and refusals as the originals have them.
 */
import type { Entropy } from '../../base/entropy.ts'
import { invalid } from '../../base/errors.ts'
import { invert, multiply } from './gf256.ts'

/** One place for each byte but 0, where the secret is. */
export const MAX_SHARES = 255

/**
 * `shares` parts, any `threshold` of which give `secret` back; each one byte longer than it. Time depends on the sizes only.
 * @throws KernelError 400 for counts that cannot be, or an empty secret.
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
 * The secret of at least as many shares as were asked for when it was split. Wrong ones, and too few, give other bytes and no error.
 * @throws KernelError 400 for less than two, of less than two bytes, of different lengths, or of one place.
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

/** The share at `x`, by Horner's rule. */
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

/** How much the share at `index` counts at x = 0 (Lagrange). Minus is plus in this field. */
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

/** The first of a shuffled row of 1 to 255. */
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

/** A whole number below `limit`, each equally likely: bytes that would favour the first ones are drawn again. */
function randomBelow(limit: number, entropy: Entropy): number {
  const fair = 256 - (256 % limit)
  for (;;) {
    const [byte] = entropy.bytes(1)
    if ((byte as number) < fair) return (byte as number) % limit
  }
}
