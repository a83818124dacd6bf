/**
 * Shares of a key as operators hold them: how many, how one is written, and the key of one share being the share.
 */
import { decodeBase64 } from '../../base/base64.ts'
import type { Entropy } from '../../base/entropy.ts'
import { invalid, KernelError } from '../../base/errors.ts'
import { texts } from '../../base/texts.ts'
import { combine, MAX_SHARES, split } from './shamir.ts'

/** In how many parts a key is split, and how many of them give it back. */
export interface ShareCounts {
  readonly secret_shares: number
  readonly secret_threshold: number
}

/** A key that was not split may be as short as AES allows; a share of 32 bytes has its place behind it. */
const MIN_SHARE_BYTES = 16
const MAX_SHARE_BYTES = 33
/** Twice what hexadecimal needs, for line breaks: nobody who shows no token has more read. */
const MAX_SHARE_CHARACTERS = 4 * MAX_SHARE_BYTES

/** @throws KernelError 400 for counts that no key can be split by. */
export function checkCounts({ secret_shares, secret_threshold }: ShareCounts): void {
  if (secret_shares < 1) throw invalid('shares must be at least one')
  if (secret_threshold < 1) throw invalid('threshold must be at least one')
  if (secret_shares > 1 && secret_threshold === 1) throw invalid('threshold must be greater than one for multiple shares')
  if (secret_shares > MAX_SHARES) throw invalid(`shares must be less than ${MAX_SHARES + 1}`)
  if (secret_threshold > MAX_SHARES) throw invalid(`threshold must be less than ${MAX_SHARES + 1}`)
  if (secret_threshold > secret_shares) throw invalid('threshold cannot be larger than shares')
}

/** The shares of a key; a single one is a copy of it. @throws KernelError 400 for counts that cannot be. */
export function splitKey(key: Uint8Array, counts: ShareCounts, entropy: Entropy): Uint8Array[] {
  checkCounts(counts)
  if (counts.secret_shares === 1) return [key.slice()]
  return split(key, counts.secret_shares, counts.secret_threshold, entropy)
}

/**
 * The key of as many shares as the threshold says, whether it is the right one or not. The shares stay the caller's.
 * @throws KernelError 400 for shares that do not belong together: of different lengths, or two of one place.
 */
export const combineKey = (shares: readonly Uint8Array[], threshold: number): Uint8Array =>
  threshold === 1 && shares.length === 1 ? (shares[0] as Uint8Array).slice() : combine(shares)

/**
 * A share as it is typed in: hexadecimal, or where that is not possible or of no possible length, base64 (standard, padded).
 * @throws KernelError 400 for text that is neither, and for less than 16 or more than 33 bytes.
 */
export function readShare(text: string): Uint8Array {
  if (text.length > MAX_SHARE_CHARACTERS) throw tooLong()
  const hex = HEX.test(text) ? texts.fromHex(text) : undefined
  return checkShare(hex && hex.length >= MIN_SHARE_BYTES && hex.length <= MAX_SHARE_BYTES ? hex : fromBase64(text))
}

/** @throws KernelError 400 for less than 16 and more than 33 bytes, which are wiped. */
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
