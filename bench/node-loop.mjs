/**
 * What somebody would write by hand over node:crypto to get the same texts: the floor every ratio refers to. No policy, no versions, no
 * checks; but everything that is known to make it fast: cached KeyObjects, nonces from a pool, one base64 per text.
 */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  randomFillSync,
  sign,
  verify,
} from 'node:crypto'

const PREFIX = 'strongroom:v1:'
const NONCE = 12
const TAG = 16
const OPTIONS = { authTagLength: TAG }

const pool = Buffer.alloc(65_536)
let used = pool.length

/** Valid until the next call. */
function nonce() {
  if (used + NONCE > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += NONCE
  return pool.subarray(used - NONCE, used)
}

/** @param cipher `aes-256-gcm` or `chacha20-poly1305` */
export function loopCipher(cipher, raw = randomBytes(32)) {
  const key = createSecretKey(raw)
  const encrypt = (plaintext) => {
    const iv = nonce()
    const c = createCipheriv(cipher, key, iv, OPTIONS)
    const body = c.update(plaintext)
    c.final()
    return PREFIX + Buffer.concat([iv, body, c.getAuthTag()]).toString('base64')
  }
  const decrypt = (text) => {
    if (!text.startsWith(PREFIX)) throw new Error('prefix')
    const bytes = Buffer.from(text.slice(PREFIX.length), 'base64')
    const d = createDecipheriv(cipher, key, bytes.subarray(0, NONCE), OPTIONS)
    d.setAuthTag(bytes.subarray(bytes.length - TAG))
    const plaintext = d.update(bytes.subarray(NONCE, bytes.length - TAG))
    d.final()
    return plaintext
  }
  return {
    encrypt,
    decrypt,
    /** Base64 in, as on the wire. */
    encryptBase64: (text) => encrypt(Buffer.from(text, 'base64')),
    decryptBase64: (text) => decrypt(text).toString('base64'),
  }
}

export function loopMac(raw = randomBytes(32)) {
  const key = createSecretKey(raw)
  return (input) => PREFIX + createHmac('sha256', key).update(input).digest('base64')
}

const KINDS = {
  ed25519: { generate: ['ed25519', {}], hash: null, options: {} },
  'ecdsa-p256': { generate: ['ec', { namedCurve: 'P-256' }], hash: 'sha256', options: {} },
  'ecdsa-p384': { generate: ['ec', { namedCurve: 'P-384' }], hash: 'sha256', options: {} },
  'ecdsa-p521': { generate: ['ec', { namedCurve: 'P-521' }], hash: 'sha256', options: {} },
  'rsa-2048': { generate: ['rsa', { modulusLength: 2048 }], hash: 'sha256', options: { padding: 6, saltLength: 32 } },
}

/** Signing over a parsed key pair. @param type a key type of the kernel */
export function loopSigner(type) {
  const { generate, hash, options } = KINDS[type]
  const pair = generateKeyPairSync(...generate)
  const secret = { ...options, key: createPrivateKey(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })) }
  const open = { ...options, key: createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' })) }
  return {
    sign: (input) => PREFIX + sign(hash, input, secret).toString('base64'),
    verify: (input, text) => verify(hash, input, open, Buffer.from(text.slice(PREFIX.length), 'base64')),
  }
}

/** RSA-OAEP with SHA-256 over a parsed key pair. */
export function loopRsa() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const options = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const open = { ...options, key: publicKey }
  const secret = { ...options, key: privateKey }
  return {
    encrypt: (plaintext) => PREFIX + publicEncrypt(open, plaintext).toString('base64'),
    decrypt: (text) => privateDecrypt(secret, Buffer.from(text.slice(PREFIX.length), 'base64')),
  }
}
