/** Data keys: random bytes and their ciphertext. The loop takes the bytes from the system and seals them. */
import { randomBytes } from 'node:crypto'
import { measure } from '../measure.mjs'
import { loopCipher } from '../node-loop.mjs'
import { comparison } from '../report.mjs'
import { checked, openKernel } from '../setup.mjs'

export const title = 'Data keys'

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const name = 'aes256-gcm96'
  const cipher = loopCipher('aes-256-gcm')
  const measured = []
  for (const bits of [128, 256, 512]) {
    const call = request(`datakey/plaintext/${name}`, { bits })
    await checked(kernel, call)
    const rounds = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.generateDataKey({ name, kind: 'plaintext', bits })
      },
      path: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(call)
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) cipher.encrypt(randomBytes(bits / 8))
      },
    })
    measured.push([`${name}, ${bits} bits`, rounds])
  }
  await kernel.close()
  return { targets: [], text: comparison(measured, ['typed', 'path', 'loop'], [['typed', 'loop']]) }
}
