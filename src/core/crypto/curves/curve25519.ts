/** The code of Ed25519 and X25519. Only `curve-code.ts` imports this module. */
import type { Ed25519SignKey, VerifyKey, X25519Key } from '../backend.ts'
import { NobleEd25519SignKey, NobleEd25519VerifyKey } from '../noble/ed25519.ts'
import { NobleX25519Key } from '../noble/x25519.ts'

export { assertEd25519PublicKey } from '../ed25519-public-key.ts'

/** @throws TypeError unless the seed has 32 bytes */
export const ed25519Sign = (seed: Uint8Array): Ed25519SignKey => new NobleEd25519SignKey(seed)

/** @throws KernelError 400 if the bytes are not a point of the curve */
export const ed25519Verify = (publicKey: Uint8Array): VerifyKey => new NobleEd25519VerifyKey(publicKey)

/** @throws TypeError unless the secret key has 32 bytes */
export const x25519 = (secretKey: Uint8Array): X25519Key => new NobleX25519Key(secretKey)
