import { ed25519 } from '@noble/curves/ed25519.js'
import { invalid } from '../base/errors.ts'

const { Point } = ed25519

/**
 * Refuses two kinds of public keys. For points of small order, anyone can forge signatures. Non-canonical encodings (RFC 8032 section
 * 5.1.3) would let the same key be stored as two different keys.
 * @throws KernelError 400
 */
export function assertEd25519PublicKey(bytes: Uint8Array, what: string): void {
  let isSmall: boolean
  try {
    isSmall = Point.fromBytes(bytes).isSmallOrder()
  } catch {
    throw invalid(`${what}: must be the canonical encoding of a point of Ed25519`)
  }
  if (isSmall) throw invalid(`${what}: must not be a point of small order`)
}
