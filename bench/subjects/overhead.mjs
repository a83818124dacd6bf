/**
 * What the kernel adds around an operation. `bare` does by hand what cannot be saved: draws the nonce, calls the backend, makes the text.
 * All with the kernel's own functions, so that the difference is arguments, versions, key lookup, result and promise.
 */

import { decodeBase64, encodeBase64 } from '../../dist/core/base/base64.js'
import { systemEntropy } from '../../dist/core/base/entropy.js'
import { nobleCrypto } from '../../dist/core/crypto/noble/index.js'
import { measure } from '../measure.mjs'
import { microseconds, table, target, timeCell } from '../report.mjs'
import { base64, bytes, checked, openKernel } from '../setup.mjs'

const NONCE = 12
const TAG = 16
const EMPTY = new Uint8Array(0)
const PREFIX = 'strongroom:v1:'

export const title = 'Overhead around an operation (32 B aes256-gcm96)'

function bareCipher() {
  const aead = nobleCrypto().aead('aes-gcm', bytes(32))
  const entropy = systemEntropy()
  return {
    encrypt(plaintext) {
      const nonce = entropy.bytes(NONCE)
      const out = new Uint8Array(NONCE + plaintext.length + TAG)
      out.set(nonce)
      aead.seal(nonce, plaintext, EMPTY, out, NONCE)
      return PREFIX + encodeBase64(out)
    },
    decrypt(text) {
      const sealed = decodeBase64(text.slice(PREFIX.length), 'ciphertext')
      return aead.open(sealed.subarray(0, NONCE), sealed.subarray(NONCE), EMPTY)
    },
  }
}

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const name = 'aes256-gcm96'
  const plaintext = bytes(32)
  const { ciphertext } = await transit.encrypt({ name, plaintext })
  const bare = bareCipher()
  const ofBare = bare.encrypt(plaintext)
  const json = (body) => new TextEncoder().encode(JSON.stringify(body))
  const calls = {
    encrypt: request(`encrypt/${name}`, { plaintext: base64(plaintext) }),
    encryptJson: request(`encrypt/${name}`, json({ plaintext: base64(plaintext) })),
    decrypt: request(`decrypt/${name}`, { ciphertext }),
    decryptJson: request(`decrypt/${name}`, json({ ciphertext })),
  }
  for (const call of Object.values(calls)) await checked(kernel, call)
  const handle = (call) => async (n) => {
    for (let i = 0; i < n; i++) await kernel.handle(call)
  }
  const options = { rounds: 31 }
  const encrypt = await measure(
    {
      bare: (n) => {
        for (let i = 0; i < n; i++) bare.encrypt(plaintext)
      },
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.encrypt({ name, plaintext })
      },
      path: handle(calls.encrypt),
      'path, body as bytes': handle(calls.encryptJson),
    },
    options,
  )
  const decrypt = await measure(
    {
      bare: (n) => {
        for (let i = 0; i < n; i++) bare.decrypt(ofBare)
      },
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.decrypt({ name, ciphertext })
      },
      path: handle(calls.decrypt),
      'path, body as bytes': handle(calls.decryptJson),
    },
    options,
  )
  await kernel.close()
  const row = (label, rounds) => [
    label,
    ...rounds.names.map((candidate) => microseconds(rounds.time(candidate).median)),
    timeCell(rounds.extra('typed', 'bare')),
    timeCell(rounds.extra('path', 'typed')),
  ]
  const targets = Object.entries({ encrypt, decrypt }).flatMap(([label, rounds]) => [
    target(`kernel overhead, ${label}: typed minus bare`, rounds.extra('typed', 'bare'), { atMost: 1.2 }, microseconds),
    target(`path view with token check, ${label}: path minus typed`, rounds.extra('path', 'typed'), { atMost: 6 }, microseconds),
  ])
  const header = ['', ...encrypt.names, 'typed minus bare', 'path minus typed']
  return { targets, text: table(header, [row('encrypt', encrypt), row('decrypt', decrypt)]) }
}
