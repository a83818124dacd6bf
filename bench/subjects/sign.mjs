/** Signatures over messages of 64 bytes. */

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

export const title = 'Sign'

/** The backend's and the stock call for a key type; RSA has no noble form. */
function primitives(type, input) {
  const crypto = nobleCrypto()
  const seed = bytes(32)
  if (type === 'ed25519') {
    const key = crypto.ed25519Sign(seed)
    return { backend: () => key.sign(input), stock: () => ed25519.sign(input, seed) }
  }
  if (type === 'ecdsa-p256') {
    const scalar = crypto.ecdsaGenerate('P-256', bytes)
    const key = crypto.ecdsaSign('P-256', scalar)
    const options = { prehash: false, lowS: false, extraEntropy: true }
    return { backend: () => key.signDigest(sha256(input), seed), stock: () => p256.sign(sha256(input), scalar, options) }
  }
  return undefined
}

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const measured = []
  for (const name of ['ed25519', 'ecdsa-p256', 'rsa-2048']) {
    const input = bytes(MESSAGE_BYTES)
    const call = request(`sign/${name}`, { input: base64(input) })
    await checked(kernel, call)
    const loop = loopSigner(name)
    const raw = primitives(name, input)
    const rounds = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.sign({ name, input })
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
        for (let i = 0; i < n; i++) loop.sign(input)
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
