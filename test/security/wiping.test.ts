/**
 * Key objects exist only as long as they are needed: a counting backend must see every one of them wiped.
 */

import { describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { type CryptoBackend, createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { bytesOf, refusalOf, utf8 } from '../property/support.ts'
import { type TrackedCrypto, trackedCrypto } from './recording.ts'

const KEY = bytesOf(32, 21)
const context = bytesOf(6, 6)

async function openOn(
  storage: Storage,
  more: object = {},
  backend?: CryptoBackend,
): Promise<{ kernel: Kernel; crypto: TrackedCrypto }> {
  const crypto = trackedCrypto(backend)
  return { kernel: await createKernel({ storage, crypto, seal: keySeal(KEY), initialize: true, ...more }), crypto }
}

async function useEverything(kernel: Kernel): Promise<void> {
  for (const type of ['aes128-gcm96', 'aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305']) {
    for (const convergent_encryption of [false, true]) {
      const name = `${type}-${convergent_encryption}`
      await kernel.transit.createKey({ name, type: type as KeyTypeName, derived: true, convergent_encryption })
      const { ciphertext } = await kernel.transit.encrypt({ name, plaintext: bytesOf(200_000, 1), context })
      await kernel.transit.rewrap({ name, ciphertext, context })
      await kernel.transit.decrypt({ name, ciphertext, context })
    }
  }
  for (const [type, derived] of [
    ['ed25519', true],
    ['ed25519', false],
    ['ecdsa-p256', false],
    ['ecdsa-p384', false],
    ['hmac', false],
  ] as const) {
    const name = `${type}-${derived}`
    await kernel.transit.createKey({ name, type, derived })
    const of = derived ? { context } : {}
    const { hmac } = await kernel.transit.hmac({ name, input: utf8('x') })
    await kernel.transit.verify({ name, input: utf8('x'), hmac })
    await kernel.transit.readKey({ name, ...of })
    if (type === 'hmac') continue
    const { signature } = await kernel.transit.sign({ name, input: bytesOf(200_000, 1), ...of })
    await kernel.transit.verify({ name, input: bytesOf(200_000, 1), signature, ...of })
  }
  await kernel.transit.encrypt({ name: 'upserted', plaintext: utf8('x') })
}

describe('the keys in the memory of a kernel', () => {
  it('are wiped when the kernel is sealed', async () => {
    const { kernel, crypto } = await openOn(memoryStorage())
    await useEverything(kernel)
    expect(crypto.made).toBeGreaterThan(20)
    expect(crypto.alive).toBeGreaterThan(0)
    await kernel.seal.seal()
    expect(crypto.alive).toBe(0)
    await kernel.close()
  })

  it('are wiped when the kernel is closed', async () => {
    const { kernel, crypto } = await openOn(memoryStorage())
    await useEverything(kernel)
    await kernel.close()
    expect(crypto.alive).toBe(0)
  })

  it('that were derived for a context are kept for later calls, and wiped with their transit key', async () => {
    const { kernel, crypto } = await openOn(memoryStorage())
    const before = crypto.alive
    const other = utf8('other')
    for (const [name, type] of [
      ['aead', 'aes256-gcm96'],
      ['signer', 'ed25519'],
    ] as const) {
      await kernel.transit.createKey({ name, type, derived: true })
      await kernel.transit.configureKey({ name, deletion_allowed: true })
    }
    const { ciphertext } = await kernel.transit.encrypt({ name: 'aead', plaintext: utf8('x'), context })
    const { signature } = await kernel.transit.sign({ name: 'signer', input: utf8('x'), context })
    const first = crypto.made
    await kernel.transit.encrypt({ name: 'aead', plaintext: utf8('x'), context })
    await kernel.transit.decrypt({ name: 'aead', ciphertext, context })
    await kernel.transit.sign({ name: 'signer', input: utf8('x'), context })
    await kernel.transit.readKey({ name: 'signer', context })
    const { valid } = await kernel.transit.verify({ name: 'signer', input: utf8('x'), signature, context })
    expect(valid).toBe(true)
    // The public half of the pair, which is decoded by the first verification.
    expect(crypto.made - first).toBeLessThanOrEqual(1)
    await refusalOf(kernel.transit.decrypt({ name: 'aead', ciphertext, context: other }))
    for (const name of ['aead', 'signer']) await kernel.transit.deleteKey({ name })
    expect(crypto.alive).toBe(before)
    await kernel.close()
  })

  it('that were derived for a context are wiped when many other contexts have been used', async () => {
    const { kernel, crypto } = await openOn(memoryStorage())
    await kernel.transit.createKey({ name: 'aead', derived: true })
    const useContexts = async (from: number, to: number) => {
      for (let i = from; i < to; i++)
        await kernel.transit.encrypt({ name: 'aead', plaintext: utf8('x'), context: utf8(`context ${i}`) })
    }
    await useContexts(0, 300)
    const full = crypto.alive
    await useContexts(300, 900)
    expect(crypto.alive).toBe(full)
    await kernel.transit.encrypt({ name: 'aead', plaintext: utf8('x'), context: bytesOf(100_000, 3) })
    expect(crypto.alive).toBe(full)
    await kernel.close()
    expect(crypto.alive).toBe(0)
  })

  it('are wiped immediately when their transit key is deleted', async () => {
    const { kernel, crypto } = await openOn(memoryStorage())
    const before = crypto.alive
    await kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    await kernel.transit.hmac({ name: 'k', input: utf8('x') })
    expect(crypto.alive).toBeGreaterThan(before)
    await kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'k' })
    expect(crypto.alive).toBe(before)
    await kernel.close()
  })

  it('are wiped when the kernel learns that another kernel has deleted their transit key', async () => {
    const storage = memoryStorage()
    const { kernel: other } = await openOn(storage)
    const { kernel, crypto } = await openOn(storage)
    const before = crypto.alive
    await kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    await other.transit.configureKey({ name: 'k', deletion_allowed: true })
    await other.transit.deleteKey({ name: 'k' })
    await refusalOf(kernel.transit.readKey({ name: 'k' }))
    expect(crypto.alive).toBe(before)
    await Promise.all([kernel.close(), other.close()])
  })

  it.each([
    ['in slices of noble', nobleCrypto({ accelerate: false }), 500_000, 3],
    ['during a platform call', nobleCrypto(), 2_300_000, 0],
  ])('that were derived for one call are wiped when the caller aborts the call: %s', async (_, backend, bytes, turns) => {
    const { kernel, crypto } = await openOn(memoryStorage(), {}, backend)
    await kernel.transit.createKey({ name: 'k', derived: true })
    const plaintext = bytesOf(bytes, 1)
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext, context })
    const before = crypto.alive
    for (const call of [
      (signal: AbortSignal) => kernel.transit.encrypt({ name: 'k', plaintext, context }, { signal }),
      (signal: AbortSignal) => kernel.transit.decrypt({ name: 'k', ciphertext, context }, { signal }),
      (signal: AbortSignal) => kernel.transit.encryptBatch({ name: 'k', batch_input: [{ plaintext, context }] }, { signal }),
    ]) {
      const giveUp = new AbortController()
      const running = call(giveUp.signal)
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      giveUp.abort(new Error('enough'))
      await expect(running).rejects.toThrow('enough')
    }
    expect(crypto.alive).toBe(before)
    await kernel.seal.seal()
    expect(crypto.alive).toBe(0)
    await kernel.close()
  })

  it('are at most as many as the limit of the cache allows', async () => {
    const { kernel, crypto } = await openOn(memoryStorage(), { cache: { keys: 3 } })
    const before = crypto.alive
    for (let index = 0; index < 20; index++) await kernel.transit.encrypt({ name: `k${index}`, plaintext: utf8('x') })
    expect(crypto.alive - before).toBeLessThanOrEqual(3)
    await kernel.close()
  })

  it('that a request creates while the kernel is being sealed are wiped', async () => {
    const inner = memoryStorage()
    let act: (() => Promise<void>) | undefined
    const storage: Storage = {
      ...inner,
      commit: async (ops, id) => {
        const verdict = await inner.commit(ops, id)
        const action = act
        act = undefined
        await action?.()
        return verdict
      },
    }
    const { kernel, crypto } = await openOn(storage)
    act = () => kernel.seal.seal()
    await Promise.allSettled([kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })])
    expect(kernel.seal.state).toBe('sealed')
    expect(crypto.alive).toBe(0)
    await kernel.close()
  })

  it('are wiped if opening the kernel fails because the store is damaged', async () => {
    const storage = memoryStorage()
    const { kernel } = await openOn(storage)
    await kernel.close()
    const [mount] = await storage.scan('r/core/mount/')
    await storage.commit([{ op: 'put', key: mount!.key, value: new Uint8Array(50) }], 'damage')
    let watches = 0
    const watched: Storage = {
      ...storage,
      watch: async (...args) => {
        watches++
        const stop = await storage.watch(...args)
        return async () => {
          watches--
          await stop()
        }
      },
    }
    const crypto = trackedCrypto()
    await refusalOf(createKernel({ storage: watched, crypto, seal: keySeal(KEY) }))
    expect({ alive: crypto.alive, watches }).toEqual({ alive: 0, watches: 0 })
  })
})

