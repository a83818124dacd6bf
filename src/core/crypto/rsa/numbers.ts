/**
 * The components of an RSA key, and the rules for imported keys. Source: RFC 8017 sections 3.1 and 3.2.
 *
 * Arithmetic with bigints is not constant time, and bigints cannot be wiped. So they are used only to import and export keys. The platform
 * or the option `rsa` performs all operations with keys.
 */
import { invalid } from '../../base/errors.ts'

export interface RsaPublicNumbers {
  readonly n: bigint
  readonly e: bigint
}

export interface RsaNumbers extends RsaPublicNumbers {
  readonly d: bigint
  readonly p: bigint
  readonly q: bigint
  /** d mod (p - 1) */
  readonly dp: bigint
  /** d mod (q - 1) */
  readonly dq: bigint
  /** 1 / q mod p */
  readonly qInv: bigint
}

/** The maximum public exponent, as in Go's RSA implementation, which Vault uses. */
const MAX_EXPONENT = 2n ** 31n - 1n

/** @throws KernelError 400 if the components cannot be a public key of this size */
export function checkRsaPublic({ n, e }: RsaPublicNumbers, bits: number, what: string): void {
  const bytes = bytesOf(n)
  if (bytes !== bits / 8) throw invalid(`${what}: the RSA modulus must have ${bits} bits, not ${8 * bytes}`)
  if (n % 2n === 0n) throw invalid(`${what}: the RSA modulus must be odd`)
  if (e < 3n || e % 2n === 0n || e > MAX_EXPONENT)
    throw invalid(`${what}: the RSA exponent must be an odd number from 3 to 2^31 - 1`)
}

/** The components of an imported key. `dp`, `dq` and `qInv` are optional, because they can be computed from the others. */
type GivenRsaNumbers = Pick<RsaNumbers, 'n' | 'e' | 'd' | 'p' | 'q'> & {
  readonly [name in 'dp' | 'dq' | 'qInv']?: bigint | undefined
}

/**
 * Computes the missing components of a key and validates the given ones. A wrong CRT component (dp, dq or qInv) would cause signatures that
 * reveal the primes, so a component that differs from its computed value is refused.
 * @throws KernelError 400 if the components are not those of one key
 */
export function checkedRsaNumbers(given: GivenRsaNumbers, bits: number, what: string): RsaNumbers {
  checkRsaPublic(given, bits, what)
  const { n, e, d, p, q } = given
  const unrelated = () => invalid(`${what}: the numbers of the RSA key do not belong together`)
  // Check the range of the primes first, because it bounds the time of the arithmetic below.
  if (p < 3n || q < 3n || p === q || p * q !== n || d < 1n || d >= n) throw unrelated()
  if ((d * e) % (p - 1n) !== 1n || (d * e) % (q - 1n) !== 1n) throw unrelated()
  const { dp = d % (p - 1n), dq = d % (q - 1n) } = given
  if (dp !== d % (p - 1n) || dq !== d % (q - 1n)) throw unrelated()
  const qInv = given.qInv ?? inverse(q % p, p, unrelated)
  if (qInv < 1n || qInv >= p || (qInv * q) % p !== 1n) throw unrelated()
  return { n, e, d, p, q, dp, dq, qInv }
}

/** The inverse of a modulo m, by the extended Euclidean algorithm. */
function inverse(a: bigint, m: bigint, refuse: () => Error): bigint {
  let [r0, r1, t0, t1] = [m, a, 0n, 1n]
  while (r1 !== 0n) {
    const quotient = r0 / r1
    ;[r0, r1, t0, t1] = [r1, r0 - quotient * r1, t1, t0 - quotient * t1]
  }
  if (r0 !== 1n) throw refuse()
  return t0 < 0n ? t0 + m : t0
}

const WORD = 32n

/**
 * Encodes a number in big-endian, either without leading zeros or with exactly `length` bytes. The caller owns the result. The conversion
 * creates no string, because strings cannot be wiped.
 */
export function bigintBytes(value: bigint, length = bytesOf(value)): Uint8Array {
  const out = new Uint8Array(length)
  const view = new DataView(out.buffer)
  let rest = value
  let at = length
  for (; at >= 4; at -= 4, rest >>= WORD) view.setUint32(at - 4, Number(rest & 0xffffffffn))
  for (; at > 0; at--, rest >>= 8n) out[at - 1] = Number(rest & 0xffn)
  return out
}

export function bytesBigint(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let value = 0n
  let at = 0
  for (; at < bytes.length % 4; at++) value = (value << 8n) | BigInt(bytes[at] as number)
  for (; at < bytes.length; at += 4) value = (value << WORD) | BigInt(view.getUint32(at))
  return value
}

/** The length of a number in bytes, without leading zeros. */
function bytesOf(value: bigint): number {
  let bytes = 0
  let rest = value
  for (; rest >= 2n ** 64n; rest >>= 64n) bytes += 8
  for (; rest > 0n; rest >>= 8n) bytes++
  return bytes
}
