/**
 * Slow password hashes for auth methods, with the noble libraries. Sources: RFC 7914, RFC 9106.
 *
 * The functions return promises, because they let the event loop run every few milliseconds. In a transaction, call them through `tx.once`.
 */
/** The milliseconds of work between two pauses. */
const PIECE_MS = 8

export interface ScryptCost {
  /** The cost N, a power of two. With `r` 8, 2^17 takes 128 MiB of memory. */
  readonly N: number
  readonly r: number
  readonly p: number
}

/** Returns 32 bytes that the caller owns. @throws Error if the costs are invalid */
export async function scrypt(password: Uint8Array, salt: Uint8Array, { N, r, p }: ScryptCost): Promise<Uint8Array> {
  const { scryptAsync } = await import('@noble/hashes/scrypt.js')
  return scryptAsync(password, salt, { N, r, p, dkLen: 32, asyncTick: PIECE_MS })
}

export interface Argon2Cost {
  /** The number of passes. */
  readonly t: number
  /** The memory in KiB. */
  readonly m: number
  readonly p: number
}

/** Returns 32 bytes that the caller owns. @param salt At least 8 bytes. @throws Error if the costs are invalid */
export async function argon2id(password: Uint8Array, salt: Uint8Array, { t, m, p }: Argon2Cost): Promise<Uint8Array> {
  const { argon2idAsync } = await import('@noble/hashes/argon2.js')
  return argon2idAsync(password, salt, { t, m, p, dkLen: 32, asyncTick: PIECE_MS })
}