describe('sealing or closing a kernel', () => {
  /** A seal whose unwrap waits until it is released. */
  function slowSeal() {
    const inner = keySeal(KEY)
    let gate: Promise<void> = Promise.resolve()
    let open: () => void = () => {}
    return {
      ...inner,
      unwrap: async (wrapped: Uint8Array) => {
        await gate
        return inner.unwrap(wrapped)
      },
      hold: () => {
        gate = new Promise((resolve) => {
          open = resolve
        })
      },
      release: () => open(),
    }
  }

  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  it('leaves the kernel sealed if seal() is called during an unseal', async () => {
    const seal = slowSeal()
    const { kernel, crypto } = await openOn(memoryStorage(), { seal })
    await kernel.seal.seal()
    seal.hold()
    const unsealing = kernel.seal.unseal()
    await kernel.seal.seal()
    seal.release()
    await Promise.allSettled([unsealing])
    expect(kernel.seal.state).toBe('sealed')
    expect(crypto.alive).toBe(0)
    await kernel.close()
  })

  it('leaves the kernel closed if close() is called during an unseal', async () => {
    const seal = slowSeal()
    const { kernel, crypto } = await openOn(memoryStorage(), { seal })
    await kernel.seal.seal()
    seal.hold()
    const unsealing = kernel.seal.unseal()
    const closing = kernel.close()
    seal.release()
    await Promise.allSettled([unsealing, closing])
    await turns(5)
    expect(kernel.seal.state).toBe('closed')
    expect(crypto.alive).toBe(0)
  })

  it('leaves no watch on the storage, even after several concurrent unseals', async () => {
    const inner = memoryStorage()
    let watches = 0
    const storage: Storage = {
      ...inner,
      watch: async (...args) => {
        watches++
        const stop = await inner.watch(...args)
        return async () => {
          watches--
          await stop()
        }
      },
    }
    const { kernel } = await openOn(storage)
    await kernel.seal.seal()
    await Promise.all([kernel.seal.unseal(), kernel.seal.unseal(), kernel.seal.unseal()])
    expect(watches).toBe(1)
    await kernel.close()
    expect(watches).toBe(0)
  })

  it('ends the timer of the ticks', async () => {
    const clock = fakeClock()
    const { kernel } = await openOn(memoryStorage(), { clock })
    kernel.start({ intervalMs: 1000 })
    await clock.advance(5000)
    await kernel.close()
    await clock.advance(5000)
    expect(clock.sleeping).toBe(0)
  })
})
