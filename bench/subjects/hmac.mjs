/** HMAC-SHA256: input to `strongroom:v1:<base64>`. */
import { hmac as stock } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { nobleCrypto } from '../../dist/core/crypto/noble/index.js'
import { measure } from '../measure.mjs'
import { loopMac } from '../node-loop.mjs'
import { comparison } from '../report.mjs'
import { base64, bytes, checked, openKernel, SIZES } from '../setup.mjs'

export const title = 'HMAC'

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const name = 'hmac'
  const key = bytes(32)
  const mac = nobleCrypto().hmac('sha2-256', key)
  const loop = loopMac()
  const measured = []
  for (const [size, length] of Object.entries(SIZES)) {
    const input = bytes(length)
    const call = request(`hmac/${name}`, { input: base64(input) })
    await checked(kernel, call)
    const rounds = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.hmac({ name, input })
      },
      path: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(call)
      },
      backend: (n) => {
        for (let i = 0; i < n; i++) mac.mac(input)
      },
      'stock noble': (n) => {
        for (let i = 0; i < n; i++) stock(sha256, key, input)
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) loop(input)
      },
    })
    measured.push([size, rounds])
  }
  await kernel.close()
  const columns = ['typed', 'path', 'backend', 'stock noble', 'loop']
  const compared = [
    ['typed', 'loop'],
    ['typed', 'stock noble'],
  ]
  return { targets: [], text: comparison(measured, columns, compared) }
}
