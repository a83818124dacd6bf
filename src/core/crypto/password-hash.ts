/**
 * Slow password hashes for auth methods, by noble. Sources: RFC 7914, RFC 9106.
 *
 * Both return promises, since they yield to the event loop every few milliseconds. In transactions, call them through `tx.once`.
 */
import { argon2idAsync } from '@noble/hashes/argon2.js'
import { scryptAsync } from '@noble/hashes/scrypt.js'

/** Milliseconds of work between two pauses. */
const PIECE_MS = 8

export interface ScryptCost {
  /** A power of two. 2^17 with `r` 8 takes 128 MiB. */
  readonly N: number
  readonly r: number
  readonly p: number
}

/** Returns 32 bytes that the caller owns. @throws Error for invalid costs */
export const scrypt = (password: Uint8Array, salt: Uint8Array, { N, r, p }: ScryptCost): Promise<Uint8Array> =>
  scryptAsync(password, salt, { N, r, p, dkLen: 32, asyncTick: PIECE_MS })

export interface Argon2Cost {
  /** Passes. */
  readonly t: number
  /** KiB. */
  readonly m: number
  readonly p: number
}

/** Returns 32 bytes that the caller owns. @param salt At least 8 bytes. @throws Error for invalid costs */
export const argon2id = (password: Uint8Array, salt: Uint8Array, { t, m, p }: Argon2Cost): Promise<Uint8Array> =>
  argon2idAsync(password, salt, { t, m, p, dkLen: 32, asyncTick: PIECE_MS })
