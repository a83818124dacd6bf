/** Runs offload tasks in the main thread to examine how they use and wipe keys. */
import { describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { copyShared, SharedBytes } from '../../../src/core/crypto/shared-bytes.ts'
import { encodeMaterial } from '../../../src/engines/transit/material.ts'
import { type CryptoTask, OUTCOME_DONE, OUTCOME_FAILED } from '../../../src/engines/transit/thread/crypto-task.ts'
import { packBytes, partOf } from '../../../src/engines/transit/thread/packed-bytes.ts'
import { performTask } from '../../../src/engines/transit/thread/perform-task.ts'
import type { CryptoBackend } from '../../../src/index.ts'
import { bytesOf } from '../../property/support.ts'

const noble = nobleCrypto({ accelerate: false })

/** Noble cryptography that records every key it creates. */
function remembering() {
  const made: { readonly use: () => unknown; readonly lent: Uint8Array }[] = []
  const crypto: CryptoBackend = {
    ...noble,
    aead(algorithm, lent) {
      const key = noble.aead(algorithm, lent)
      made.push({ use: () => key.open(bytesOf(12, 1), bytesOf(20, 1), bytesOf(0, 1)), lent })
      return key
    },
    hmac(hash, lent) {
      const key = noble.hmac(hash, lent)
      made.push({ use: () => key.mac(bytesOf(1, 1)), lent })
      return key
    },
  }
  return { made, backends: { noble: crypto, accelerated: crypto, node: crypto } }
}

const sharedKey = (): SharedBytes => new SharedBytes(encodeMaterial(bytesOf(32, 1), bytesOf(32, 2)))

const sealOrder = (key: SharedBytes, more: Partial<CryptoTask> = {}): CryptoTask => ({
  verb: 'seal',
  backend: 'noble',
  type: 'aes256-gcm96',
  keys: [key.memory],
  convergent: [0],
  keyIndexes: [0, 0],
  sealKeyIndexes: [],
  inputs: packBytes([bytesOf(5, 1), bytesOf(9, 2)], (input) => input),
  bodies: [],
  associated: undefined,
  contexts: undefined,
  kdf: 0,
  nonces: undefined,
  signatures: undefined,
  rules: undefined,
  hash: undefined,
  ...more,
})

describe('an offload task', () => {
  it.each([undefined, packBytes([bytesOf(3, 1), bytesOf(3, 2)], (input) => input)])(
    'wipes all its keys at the end, including derived ones',
    (contexts) => {
      const { made, backends } = remembering()
      const order = sealOrder(sharedKey(), { contexts, kdf: 1 })
      const { outcomes: done, texts } = performTask(order, backends)
      expect([...done]).toEqual([OUTCOME_DONE, OUTCOME_DONE])
      expect(texts).toHaveLength(2)
      expect(made.length).toBeGreaterThan(0)
      for (const { use, lent } of made) {
        expect(use).toThrow(TypeError)
        expect([...lent].every((byte) => byte === 0)).toBe(true)
      }
      expect([...(order.inputs?.bytes ?? [1])].every((byte) => byte === 0)).toBe(true)
    },
  )

  it('encrypts inputs that another task decrypts to the same bytes', () => {
    const { backends } = remembering()
    const key = sharedKey()
    const { texts } = performTask(sealOrder(key), backends)
    const { bytes } = performTask(sealOrder(key, { verb: 'open', bodies: texts, inputs: undefined }), backends)
    expect([0, 1].map((index) => [...partOf(bytes, index)])).toEqual([[...bytesOf(5, 1)], [...bytesOf(9, 2)]])
  })
})

describe('shared key bytes', () => {
  it('are zeros after they are wiped, and can no longer be copied', () => {
    const key = sharedKey()
    expect(copyShared(key.memory)).toEqual(encodeMaterial(bytesOf(32, 1), bytesOf(32, 2)))
    key.wipe()
    expect(copyShared(key.memory)).toBeUndefined()
    expect(new Uint8Array(key.memory).every((byte) => byte === 0)).toBe(true)
  })

  it('are not used for encryption after they are wiped', () => {
    const { made, backends } = remembering()
    const key = sharedKey()
    key.wipe()
    const { outcomes: done, texts } = performTask(sealOrder(key), backends)
    expect([...done]).toEqual([OUTCOME_FAILED, OUTCOME_FAILED])
    expect(texts).toEqual([])
    expect(made).toEqual([])
  })
})
