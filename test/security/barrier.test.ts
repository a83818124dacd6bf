/**
 * An attacker who can write to the store but has no key: no altered or moved record may be accepted as genuine.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { createKernel as createChosen } from '../../src/chosen-kernel.ts'
import { transit } from '../../src/engines.ts'
import { type Entry, type KernelOptions, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { runs } from '../fixtures/runs.ts'
import { bytesOf, utf8 } from '../property/support.ts'

const KEY = bytesOf(32, 41)
const NAMES = ['aes', 'signer'] as const
/** The number of bytes of a value in which a bit is flipped, in addition to the header. */
const MAX_POSITIONS = runs({ quick: 8, soak: 10_000 })
const HEADER = 5
/** These records are in clear text. The tests below check that damage to them is harmless or refused. */
const IN_THE_CLEAR: readonly string[] = ['i/core/format', 'i/core/seal']

/** Only the engine in use, because the tests open hundreds of kernels. */
const createKernel = (options: KernelOptions) => createChosen({ ...options, engines: [transit()] })
type Kernel = Awaited<ReturnType<typeof createKernel>>

interface Used {
  readonly entries: readonly Entry[]
  readonly ciphertexts: readonly string[]
  readonly rootToken: string
}

let used: Used

beforeAll(async () => {
  const storage = memoryStorage()
  const clock = fakeClock()
  const kernel = await createKernel({ storage, clock, seal: keySeal(KEY), initialize: true })
  await kernel.transit.createKey({ name: 'aes', auto_rotate_period: '1h' })
  await kernel.transit.createKey({ name: 'signer', type: 'ed25519' })
  const ciphertexts: string[] = []
  for (let version = 1; version <= 2; version++) {
    ciphertexts.push((await kernel.transit.encrypt({ name: 'aes', plaintext: utf8(`version ${version}`) })).ciphertext)
    await kernel.transit.rotateKey({ name: 'aes' })
  }
  await kernel.transit.configureKeys({ disable_upsert: true })
  used = { entries: await storage.scan(''), ciphertexts, rootToken: kernel.rootToken! }
  await kernel.close()
})

async function storeOf(entries: readonly Pick<Entry, 'key' | 'value'>[]): Promise<Storage> {
  const storage = memoryStorage()
  for (const { key, value } of entries) await storage.commit([{ op: 'put', key, value }], key)
  return storage
}

/** A read operation, with the records on which its result depends. */
interface Reading {
  readonly what: string
  readonly rests: (key: string) => boolean
  readonly read: (kernel: Kernel) => Promise<unknown>
}

const ask = async (kernel: Kernel, method: string, path: string, body?: object): Promise<unknown> => {
  const headers = { 'X-Service-Token': used.rootToken }
  const response = await kernel.handle({ method, path: `/v1/transit/${path}`, headers, ...(body ? { body } : {}) })
  if (response.status >= 400) throw response
  return (response.body as { data: unknown }).data
}

/** Calls by path read the record of their token. */
const isToken = (key: string): boolean => key.startsWith('l/core/token/')
const isRing = (name: string) => (key: string) => key.endsWith(`/ring/${name}`)
const idsOf = (key: string): readonly string[] => key.split('/').slice(-2)
/** The key `aes` has three versions of material, `signer` one. */
const isMaterial = (name: string, version: number) => (key: string) => {
  if (key.split('/')[2] !== 'material') return false
  const [id, own] = idsOf(key)
  const versions = used.entries.filter((entry) => entry.key.includes(`/material/${id}/`)).length
  return (versions === 3) === (name === 'aes') && own === String(version)
}

/** The encryption counts of `aes`, which readKey shows. */
const isCountOf = (name: string) => (key: string) => name === 'aes' && /^l\/[^/]+\/encryptions\//.test(key)

const isShownOf = (name: string) => (key: string) => isRing(name)(key) || isCountOf(name)(key)

