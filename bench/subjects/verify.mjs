/** Verification of signatures over messages of 64 bytes. */

import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { nobleCrypto } from '../../dist/core/crypto/noble/index.js'
import { loadCurves } from '../../dist/engine.js'
import { measure } from '../measure.mjs'
import { loopSigner } from '../node-loop.mjs'
import { comparison } from '../report.mjs'
import { base64, bytes, checked, openKernel } from '../setup.mjs'

const MESSAGE_BYTES = 64

await loadCurves()

export const title = 'Verify'

/** The backend's and the stock call for a key type; RSA has no noble form. */
function primitives(type, input) {
  const crypto = nobleCrypto()
  if (type === 'ed25519') {
    const seed = bytes(32)
    const publicKey = ed25519.getPublicKey(seed)
    const signature = ed25519.sign(input, seed)
    const key = crypto.ed25519Verify(publicKey)
    return { backend: () => key.verify(signature, input), stock: () => ed25519.verify(signature, input, publicKey) }
  }
  if (type === 'ecdsa-p256') {
    const scalar = crypto.ecdsaGenerate('P-256', bytes)
    const publicKey = p256.getPublicKey(scalar, false)
    const options = { prehash: false, lowS: false }
    const signature = p256.sign(sha256(input), scalar, options)
    const key = crypto.ecdsaVerify('P-256', publicKey)
    return {
      backend: () => key.verifyDigest(signature, sha256(input)),
      stock: () => p256.verify(signature, sha256(input), publicKey, options),
    }
  }
  return undefined
}

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const measured = []
  for (const name of ['ed25519', 'ecdsa-p256', 'rsa-2048']) {
    const input = bytes(MESSAGE_BYTES)
    const { signature } = await transit.sign({ name, input })
    const call = request(`verify/${name}`, { input: base64(input), signature })
    const { valid } = await checked(kernel, call)
    if (!valid) throw new Error(`${name}: own signature is not valid`)
    const loop = loopSigner(name)
    const ofLoop = loop.sign(input)
    const raw = primitives(name, input)
    const rounds = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.verify({ name, input, signature })
      },
      path: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(call)
      },
      ...(raw && {
        backend: (n) => {
          for (let i = 0; i < n; i++) raw.backend()
        },
        'stock noble': (n) => {
          for (let i = 0; i < n; i++) raw.stock()
        },
      }),
      loop: (n) => {
        for (let i = 0; i < n; i++) loop.verify(input, ofLoop)
      },
    })
    measured.push([name, rounds])
  }
  await kernel.close()
  const compared = [
    ['typed', 'loop'],
    ['typed', 'backend'],
    ['typed', 'stock noble'],
  ]
  return { targets: [], text: comparison(measured, ['typed', 'path', 'backend', 'stock noble', 'loop'], compared) }
}
