/**
 * The other libraries, each used as its own documentation says, with everything prepared that can be prepared. Text in, text out.
 */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import {
  decryptString,
  decryptStringSync,
  encryptString,
  encryptStringSync,
  generateKey,
  parseKey,
  parseKeySync,
} from '@47ng/cloak'
import { buildClient, CommitmentPolicy, RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/client-node'
import HapiIron from '@hapi/iron'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import * as WebIron from 'iron-webcrypto'
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
const base64 = (bytes) => Buffer.from(bytes).toString('base64')

/** Tink is written for browsers. */
function loadTink() {
  globalThis.self ??= globalThis
  return createRequire(import.meta.url)('tink-crypto')
}

async function tinkCipher() {
  const aead = await loadTink().aeadSubtle.aesGcmFromRawKey(randomBytes(32))
  return {
    encrypt: async (plain) => base64(await aead.encrypt(utf8.encode(plain))),
    decrypt: async (sealed) => text.decode(await aead.decrypt(new Uint8Array(Buffer.from(sealed, 'base64')))),
  }
}

async function cloakCipher() {
  const key = await parseKey(generateKey())
  return { encrypt: (plain) => encryptString(plain, key), decrypt: (sealed) => decryptString(sealed, key) }
}

/** With keys instead of passwords, which would be stretched anew in every call. */
function ironCipher(iron) {
  const [encryption, integrity] = [randomBytes(32), randomBytes(32)]
  const keys = { id: 'a', encryption: new Uint8Array(encryption), integrity: new Uint8Array(integrity) }
  const password = iron === HapiIron ? { id: 'a', encryption, integrity } : keys
  return {
    encrypt: (plain) => iron.seal(plain, password, iron.defaults),
    decrypt: (sealed) => iron.unseal(sealed, { a: password }, iron.defaults),
  }
}

async function ageCipher() {
  const identity = await generateIdentity()
  const encrypter = new Encrypter()
  encrypter.addRecipient(await identityToRecipient(identity))
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return {
    encrypt: async (plain) => base64(await encrypter.encrypt(plain)),
    decrypt: (sealed) => decrypter.decrypt(new Uint8Array(Buffer.from(sealed, 'base64')), 'text'),
  }
}

function awsCipher() {
  const { encrypt, decrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT)
  const wrappingSuite = RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING
  const unencryptedMasterKey = new Uint8Array(32).fill(7)
  const keyring = new RawAesKeyringNode({ keyName: 'a', keyNamespace: 'bench', unencryptedMasterKey, wrappingSuite })
  return {
    encrypt: async (plain) => (await encrypt(keyring, plain)).result.toString('base64'),
    decrypt: async (sealed) => (await decrypt(keyring, Buffer.from(sealed, 'base64'))).plaintext.toString(),
  }
}

async function joseCipher() {
  const key = await generateSecret('A256GCM')
  const header = { alg: 'dir', enc: 'A256GCM' }
  return {
    encrypt: (plain) => new CompactEncrypt(utf8.encode(plain)).setProtectedHeader(header).encrypt(key),
    decrypt: async (sealed) => text.decode((await compactDecrypt(sealed, key)).plaintext),
  }
}

async function sodiumCipher() {
  await sodium.ready
  const key = sodium.crypto_secretbox_keygen()
  return {
    encrypt(plain) {
      const nonce = sodium.randombytes_buf(sodium.crypto_secretbox_NONCEBYTES)
      const box = sodium.crypto_secretbox_easy(plain, nonce, key)
      const out = new Uint8Array(nonce.length + box.length)
      out.set(nonce)
      out.set(box, nonce.length)
      return sodium.to_base64(out, sodium.base64_variants.ORIGINAL)
    },
    decrypt(sealed) {
      const bytes = sodium.from_base64(sealed, sodium.base64_variants.ORIGINAL)
      const nonce = bytes.subarray(0, sodium.crypto_secretbox_NONCEBYTES)
      return sodium.crypto_secretbox_open_easy(bytes.subarray(nonce.length), nonce, key, 'text')
    },
  }
}

/** @returns name to `{ encrypt(text), decrypt(text) }`, promises where the library has them. */
export async function ciphers() {
  const cloakKey = parseKeySync(generateKey())
  return {
    '@47ng/cloak': await cloakCipher(),
    '@47ng/cloak, sync': {
      encrypt: (plain) => encryptStringSync(plain, cloakKey),
      decrypt: (sealed) => decryptStringSync(sealed, cloakKey),
    },
    jose: await joseCipher(),
    'libsodium-wrappers': await sodiumCipher(),
    'tink-crypto': await tinkCipher(),
    '@hapi/iron': ironCipher(HapiIron),
    'iron-webcrypto': ironCipher(WebIron),
    'age-encryption': await ageCipher(),
    '@aws-crypto/client-node': awsCipher(),
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
