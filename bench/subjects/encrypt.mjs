/** Encryption: plaintext to `strongroom:v1:<base64>`. */
import { gcm } from '@noble/ciphers/aes.js'
import { chacha20poly1305 } from '@noble/ciphers/chacha.js'
import { nobleCrypto } from '../../dist/core/crypto/noble/index.js'
import { measure } from '../measure.mjs'
import { loopCipher } from '../node-loop.mjs'
import { comparison, ratio, target } from '../report.mjs'
import { base64, bytes, checked, openKernel, SIZES } from '../setup.mjs'

const KINDS = {
  'aes256-gcm96': { backend: 'aes-gcm', cipher: 'aes-256-gcm', stock: gcm },
  'chacha20-poly1305': { backend: 'chacha20-poly1305', cipher: 'chacha20-poly1305', stock: chacha20poly1305 },
}
const EMPTY = new Uint8Array(0)

export const title = 'Encrypt'

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const measured = []
  const targets = []
  for (const [name, { backend, cipher, stock }] of Object.entries(KINDS)) {
    const key = bytes(32)
    const aead = nobleCrypto().aead(backend, key)
    const nonce = bytes(12)
    const loop = loopCipher(cipher)
    for (const [size, length] of Object.entries(SIZES)) {
      const plaintext = bytes(length)
      const out = new Uint8Array(length + 16)
      const text = base64(plaintext)
      const call = request(`encrypt/${name}`, { plaintext: text })
      await checked(kernel, call)
      const rounds = await measure({
        typed: async (n) => {
          for (let i = 0; i < n; i++) await transit.encrypt({ name, plaintext })
        },
        path: async (n) => {
          for (let i = 0; i < n; i++) await kernel.handle(call)
        },
        backend: (n) => {
          for (let i = 0; i < n; i++) aead.seal(nonce, plaintext, EMPTY, out, 0)
        },
        'stock noble': (n) => {
          for (let i = 0; i < n; i++) stock(key, nonce).encrypt(plaintext)
        },
        loop: (n) => {
          for (let i = 0; i < n; i++) loop.encrypt(plaintext)
        },
        'loop, base64 in': (n) => {
          for (let i = 0; i < n; i++) loop.encryptBase64(text)
        },
      })
      measured.push([`${name}, ${size}`, rounds])
      if (name === 'aes256-gcm96' && length === 32)
        targets.push(target('typed encrypt, 32 B aes256-gcm96 : loop', rounds.speed('typed', 'loop'), { atLeast: 0.8 }, ratio))
      if (name === 'chacha20-poly1305')
        targets.push(
          target(`typed encrypt, ${size} ${name} : stock noble`, rounds.speed('typed', 'stock noble'), { atLeast: 0.85 }, ratio),
        )
    }
  }
  await kernel.close()
  const columns = ['typed', 'path', 'backend', 'stock noble', 'loop', 'loop, base64 in']
  const compared = [
    ['typed', 'loop'],
    ['path', 'loop, base64 in'],
    ['typed', 'stock noble'],
  ]
  return { targets, text: comparison(measured, columns, compared) }
}
