/** A thousand items in one call. Times are per call; the loops do a thousand single ones, and also keep all results until the end. */
import { measure } from '../measure.mjs'
import { loopCipher } from '../node-loop.mjs'
import { comparison, ratio, target } from '../report.mjs'
import { base64, bytes, checked, openKernel } from '../setup.mjs'

const ITEMS = 1000
const SIZES = { '32 B': 32, '1 KiB': 1024 }

export const title = 'Batch of 1,000'

export async function run() {
  const { kernel, transit, request } = await openKernel()
  const name = 'aes256-gcm96'
  const loop = loopCipher('aes-256-gcm')
  const measured = []
  const targets = []
  for (const [size, length] of Object.entries(SIZES)) {
    const plaintexts = Array.from({ length: ITEMS }, () => bytes(length))
    const plain = plaintexts.map((plaintext) => ({ plaintext }))
    const ofLoop = plaintexts.map((plaintext) => loop.encrypt(plaintext))
    const { batch_results } = await transit.encryptBatch({ name, batch_input: plain })
    const sealed = batch_results.map(({ ciphertext }) => ({ ciphertext }))
    const encryptCall = request(`encrypt/${name}`, { batch_input: plaintexts.map((data) => ({ plaintext: base64(data) })) })
    const decryptCall = request(`decrypt/${name}`, { batch_input: sealed })
    await checked(kernel, encryptCall)
    await checked(kernel, decryptCall)
    const encrypted = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.encryptBatch({ name, batch_input: plain })
      },
      path: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(encryptCall)
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) plaintexts.map((plaintext) => loop.encrypt(plaintext))
      },
    })
    const decrypted = await measure({
      typed: async (n) => {
        for (let i = 0; i < n; i++) await transit.decryptBatch({ name, batch_input: sealed })
      },
      path: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(decryptCall)
      },
      loop: (n) => {
        for (let i = 0; i < n; i++) ofLoop.map((text) => loop.decrypt(text))
      },
    })
    measured.push([`encrypt, ${size}`, encrypted], [`decrypt, ${size}`, decrypted])
    if (length !== 32) continue
    targets.push(target('batch encrypt, 1,000 of 32 B : loop', encrypted.speed('typed', 'loop'), { atLeast: 0.9 }, ratio))
    targets.push(target('batch decrypt, 1,000 of 32 B : loop', decrypted.speed('typed', 'loop'), { atLeast: 0.9 }, ratio))
  }
  await kernel.close()
  return { targets, text: comparison(measured, ['typed', 'path', 'loop'], [['typed', 'loop']]) }
}
