import { ed25519 } from '@noble/curves/ed25519.js'
import { invalid } from '../base/errors.ts'

const { Point } = ed25519

/**
 * Refuses points of small order, for which anyone can forge signatures, and non-canonical encodings, with which one key would count as two
 * (RFC 8032 section 5.1.3).
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
