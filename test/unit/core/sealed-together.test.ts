import { describe, expect, it } from 'vitest'
import { Barrier } from '../../../src/core/barrier/barrier.ts'
import { encodeFirstRing, readRing } from '../../../src/core/barrier/key-ring.ts'
import { PLAIN_RECORDS } from '../../../src/core/barrier/plain-records.ts'
import type { RecordCipher } from '../../../src/core/barrier/record-cipher.ts'
import { encodeRecord, jsonRecord, splitFormat, textRecord, withFormat } from '../../../src/core/contract/record-kind.ts'
import { createKernel, type Entropy, keySeal, memoryStorage, nobleCrypto, systemEntropy } from '../../../src/index.ts'
import { BACKENDS } from '../../fixtures/backends.ts'

const NONCE_AT = 5
const NONCE_BYTES = 12

function noting(): { entropy: Entropy; draws: number[] } {
  const draws: number[] = []
  const inner = systemEntropy()
  const entropy: Entropy = {
    bytes(n) {
      draws.push(n)
      return inner.bytes(n)
    },
  }
  return { entropy, draws }
}

function openBarrier(crypto = nobleCrypto()) {
  const { entropy, draws } = noting()
  const barrier = new Barrier(entropy)
  barrier.unseal(readRing(encodeFirstRing(new Uint8Array(32).fill(3), 0), crypto))
  return { barrier, draws }
}

const KEYS = ['r/a/x/1', 'r/a/x/2', 'r/b/long']
const VALUES = [new Uint8Array([1, 2, 3]), new Uint8Array(0), new Uint8Array(5_000).fill(9)]

describe.each(BACKENDS)('records encrypted together with $name', (backend) => {
  it('get distinct nonces from one draw of entropy, and each decrypts only under its own key', () => {
    const { barrier, draws } = openBarrier(backend)
    const records = barrier.encodeAll(KEYS, VALUES)
    expect(draws).toEqual([NONCE_BYTES * KEYS.length])
    expect(barrier.encryptions).toBe(KEYS.length)
    const nonces = records.map((record) => Buffer.from(record.subarray(NONCE_AT, NONCE_AT + NONCE_BYTES)).toString('hex'))
    expect(new Set(nonces).size).toBe(KEYS.length)
    for (const [index, record] of records.entries()) {
      expect(barrier.decode(KEYS[index] as string, record)).toEqual(VALUES[index])
      expect(() => barrier.decode(KEYS[(index + 1) % KEYS.length] as string, record)).toThrow('damaged')
    }
  })
})

it('PLAIN_RECORDS.encodeAll returns the same records as encode for each one', () => {
  const cipher: RecordCipher = PLAIN_RECORDS
  expect(cipher.encodeAll(KEYS, VALUES)).toEqual(KEYS.map((key, index) => cipher.encode(key, VALUES[index] as Uint8Array)))
})

it('a commit draws entropy once for the nonces of its records and once for its id', async () => {
  const { entropy, draws } = noting()
  const kernel = await createKernel({
    storage: memoryStorage(),
    seal: keySeal(new Uint8Array(32).fill(5)),
    initialize: true,
    entropy,
  })
  await kernel.mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
  const kv = kernel.kv2.at('kv2/')
  await kv.writeSecret({ path: 'a', data: { n: 1 } })
  draws.length = 0
  await kv.writeSecret({ path: 'a', data: { n: 2 } })
  expect(draws.sort((a, b) => a - b)).toEqual([16, 2 * NONCE_BYTES])
  await kernel.close()
})

describe('encodeRecord', () => {
  it.each([1, 2, 127, 128, 255])('writes format %i and the bytes of the value', (format) => {
    const kind = jsonRecord<{ readonly name: string }>({ folder: 'x', format })
    const value = { name: 'Zoë 🦉 \u0000 \ud800' }
    const stored = encodeRecord(kind, value)
    expect(stored).toEqual(withFormat(format, kind.encode(value)))
    const [found, bytes] = splitFormat(kind, stored)
    expect([found, kind.decode(bytes, found)]).toEqual([format, JSON.parse(JSON.stringify(value))])
  })

  it('encodes every character of a text record reversibly', () => {
    const kind = textRecord({ folder: 'x' })
    for (const text of ['', '{"a":1}', '\u{1f989}', 'ü'.repeat(3_000)])
      expect(kind.decode(splitFormat(kind, encodeRecord(kind, text))[1], 1)).toBe(text)
  })
})
