/** Long values that many calls encrypt and decrypt at the same time. */
import { expect, it } from 'vitest'
import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import { createDevKernel, nobleCrypto } from '../../src/index.ts'

const CALLS = 24
const MIB = 1_048_576

it.each([
  ['the default backend', nobleCrypto],
  ['the node backend', nodeCrypto],
])('calls that start in one turn of the event loop share it with other work (%s)', async (_name, crypto) => {
  const kernel = await createDevKernel({ crypto: crypto() })
  await kernel.transit.createKey({ name: 'k' })
  const plaintexts = Array.from({ length: CALLS }, (_, at) => new Uint8Array(MIB - at).fill(at))
  let turns = 0
  let over = false
  const turn = (): void => {
    turns++
    if (!over) setImmediate(turn)
  }
  setImmediate(turn)
  const encrypting = plaintexts.map((plaintext) => kernel.transit.encrypt({ name: 'k', plaintext }))
  for (const plaintext of plaintexts) plaintext.fill(255)
  const encrypted = await Promise.all(encrypting)
  const turnsToEncrypt = turns
  const decrypted = await Promise.all(encrypted.map(({ ciphertext }) => kernel.transit.decrypt({ name: 'k', ciphertext })))
  over = true
  for (const [at, { plaintext }] of decrypted.entries())
    expect(Buffer.compare(plaintext, new Uint8Array(MIB - at).fill(at))).toBe(0)
  expect(turnsToEncrypt).toBeGreaterThan(2)
  expect(turns - turnsToEncrypt).toBeGreaterThan(2)
  await kernel.close()
})