const READINGS: readonly Reading[] = [
  ...NAMES.flatMap((name): readonly Reading[] => [
    { what: `reading ${name}`, rests: isShownOf(name), read: (kernel) => kernel.transit.readKey({ name }) },
    {
      what: `reading ${name} by path`,
      rests: (key) => isToken(key) || isShownOf(name)(key),
      read: (kernel) => ask(kernel, 'GET', `keys/${name}`),
    },
  ]),
  ...[1, 2].flatMap((version): readonly Reading[] => {
    const rests = (key: string) => isRing('aes')(key) || isMaterial('aes', version)(key)
    const ciphertext = () => used.ciphertexts[version - 1]!
    return [
      {
        what: `decrypting version ${version}`,
        rests,
        read: (kernel) => kernel.transit.decrypt({ name: 'aes', ciphertext: ciphertext() }),
      },
      {
        what: `decrypting version ${version} in a batch`,
        rests,
        read: (kernel) => kernel.transit.decryptBatch({ name: 'aes', batch_input: [{ ciphertext: ciphertext() }] }),
      },
      {
        what: `decrypting version ${version} by path`,
        rests: (key) => isToken(key) || rests(key),
        read: (kernel) => ask(kernel, 'POST', 'decrypt/aes', { ciphertext: ciphertext() }),
      },
    ]
  }),
  {
    what: 'signing',
    rests: (key) => isRing('signer')(key) || isMaterial('signer', 1)(key),
    read: (kernel) => kernel.transit.sign({ name: 'signer', input: utf8('x') }),
  },
  {
    what: 'reading the settings',
    rests: (key) => key.endsWith('/config/keys'),
    read: (kernel) => kernel.transit.readKeysConfig({}),
  },
  {
    what: 'how often the key of the barrier was used',
    rests: (key) => key === 'i/core/encryptions/in-use',
    read: (kernel) => kernel.seal.readKeyStatus().then(({ term }) => term),
  },
]

/** The records that a kernel reads when it opens a store. */
const opensStore = (key: string): boolean => /^(i\/core\/(?!encryptions\/)|r\/core\/mount\/|l\/core\/salt\/)/.test(key)

/** The results of all reads on an unchanged store. */
async function truth(): Promise<readonly unknown[]> {
  const kernel = await createKernel({ storage: await storeOf(used.entries), seal: keySeal(KEY) })
  const shown = await Promise.all(READINGS.map(({ read }) => read(kernel)))
  await kernel.close()
  return shown
}

/** Runs all reads on a store with one altered record, restores the record, and runs them again. */
async function checkAltered(key: string, value: Uint8Array, expected: readonly unknown[]): Promise<void> {
  const storage = await storeOf(used.entries)
  const original = used.entries.find((entry) => entry.key === key)!.value
  await storage.commit([{ op: 'put', key, value }], 'alter')
  const [opened] = await Promise.allSettled([createKernel({ storage, seal: keySeal(KEY) })])
  if (opensStore(key)) {
    expect(opened).toMatchObject({ status: 'rejected', reason: { name: 'KernelError', message: expect.stringMatching(/.{20}/) } })
    return
  }
  if (opened.status === 'rejected') throw opened.reason
  const kernel = opened.value
  for (const [index, { what, rests, read }] of READINGS.entries()) {
    const [outcome] = await Promise.allSettled([read(kernel)])
    if (rests(key)) expect({ what, outcome }).toMatchObject({ what, outcome: { status: 'rejected', reason: { status: 500 } } })
    else expect({ what, outcome }).toEqual({ what, outcome: { status: 'fulfilled', value: expected[index] } })
  }
  await storage.commit([{ op: 'put', key, value: original }], 'put back')
  for (const [index, { read }] of READINGS.entries()) expect(await read(kernel)).toEqual(expected[index])
  await kernel.close()
}

const positionsOf = ({ value }: Entry): readonly number[] => {
  const step = Math.max(1, Math.floor(value.length / MAX_POSITIONS))
  return [...new Set([0, 1, 2, 3, 4, ...Array.from(value.keys()).filter((at) => at % step === 0), value.length - 1])]
}

