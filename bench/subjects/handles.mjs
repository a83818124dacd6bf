/** Calls without a promise, beside the same work by hand and beside the asynchronous methods. */
import { nodeCrypto } from '../../dist/adapters/crypto-node/index.js'
import { measure } from '../measure.mjs'
import { loopCipher, loopMac } from '../node-loop.mjs'
import { comparison, ratio, target } from '../report.mjs'
import { bytes, openKernel, SIZES } from '../setup.mjs'

/** More encryptions than are made between two turns of the event loop. */
const RESERVE = 2 ** 20

const BACKENDS = {
  default: { options: {}, atLeast: 1.2 },
  node: { options: { crypto: nodeCrypto() }, atLeast: 0.72 },
}

export const title = 'Synchronous handles (aes256-gcm96)'

export const variants = Object.keys(BACKENDS)

/** @param backend `default` or `node` */
export async function run(backend) {
  const measured = []
  const targets = []
  const { options, atLeast } = BACKENDS[backend]
  const { kernel, transit } = await openKernel(options)
  const name = 'aes256-gcm96'
  const handle = await transit.keyHandle(name, { reserve: RESERVE })
  const loop = loopCipher('aes-256-gcm')
  const loopHmac = loopMac()
  for (const [size, length] of Object.entries(SIZES)) {
    if (length > 2 ** 18) continue
    const plaintext = bytes(length)
    const ciphertext = handle.encryptSync(plaintext)
    const ofLoop = loop.encrypt(plaintext)
    const encrypt = await measure({
      sync: (n) => {
        for (let i = 0; i < n; i++) handle.encryptSync(plaintext)
      },
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.encrypt({ name, plaintext })
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) loop.encrypt(plaintext)
      },
    })
    const decrypt = await measure({
      sync: (n) => {
        for (let i = 0; i < n; i++) handle.decryptSync(ciphertext)
      },
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.decrypt({ name, ciphertext })
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) loop.decrypt(ofLoop)
      },
    })
    const hmac = await measure({
      sync: (n) => {
        for (let i = 0; i < n; i++) handle.hmacSync(plaintext)
      },
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.hmac({ name, input: plaintext })
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) loopHmac(plaintext)
      },
    })
    for (const [what, rounds] of Object.entries({ encrypt, decrypt, hmac })) {
      measured.push([`${what}, ${size}, ${backend} backend`, rounds])
      if (length === 32 && what !== 'hmac')
        targets.push(target(`${what}Sync, 32 B, ${backend} backend : loop`, rounds.speed('sync', 'loop'), { atLeast }, ratio))
    }
  }
  handle.close()
  await kernel.close()
  const columns = ['sync', 'typed', 'loop']
  return {
    targets,
    text: comparison(measured, columns, [
      ['sync', 'loop'],
      ['sync', 'typed'],
    ]),
  }
}
