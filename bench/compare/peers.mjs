/**
 * The other libraries, each used as its own documentation says, with everything prepared that can be prepared. Text in, text out.
 */
import { decryptStringSync, encryptStringSync, generateKey, parseKeySync } from '@47ng/cloak'
import {
  CompactEncrypt,
  CompactSign,
  compactDecrypt,
  compactVerify,
  generateKeyPair,
  generateSecret,
  importSPKI,
  jwtVerify,
} from 'jose'
import sodium from 'libsodium-wrappers'

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** @returns name to `{ encrypt(text), decrypt(text) }`, promises where the library has them. */
export async function ciphers() {
  await sodium.ready
  const cloakKey = parseKeySync(generateKey())
  const joseKey = await generateSecret('A256GCM')
  const sodiumKey = sodium.crypto_secretbox_keygen()
  const header = { alg: 'dir', enc: 'A256GCM' }
  return {
    '@47ng/cloak': {
      encrypt: (plain) => encryptStringSync(plain, cloakKey),
      decrypt: (sealed) => decryptStringSync(sealed, cloakKey),
    },
    jose: {
      encrypt: (plain) => new CompactEncrypt(utf8.encode(plain)).setProtectedHeader(header).encrypt(joseKey),
      decrypt: async (sealed) => text.decode((await compactDecrypt(sealed, joseKey)).plaintext),
    },
    'libsodium-wrappers': {
      encrypt(plain) {
        const nonce = sodium.randombytes_buf(sodium.crypto_secretbox_NONCEBYTES)
        const box = sodium.crypto_secretbox_easy(plain, nonce, sodiumKey)
        const out = new Uint8Array(nonce.length + box.length)
        out.set(nonce)
        out.set(box, nonce.length)
        return sodium.to_base64(out, sodium.base64_variants.ORIGINAL)
      },
      decrypt(sealed) {
        const bytes = sodium.from_base64(sealed, sodium.base64_variants.ORIGINAL)
        const nonce = bytes.subarray(0, sodium.crypto_secretbox_NONCEBYTES)
        return sodium.crypto_secretbox_open_easy(bytes.subarray(nonce.length), nonce, sodiumKey, 'text')
      },
    },
  }
}

/** @returns name to `{ sign(message), verify(message, signature) }` for Ed25519. */
export async function signers() {
  await sodium.ready
  const josePair = await generateKeyPair('Ed25519')
  const sodiumPair = sodium.crypto_sign_keypair()
  return {
    jose: {
      sign: (message) => new CompactSign(message).setProtectedHeader({ alg: 'Ed25519' }).sign(josePair.privateKey),
      verify: (_, signature) => compactVerify(signature, josePair.publicKey),
    },
    'libsodium-wrappers': {
      sign: (message) => sodium.to_base64(sodium.crypto_sign_detached(message, sodiumPair.privateKey)),
      verify: (message, signature) =>
        sodium.crypto_sign_verify_detached(sodium.from_base64(signature), message, sodiumPair.publicKey),
    },
  }
}

/** @returns name to a function that verifies the token, its times included, and gives back its claims. */
export async function jwtVerifiers({ alg, jwt, pem }) {
  const joseKey = await importSPKI(pem, alg)
  return { jose: async () => (await jwtVerify(jwt, joseKey, { algorithms: [alg] })).payload }
}