describe('a store that an attacker has altered', () => {
  it('with a flipped bit in one record fails every read of that record, and no other read', async () => {
    const expected = await truth()
    for (const entry of used.entries) {
      for (const at of positionsOf(entry)) {
        // The term of the key ring is in front of the authenticated bytes. The next test covers it.
        if (entry.key === 'i/core/ring' && at < HEADER) continue
        if (IN_THE_CLEAR.includes(entry.key)) continue
        const value = entry.value.slice()
        value[at]! ^= 1 << (at % 8)
        await checkAltered(entry.key, value, expected).catch((error: unknown) => {
          throw new Error(`byte ${at} of ${entry.key}`, { cause: error })
        })
      }
    }
  })

  it('is not opened if the header of the key ring was changed', async () => {
    const ring = used.entries.find(({ key }) => key === 'i/core/ring')!
    const expected = await truth()
    for (let at = 0; at < HEADER; at++) {
      const value = ring.value.slice()
      value[at]! ^= 1
      await checkAltered(ring.key, value, expected)
    }
  })

  it.each(IN_THE_CLEAR)('is not opened, with a KernelError, if %s is damaged', async (name) => {
    const seal = used.entries.find(({ key }) => key === name)!
    const accidents = new Set<string>()
    for (const at of seal.value.keys()) {
      for (const change of [1, 0x20, 0x80]) {
        const value = seal.value.slice()
        value[at]! ^= change
        const storage = await storeOf(used.entries)
        await storage.commit([{ op: 'put', key: seal.key, value }], 'alter')
        const [opened] = await Promise.allSettled([createKernel({ storage, seal: keySeal(KEY) })])
        if (opened.status === 'fulfilled') {
          // A change of bits that base64 ignores, or a lower format number, whose conversions run again.
          await opened.value.transit.readKey({ name: 'aes' })
          await opened.value.close()
        } else if (opened.reason?.name !== 'KernelError') accidents.add(String(opened.reason?.name))
      }
    }
    expect([...accidents]).toEqual([])
  })

  it.each(['i/core/ring', ...IN_THE_CLEAR])('is not opened, with a KernelError, if %s is truncated', async (key) => {
    const { value } = used.entries.find((entry) => entry.key === key)!
    const accidents = new Set<string>()
    for (let length = 0; length < value.length; length++) {
      const storage = await storeOf(used.entries)
      await storage.commit([{ op: 'put', key, value: value.subarray(0, length) }], 'alter')
      const [opened] = await Promise.allSettled([createKernel({ storage, seal: keySeal(KEY) })])
      expect(opened.status).toBe('rejected')
      if (opened.status === 'rejected' && opened.reason?.name !== 'KernelError') accidents.add(String(opened.reason?.name))
    }
    expect([...accidents]).toEqual([])
  })

  it('fails every read of a value that was truncated, emptied or extended', async () => {
    const expected = await truth()
    for (const { key, value } of used.entries) {
      if (key === 'i/core/ring' || IN_THE_CLEAR.includes(key)) continue
      for (const altered of [
        value.subarray(0, 0),
        value.subarray(0, 10),
        value.subarray(0, value.length - 1),
        new Uint8Array([...value, 0]),
      ]) {
        await checkAltered(key, altered, expected).catch((error: unknown) => {
          throw new Error(`${altered.length} of ${value.length} bytes of ${key}`, { cause: error })
        })
      }
    }
  })

  it('fails every read of a value that was exchanged with the value of another key', async () => {
    const expected = await truth()
    for (const [at, { key }] of used.entries.entries()) {
      for (const { key: from, value } of used.entries.toSpliced(at, 1)) {
        // Damage to the clear records has its own tests.
        if (IN_THE_CLEAR.includes(key)) continue
        await checkAltered(key, value, expected).catch((error: unknown) => {
          throw new Error(`${from} in the place of ${key}`, { cause: error })
        })
      }
    }
  })

  it('fails every read of a record whose key term was changed', async () => {
    const expected = await truth()
    for (const { key, value } of used.entries) {
      if (key.startsWith('i/core/')) continue
      for (const term of [0, 2, 0xffff_ffff]) {
        const altered = value.slice()
        new DataView(altered.buffer).setUint32(0, term)
        await checkAltered(key, altered, expected)
      }
    }
  })

  it('with a damaged record of a transit key is not changed by operations on that key', async () => {
    const storage = await storeOf(used.entries)
    const ring = used.entries.find(({ key }) => isRing('aes')(key))!
    const value = ring.value.slice()
    value[20]! ^= 1
    await storage.commit([{ op: 'put', key: ring.key, value }], 'alter')
    const before = await storage.scan('')
    const kernel = await createKernel({ storage, seal: keySeal(KEY) })
    for (const call of [
      () => kernel.transit.rotateKey({ name: 'aes' }),
      () => kernel.transit.createKey({ name: 'aes' }),
      () => kernel.transit.encrypt({ name: 'aes', plaintext: utf8('x') }),
      () => kernel.transit.configureKey({ name: 'aes', deletion_allowed: true }),
      () => kernel.transit.deleteKey({ name: 'aes' }),
      () => ask(kernel, 'POST', 'keys/aes/rotate', {}),
      () => ask(kernel, 'POST', 'encrypt/aes', { plaintext: '' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ status: 500 })
    }
    expect(await storage.scan('')).toEqual(before)
    await kernel.close()
  })

  it('with a damaged record does not stop a tick, which reports the record and does the other work', async () => {
    const clock = fakeClock(Date.UTC(2026, 0, 1, 2))
    const storage = await storeOf(used.entries)
    const healthy = await createKernel({ storage, clock, seal: keySeal(KEY) })
    await healthy.transit.createKey({ name: 'other', auto_rotate_period: '1h' })
    await healthy.close()
    const ring = (await storage.scan('')).find(({ key }) => isRing('aes')(key))!
    const value = ring.value.slice()
    value[20]! ^= 1
    await storage.commit([{ op: 'put', key: ring.key, value }], 'alter')
    const kernel = await createKernel({ storage, clock, seal: keySeal(KEY) })
    await clock.advance(3_600_000 * 2)
    const { failed, done } = await kernel.tick()
    expect(failed).toMatchObject([{ lane: 'rotation', id: 'aes', error: { name: 'KernelError', status: 500 } }])
    expect(done).toBe(1)
    expect(await kernel.transit.readKey({ name: 'other' })).toMatchObject({ latest_version: 2 })
    await kernel.close()
  })
})
