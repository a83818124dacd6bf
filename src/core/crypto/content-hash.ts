/**
 * A hash of content that tells whether it has changed: BLAKE2b (RFC 7693) of 32 bytes, without a key.
 */
import { blake2b } from '@noble/hashes/blake2.js'

const HASH_BYTES = 32

export const contentHash = (content: Uint8Array): Uint8Array => blake2b(content, { dkLen: HASH_BYTES })
