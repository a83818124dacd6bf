/**
 * Splits keys into shares, and reads the shares that operators enter as text. A key with only one share is not split: the share is the key.
 */
import { decodeBase64 } from '../../base/base64.ts'
import type { Entropy } from '../../base/entropy.ts'
import { invalid, KernelError } from '../../base/errors.ts'
import { texts } from '../../base/texts.ts'
import { combine, MAX_SHARES, split } from './shamir.ts'

/** The number of shares of a key, and the number of shares that are required to restore the key. */
export interface ShareCounts {
  readonly secret_shares: number
  readonly secret_threshold: number
}

/**
 * The lengths of a share in bytes. A key that was not split may have 16 bytes. A share of a 32-byte key has 33 bytes, because it includes
 * the x coordinate.
 */
const MIN_SHARE_BYTES = 16
const MAX_SHARE_BYTES = 33
/**
 * The maximum length of the text of a share: twice the length of its hexadecimal form, to allow for line breaks. The limit is needed
 * because the callers are not authenticated.
 */
const MAX_SHARE_CHARACTERS = 4 * MAX_SHARE_BYTES

/** @throws KernelError 400 if a key cannot be split with these counts */
export function checkCounts({ secret_shares, secret_threshold }: ShareCounts): void {
  if (secret_shares < 1) throw invalid('shares must be at least one')
  if (secret_threshold < 1) throw invalid('threshold must be at least one')
  if (secret_shares > 1 && secret_threshold === 1) throw invalid('threshold must be greater than one for multiple shares')
  if (secret_shares > MAX_SHARES) throw invalid(`shares must be less than ${MAX_SHARES + 1}`)
  if (secret_threshold > MAX_SHARES) throw invalid(`threshold must be less than ${MAX_SHARES + 1}`)
  if (secret_threshold > secret_shares) throw invalid('threshold cannot be larger than shares')
}

/** Splits a key into shares. A single share is a copy of the key. @throws KernelError 400 if the counts are invalid */
export function splitKey(key: Uint8Array, counts: ShareCounts, entropy: Entropy): Uint8Array[] {
  checkCounts(counts)
  if (counts.secret_shares === 1) return [key.slice()]
  return split(key, counts.secret_shares, counts.secret_threshold, entropy)
}

/**
 * Reconstructs the key from as many shares as the threshold requires. Does not check that it is the right key. The caller remains the owner
 * of the shares.
 * @throws KernelError 400 if the shares have different lengths, or if two shares have the same x coordinate
 */
export const combineKey = (shares: readonly Uint8Array[], threshold: number): Uint8Array =>
  threshold === 1 && shares.length === 1 ? (shares[0] as Uint8Array).slice() : combine(shares)

/**
 * Parses the text of a share: hex of a valid length, or else base64 (standard alphabet, padded).
 * @throws KernelError 400 if the text is neither hex nor base64, or if the share has less than 16 or more than 33 bytes
 */
export function readShare(text: string): Uint8Array {
  if (text.length > MAX_SHARE_CHARACTERS) throw tooLong()
  const hex = HEX.test(text) ? texts.fromHex(text) : undefined
  return checkShare(hex && hex.length >= MIN_SHARE_BYTES && hex.length <= MAX_SHARE_BYTES ? hex : fromBase64(text))
}

/** Checks the length of a share, and wipes the share if it is refused. @throws KernelError 400 for less than 16 or more than 33 bytes */
export function checkShare(share: Uint8Array): Uint8Array {
  if (share.length >= MIN_SHARE_BYTES && share.length <= MAX_SHARE_BYTES) return share
  share.fill(0)
  throw share.length < MIN_SHARE_BYTES ? invalid(`key is shorter than minimum ${MIN_SHARE_BYTES} bytes`) : tooLong()
}

const tooLong = (): KernelError => invalid(`key is longer than maximum ${MAX_SHARE_BYTES} bytes`)

const HEX = /^(?:[0-9a-f]{2})+$/i

function fromBase64(text: string): Uint8Array {
  try {
    return decodeBase64(text, 'key')
  } catch (error) {
    if (error instanceof KernelError) throw invalid("'key' must be a valid hex or base64 string")
    throw error
  }
}
