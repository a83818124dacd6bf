/** Rewrap: a ciphertext of an older key version to one of the newest. The loop decrypts under one key and encrypts under another. */
import { measure } from '../measure.mjs'
import { loopCipher } from '../node-loop.mjs'
import { comparison } from '../report.mjs'
import { bytes, checked, openKernel, SIZES } from '../setup.mjs'

export const title = 'Rewrap'

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const name = 'aes256-gcm96'
  const from = loopCipher('aes-256-gcm')
  const to = loopCipher('aes-256-gcm')
  const measured = []
  const old = new Map()
  for (const [size, length] of Object.entries(SIZES)) {
    const plaintext = bytes(length)
    old.set(size, { ciphertext: (await transit.encrypt({ name, plaintext })).ciphertext, loop: from.encrypt(plaintext) })
  }
  await transit.rotateKey({ name })
  for (const [size, { ciphertext, loop }] of old) {
    const call = request(`rewrap/${name}`, { ciphertext })
    await checked(kernel, call)
    const rounds = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.rewrap({ name, ciphertext })
      },
      path: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(call)
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) to.encrypt(from.decrypt(loop))
      },
    })
    measured.push([`${name}, ${size}`, rounds])
  }
  await kernel.close()
  return { targets: [], text: comparison(measured, ['typed', 'path', 'loop'], [['typed', 'loop']]) }
}
