/** Fixtures for the tests of seals: kernels that start without a store, and inspection of what a store contains. */
import {
  type AnySeal,
  createKernel,
  type Initialized,
  type Kernel,
  keySeal,
  memoryStorage,
  type Storage,
} from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { bytesOf, utf8 } from '../property/support.ts'

export const K1 = bytesOf(32, 71)
export const K2 = bytesOf(32, 72)

export const openWith = (storage: Storage, seal: AnySeal, more: object = {}): Promise<Kernel> =>
  createKernel({ storage, seal, clock: movingClock(), ...more })

export const shares = (made: Pick<Initialized, 'keys'>, ...indexes: number[]): string[] =>
  indexes.map((index) => made.keys[index] as string)

export async function giveAll(kernel: Kernel, keys: readonly string[], more: object = {}): Promise<void> {
  for (const key of keys) await kernel.seal.unseal({ key, ...more })
}

/** Copies the same entries to another store. */
export async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage({ maxOps: 1000 })
  for (const { key, value } of await storage.scan('')) await copy.commit([{ op: 'put', key, value }], key)
  return copy
}

/** Writes data that must survive any change of keys. */
export async function fill(kernel: Kernel, secrets = 3): Promise<{ check(kernel: Kernel): Promise<void> }> {
  await kernel.transit.createKey({ name: 'kept' })
  const { ciphertext } = await kernel.transit.encrypt({ name: 'kept', plaintext: utf8('kept') })
  const path = (n: number) => ({ path: `kept/${n}` })
  for (let n = 0; n < secrets; n++) await kernel.kv.writeSecret({ ...path(n), data: { n } })
  return {
    async check(otherKernel) {
      const { plaintext } = await otherKernel.transit.decrypt({ name: 'kept', ciphertext })
      if (Buffer.from(plaintext).toString() !== 'kept') throw new Error('another plaintext')
      for (let n = 0; n < secrets; n++) {
        const { data } = await otherKernel.kv.readSecret(path(n))
        if (JSON.stringify(data) !== JSON.stringify({ n })) throw new Error(`secret ${n} is another one`)
      }
      // The store must also accept new writes.
      await otherKernel.kv.writeSecret({ path: 'new', data: { now: 1 } })
    },
  }
}

/** Maps each key term to the keys of the records that are encrypted under it. */
export async function termsIn(storage: Storage): Promise<Map<number, string[]>> {
  const terms = new Map<number, string[]>()
  for (const { key, value } of await storage.scan('')) {
    if (value[4] !== 2 || ['i/core/ring', 'i/core/root-key'].includes(key)) continue
    const term = new DataView(value.buffer, value.byteOffset).getUint32(0)
    terms.set(term, [...(terms.get(term) ?? []), key])
  }
  return terms
}

export const staticSeal = () => keySeal(K1)
