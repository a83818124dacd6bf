/** Wraps key material for the wrapping key of the target, which alone can unwrap it. */
import { constants, createCipheriv, createPrivateKey, publicEncrypt, randomBytes } from 'node:crypto'

/** The initial value of AES key wrap with padding (RFC 5649). */
const KWP_VALUE = Buffer.from('a65959a6', 'hex')

/**
 * Returns the base64 text that `import` expects: an AES key under RSA-OAEP with SHA-256, followed by the key material under AES key wrap
 * with padding. Wipes the buffers with key material.
 * @param exported The text of the export: base64 of the key or of its PKCS#8 form, or PEM.
 */
export function wrapKey(publicKey: string, exported: string): string {
  const material = exported.startsWith('-----')
    ? createPrivateKey(exported).export({ format: 'der', type: 'pkcs8' })
    : Buffer.from(exported, 'base64')
  const ephemeral = randomBytes(32)
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING
    const wrappedKey = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha256' }, ephemeral)
    const cipher = createCipheriv('id-aes256-wrap-pad', ephemeral, KWP_VALUE)
    return Buffer.concat([wrappedKey, cipher.update(material), cipher.final()]).toString('base64')
  } finally {
    material.fill(0)
    ephemeral.fill(0)
  }
}
