/**
 * Work that is in progress when the kernel is sealed, or when its keys are replaced, is completed or refused. It never fails in an
 * undefined way.
 */
import { describe, expect, it } from 'vitest'
import { KernelError, keySeal, memoryStorage } from '../../src/index.ts'
import { chaoticStorage, seededEntropy } from '../../src/testing/index.ts'
import { utf8 } from '../property/support.ts'
import { TIER } from '../tiers.ts'
import { fill, K1, openWith } from './support.ts'

const STORES = [
  ['memory', () => memoryStorage({ maxOps: 128 })],
  ['a storage that delays', () => chaoticStorage(memoryStorage({ maxOps: 128 }), { entropy: seededEntropy('under way') })],
] as const

const TURNS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 40]

describe.each(STORES)('sealing a kernel on %s during concurrent requests', (name, store) => {
  // A storage with delays reaches the same states later.
  const turnsBefore = TIER === 'quick' && name !== 'memory' ? TURNS.filter((_, at) => at % 4 === 0) : TURNS

  it.each(turnsBefore)(
    'completes or refuses each request, of whatever kind (iterations of the event loop before the seal: %i)',
    async (turns) => {
      const storage = store()
      const kernel = await openWith(storage, keySeal(K1))
      const { root_token } = await kernel.seal.initialize()
      const kept = await fill(kernel)
      const headers = { 'X-Service-Token': root_token }
      const work = (n: number): Promise<unknown>[] => [
        kernel.kv.writeSecret({ path: `w${n}`, data: { n } }),
        kernel.kv.readSecret({ path: 'kept/1' }),
        kernel.transit.encrypt({ name: 'kept', plaintext: utf8('x') }),
        kernel.transit.createKey({ name: `k${n}` }),
        kernel.tokens.createToken({ policies: ['default'], ttl: '1h' }),
        kernel.seal.rotate(),
        kernel.seal.rotateRootKey(),
        kernel.tick(),
      ]
      const byPath = (n: number) => [
        kernel.handle({ method: 'POST', path: `/v1/secret/p${n}`, headers, body: { n } }),
        kernel.handle({ method: 'GET', path: '/v1/secret/kept/1', headers }),
        kernel.handle({ method: 'PUT', path: '/v1/sys/rotate', headers }),
        kernel.handle({ method: 'GET', path: '/v1/sys/key-status', headers }),
      ]
      const typed = Array.from({ length: 8 }, (_, n) => work(n)).flat()
      const answered = Array.from({ length: 8 }, (_, n) => byPath(n)).flat()
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      const sealed = kernel.handle({ method: 'PUT', path: '/v1/sys/seal', headers })
      for (const outcome of await Promise.allSettled(typed)) {
        if (outcome.status === 'fulfilled') continue
        expect(outcome.reason).toBeInstanceOf(KernelError)
        expect(outcome.reason).toMatchObject({ status: 503 })
      }
      for (const { status } of await Promise.all(answered)) expect([200, 204, 503]).toContain(status)
      expect((await sealed).status).toBe(204)
      expect(kernel.seal.state).toBe('sealed')
      await kernel.seal.unseal()
      await kept.check(kernel)
      await kernel.close()
    },
  )
})
