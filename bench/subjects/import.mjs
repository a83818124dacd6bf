/**
 * Import: a key that was wrapped for the kernel, unwrapped, judged and stored. The loop unwraps and makes a key object, and stores nothing.
 */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { measure } from '../measure.mjs'
import { comparison } from '../report.mjs'
import { base64, bytes, openKernel } from '../setup.mjs'

export const title = 'Import'

const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
const KWP = ['id-aes256-wrap-pad', Buffer.from('a65959a6', 'hex')]
const WRAPPED_BYTES = 512

function wrap(publicKey, material) {
  const ephemeral = randomBytes(32)
  const cipher = createCipheriv(KWP[0], ephemeral, KWP[1])
  const first = publicEncrypt({ key: publicKey, ...OAEP }, ephemeral)
  return new Uint8Array(Buffer.concat([first, cipher.update(material), cipher.final()]))
}

function unwrap(privateKey, blob) {
  const ephemeral = privateDecrypt({ key: privateKey, ...OAEP }, blob.subarray(0, WRAPPED_BYTES))
  const decipher = createDecipheriv(KWP[0], ephemeral, KWP[1])
  return Buffer.concat([decipher.update(blob.subarray(WRAPPED_BYTES)), decipher.final()])
}

const pkcs8 = (type, options) => generateKeyPairSync(type, options).privateKey.export({ type: 'pkcs8', format: 'der' })
const symmetric = (material) => createSecretKey(material)
const pair = (material) => createPrivateKey({ key: material, format: 'der', type: 'pkcs8' })

const KEYS = {
  'aes256-gcm96': { material: bytes(32), load: symmetric },
  ed25519: { material: pkcs8('ed25519'), load: pair },
  'ecdsa-p256': { material: pkcs8('ec', { namedCurve: 'P-256' }), load: pair },
  'rsa-2048': { material: pkcs8('rsa', { modulusLength: 2048 }), load: pair },
}

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const pair = generateKeyPairSync('rsa', { modulusLength: 4096 })
  const { public_key } = await transit.readWrappingKey()
  const measured = []
  let made = 0
  for (const [type, { material, load }] of Object.entries(KEYS)) {
    const ciphertext = wrap(public_key, material)
    const forLoop = wrap(pair.publicKey, material)
    const body = { type, ciphertext: base64(ciphertext) }
    const { status } = await kernel.handle(request(`keys/first-${type}/import`, body))
    if (status !== 204) throw new Error(`import of ${type}: ${status}`)
    const rounds = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.importKey({ name: `import-${made++}`, type, ciphertext })
      },
      path: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(request(`keys/import-${made++}/import`, body))
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) load(unwrap(pair.privateKey, forLoop))
      },
    })
    measured.push([type, rounds])
  }
  await kernel.close()
  return { targets: [], text: comparison(measured, ['typed', 'path', 'loop'], [['typed', 'loop']]) }
}
