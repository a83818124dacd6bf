/**
 * The typed view with either backend, against what somebody would write by hand over node:crypto. `default` is `nobleCrypto()`, `node` is
 * `nodeCrypto()`.
 */

import { ed25519 } from '@noble/curves/ed25519.js'
import { nodeCrypto } from 'strongroom/crypto/node'
import { measure } from '../measure.mjs'
import { loopCipher, loopMac, loopRsa, loopSigner } from '../node-loop.mjs'
import { comparison, ratio, target } from '../report.mjs'
import { bytes, openKernel, SIZES } from '../setup.mjs'

const NAME = 'aes256-gcm96'
const ITEMS = 1000
const MESSAGE_BYTES = 64

export const title = 'Both backends against node:crypto by hand'

const CRYPTO = { default: () => ({}), node: () => ({ crypto: nodeCrypto() }) }

export const variants = Object.keys(CRYPTO)

/**
 * What is expected of a row, for each backend, on any processor that was measured; undefined where the figure is only stated. Below 1, the
 * loop is faster: `docs/numbers.md` says why.
 */
const EXPECTED = {
  'encrypt 32 B': [1, 0.68],
  'decrypt 32 B': [1.1, 0.68],
  'encrypt 1 KiB': [0.7, 0.72],
  'decrypt 1 KiB': [0.7, 0.72],
  'encrypt 64 KiB': [0.85, 0.85],
  'decrypt 64 KiB': [0.85, 0.85],
  'encrypt 1 MiB': [0.72, 0.72],
  'decrypt 1 MiB': [0.75, 0.75],
  'batch of 1,000, encrypt 32 B': [1, 0.72],
  'batch of 1,000, decrypt 32 B': [1, 0.7],
  'batch of 1,000, encrypt 1 KiB': [0.5, 0.5],
  'batch of 1,000, decrypt 1 KiB': [0.7, 0.7],
  'hmac 32 B': [0.45, 0.65],
  'hmac 1 KiB': [0.7, 0.7],
  'sign ecdsa-p256': [0.8, 0.82],
  'verify ecdsa-p256': [0.85, 0.88],
  'sign ecdsa-p384': [0.9, 0.9],
  'verify ecdsa-p384': [0.88, 0.88],
  'sign ecdsa-p521': [0.93, 0.93],
  'verify ecdsa-p521': [0.92, 0.92],
  'sign ed25519': [undefined, 0.9],
  'verify ed25519': [undefined, 0.9],
  'sign rsa-2048': [0.94, 0.94],
  'verify rsa-2048': [0.85, 0.85],
  'OAEP encrypt rsa-2048': [0.85, 0.85],
  'OAEP decrypt rsa-2048': [0.85, 0.85],
}

const repeated = (call) => async (n) => {
  for (let i = 0; i < n; i++) await call()
}

/** @param calls name to a function; the loop is awaited by nobody. */
const against = ({ loop, ...calls }) =>
  measure({
    ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, repeated(call)])),
    loop: (n) => {
      for (let i = 0; i < n; i++) loop()
    },
  })

/** @param variant `default` or `node` */
export async function run(variant) {
  const { transit } = await openKernel(CRYPTO[variant]())
  const measured = []
  const row = async (label, make, loop, more = {}) =>
    measured.push([label, await against({ [variant]: await make(transit), loop, ...more })])

  const cipher = loopCipher('aes-256-gcm')
  const encrypts = (plaintext) => (transit) => () => transit.encrypt({ name: NAME, plaintext })
  const decrypts = (plaintext) => async (transit) => {
    const { ciphertext } = await transit.encrypt({ name: NAME, plaintext })
    return () => transit.decrypt({ name: NAME, ciphertext })
  }
  for (const [size, length] of Object.entries(SIZES)) {
    const plaintext = bytes(length)
    const sealed = cipher.encrypt(plaintext)
    await row(`encrypt ${size}`, encrypts(plaintext), () => cipher.encrypt(plaintext))
    await row(`decrypt ${size}`, decrypts(plaintext), () => cipher.decrypt(sealed))
  }
  for (const size of ['32 B', '1 KiB']) {
    const plaintexts = Array.from({ length: ITEMS }, () => bytes(SIZES[size]))
    const batch_input = plaintexts.map((plaintext) => ({ plaintext }))
    const texts = plaintexts.map((plaintext) => cipher.encrypt(plaintext))
    await row(
      `batch of 1,000, encrypt ${size}`,
      (transit) => () => transit.encryptBatch({ name: NAME, batch_input }),
      () => plaintexts.map((plaintext) => cipher.encrypt(plaintext)),
    )
    await row(
      `batch of 1,000, decrypt ${size}`,
      async (transit) => {
        const { batch_results } = await transit.encryptBatch({ name: NAME, batch_input })
        const sealed = batch_results.map(({ ciphertext }) => ({ ciphertext }))
        return () => transit.decryptBatch({ name: NAME, batch_input: sealed })
      },
      () => texts.map((text) => cipher.decrypt(text)),
    )
  }
  const mac = loopMac()
  for (const size of ['32 B', '1 KiB']) {
    const input = bytes(SIZES[size])
    await row(
      `hmac ${size}`,
      (transit) => () => transit.hmac({ name: 'hmac', input }),
      () => mac(input),
    )
  }
  for (const name of ['ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521', 'ed25519', 'rsa-2048']) {
    const input = bytes(MESSAGE_BYTES)
    const loop = loopSigner(name)
    const ofLoop = loop.sign(input)
    const seed = bytes(32)
    const [publicKey, own] = [ed25519.getPublicKey(seed), ed25519.sign(input, seed)]
    const bare = name === 'ed25519' && variant === 'default'
    await row(
      `sign ${name}`,
      (transit) => () => transit.sign({ name, input }),
      () => loop.sign(input),
      {
        ...(bare && { noble: async () => ed25519.sign(input, seed) }),
      },
    )
    await row(
      `verify ${name}`,
      async (transit) => {
        const { signature } = await transit.sign({ name, input })
        return () => transit.verify({ name, input, signature })
      },
      () => loop.verify(input, ofLoop),
      { ...(bare && { noble: async () => ed25519.verify(own, input, publicKey) }) },
    )
  }
  const rsa = loopRsa()
  const secret = bytes(32)
  const ofRsa = rsa.encrypt(secret)
  await row(
    'OAEP encrypt rsa-2048',
    (transit) => () => transit.encrypt({ name: 'rsa-2048', plaintext: secret }),
    () => rsa.encrypt(secret),
  )
  await row(
    'OAEP decrypt rsa-2048',
    async (transit) => {
      const { ciphertext } = await transit.encrypt({ name: 'rsa-2048', plaintext: secret })
      return () => transit.decrypt({ name: 'rsa-2048', ciphertext })
    },
    () => rsa.decrypt(ofRsa),
  )

  const targets = measured.flatMap(([label, rounds]) => {
    const atLeast = EXPECTED[label][variants.indexOf(variant)]
    const noble = rounds.has('noble')
      ? [target(`${label}, default : bare noble`, rounds.speed('default', 'noble'), { atLeast: 0.97 }, ratio)]
      : []
    if (atLeast === undefined) return noble
    return [target(`${label}, ${variant} : loop`, rounds.speed(variant, 'loop'), { atLeast }, ratio), ...noble]
  })
  const compared = [[variant, 'loop'], ...(variant === 'default' ? [['default', 'noble']] : [])]
  return { targets, text: comparison(measured, [variant, ...(variant === 'default' ? ['noble'] : []), 'loop'], compared) }
}
