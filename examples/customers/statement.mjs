/**
 * Signs a file, and verifies the signature with the kernel and without it.
 */
import { createHash, verify } from 'node:crypto'

export const SIGNING_KEY = 'statements'

const sha256 = (bytes) => createHash('sha256').update(bytes).digest()

/** Returns `strongroom:v1:...`: the key version and the signature. The kernel receives only the digest, so the file may have any length. */
export async function signFile(kernel, bytes) {
  const { signature } = await kernel.transit.sign({ name: SIGNING_KEY, input: sha256(bytes), prehashed: true })
  return signature
}

export async function isSignedByKernel(kernel, bytes, signature) {
  const { valid } = await kernel.transit.verify({ name: SIGNING_KEY, input: sha256(bytes), prehashed: true, signature })
  return valid
}

/** Verifies a signature with only the public key, as a recipient of the file does: ECDSA with P-256 and SHA-256. */
export function isSignedByOpenSsl(publicKeyPem, bytes, signature) {
  return verify('sha256', bytes, publicKeyPem, Buffer.from(signature.slice(signature.lastIndexOf(':') + 1), 'base64'))
}

/** Returns the public key of the key version that created a signature. */
export async function publicKeyOf(kernel, signature) {
  const version = signature.split(':')[1].slice(1)
  const { keys } = await kernel.transit.readKey({ name: SIGNING_KEY })
  return keys[version].public_key
}
