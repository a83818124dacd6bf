/**
 * Signs a file and checks the signature, with the kernel and without it.
 */
import { createHash, verify } from 'node:crypto'

export const SIGNING_KEY = 'statements'

const sha256 = (bytes) => createHash('sha256').update(bytes).digest()

/** `strongroom:v1:...`: which version of the key, and the signature. Only the digest goes through the kernel, however long the file. */
export async function signFile(kernel, bytes) {
  const { signature } = await kernel.transit.sign({ name: SIGNING_KEY, input: sha256(bytes), prehashed: true })
  return signature
}

export async function isSignedByKernel(kernel, bytes, signature) {
  const { valid } = await kernel.transit.verify({ name: SIGNING_KEY, input: sha256(bytes), prehashed: true, signature })
  return valid
}

/** The same with nothing but the public key, as whoever receives the file would do it: ECDSA over P-256 and SHA-256. */
export function isSignedByOpenSsl(publicKeyPem, bytes, signature) {
  return verify('sha256', bytes, publicKeyPem, Buffer.from(signature.slice(signature.lastIndexOf(':') + 1), 'base64'))
}

/** The public key of the version that made a signature. */
export async function publicKeyOf(kernel, signature) {
  const version = signature.split(':')[1].slice(1)
  const { keys } = await kernel.transit.readKey({ name: SIGNING_KEY })
  return keys[version].public_key
}
