/**
 * Keys are evicted, sealed or deleted between any two slices of long work. The work must return a correct result or fail.
 */

import { createHmac, createPublicKey, verify } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { type CryptoBackend, type Kernel, memoryStorage, nobleCrypto } from '../../src/index.ts'
import { runs } from '../fixtures/runs.ts'
import { base64, bytesOf, joined, partsOf } from '../property/support.ts'
import { findRecordedKey, openByNode, ZERO_KEY } from '../security/recording.ts'
import { TIER } from '../tiers.ts'
import { type Bench, INTERFERENCES, openBench, witnessOf } from './interference.ts'

const NAME = 'k'
const EMPTY = new Uint8Array(0)

interface Job<T> {
  readonly name: string
  readonly type: string
  readonly derived?: boolean
  readonly convergent?: boolean
  /** Runs before the work begins. */
  prepare(kernel: Kernel): Promise<T>
  work(kernel: Kernel, prepared: T): Promise<unknown>
  /** Throws if the result is wrong. */
  check(result: unknown, prepared: T, bench: Bench, witness: Kernel): Promise<void>
  /** Checks the result if the key was replaced before the work began. Default: {@link check}, with newly prepared data. */
  checkAfterReplacement?(result: unknown): void
}

const context = bytesOf(7, 3)
const job = <T>(made: Job<T>): Job<unknown> => made as Job<unknown>

/** The body of every ciphertext of a batch. Every item must have succeeded. */
function bodiesOf(result: unknown): Uint8Array[] {
  const { batch_results } = result as { batch_results: { ciphertext?: string; error?: Error }[] }
  return batch_results.map((item) => {
    if (item.error) throw item.error
    return partsOf(item.ciphertext!).body
  })
}

/** Enough for one or two pauses during the work. */
const COUNT = 5_000
const SHORT = Array.from({ length: 10 }, (_, index) => bytesOf(9, index))
const shortAt = (index: number): Uint8Array => SHORT[index % SHORT.length]!
/** Two pieces of the HMAC of `node:crypto`. */
const LARGE_MAC_INPUT = bytesOf(1_048_653, 5)
const LARGE = bytesOf(runs({ quick: 280_077, soak: 2_000_077 }), 5)
/** Long enough that the default backend pauses to decrypt it. */
const HUGE = bytesOf(2_300_077, 5)

const same = (a: Uint8Array | undefined, b: Uint8Array): boolean => a !== undefined && Buffer.compare(a, b) === 0

const JOBS: readonly Job<unknown>[] = [
  job({
    name: 'a batch of encryptions',
    type: 'aes256-gcm96',
    prepare: async (kernel) => partsOf((await kernel.transit.encrypt({ name: NAME, plaintext: EMPTY })).ciphertext).body,
    work: (kernel) =>
      kernel.transit.encryptBatch({
        name: NAME,
        batch_input: Array.from({ length: COUNT }, (_, index) => ({ plaintext: shortAt(index) })),
      }),
    check: async (result, probe, { entropy }) => {
      const key = findRecordedKey(entropy.draws, 'aes256-gcm96', probe)
      const bodies = bodiesOf(result)
      expect(bodies.length).toBe(COUNT)
      expect(bodies.findIndex((body, index) => !same(openByNode('aes256-gcm96', key, body), shortAt(index)))).toBe(-1)
      // A ciphertext under this key cannot be mistaken for one under a wiped key.
      expect(same(key, ZERO_KEY('aes256-gcm96'))).toBe(false)
    },
  }),
  job({
    name: 'a batch of decryptions',
    type: 'chacha20-poly1305',
    prepare: async (kernel) => {
      const { ciphertext } = await kernel.transit.encrypt({ name: NAME, plaintext: shortAt(1) })
      return Array.from({ length: COUNT }, () => ({ ciphertext }))
    },
    work: (kernel, batch_input) => kernel.transit.decryptBatch({ name: NAME, batch_input }),
    check: async (result) => {
      const { batch_results } = result as { batch_results: { plaintext: Uint8Array; error?: Error }[] }
      expect(batch_results.length).toBe(COUNT)
      expect(batch_results.findIndex(({ plaintext, error }) => error || !same(plaintext, shortAt(1)))).toBe(-1)
    },
    checkAfterReplacement: (result) => {
      const { batch_results } = result as { batch_results: { error?: { code: string } }[] }
      expect(batch_results.findIndex(({ error }) => error?.code !== 'ERR_DECRYPTION_FAILED')).toBe(-1)
    },
  }),
  job({
    name: 'a batch of signatures',
    type: 'ed25519',
    prepare: async (kernel) => {
      const { keys } = await kernel.transit.readKey({ name: NAME })
      const x = Buffer.from((keys[1] as { public_key: string }).public_key, 'base64').toString('base64url')
      return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    },
    work: (kernel) =>
      kernel.transit.signBatch({
        name: NAME,
        batch_input: Array.from({ length: 60 }, (_, index) => ({ input: shortAt(index) })),
      }),
    check: async (result, publicKey) => {
      const { batch_results } = result as { batch_results: { signature: string; error?: Error }[] }
      for (const [index, { signature, error }] of batch_results.entries()) {
        expect(error).toBe(undefined)
        expect(verify(null, shortAt(index), publicKey, partsOf(signature).body)).toBe(true)
      }
    },
  }),
  job({
    name: 'a batch of HMACs',
    type: 'aes256-gcm96',
    prepare: async (kernel) => partsOf((await kernel.transit.hmac({ name: NAME, input: EMPTY })).hmac).body,
    work: (kernel) =>
      kernel.transit.hmacBatch({ name: NAME, batch_input: Array.from({ length: COUNT }, () => ({ input: shortAt(2) })) }),
    check: async (result, probe, { entropy }) => {
      const macOf = (key: Uint8Array, input: Uint8Array) => createHmac('sha256', key).update(input).digest('base64')
      const key = entropy.draws.find((draw) => draw.length === 32 && macOf(draw, EMPTY) === base64(probe))!
      const { batch_results } = result as { batch_results: { hmac: string }[] }
      const right = macOf(key, shortAt(2))
      expect(batch_results.length).toBe(COUNT)
      expect(batch_results.findIndex(({ hmac }) => base64(partsOf(hmac).body) !== right)).toBe(-1)
    },
  }),
  ...(['aes256-gcm96', 'chacha20-poly1305'] as const).map((type) =>
    job({
      name: `a large encryption with ${type}`,
      type,
      prepare: async (kernel) => partsOf((await kernel.transit.encrypt({ name: NAME, plaintext: EMPTY })).ciphertext).body,
      work: (kernel) => kernel.transit.encrypt({ name: NAME, plaintext: LARGE }),
      check: async (result, probe, { entropy }) => {
        const { body } = partsOf((result as { ciphertext: string }).ciphertext)
        const opened = openByNode(type, findRecordedKey(entropy.draws, type, probe), body)
        expect(Buffer.compare(opened ?? EMPTY, LARGE)).toBe(0)
        expect(openByNode(type, ZERO_KEY(type), body)).toBe(undefined)
      },
    }),
  ),
  ...(['aes256-gcm96', 'xchacha20-poly1305'] as const).flatMap((type) =>
    [true, false].slice(0, runs({ quick: 1, soak: 2 })).map((convergent) =>
      job({
        name: `a large encryption with a derived ${convergent ? 'and convergent ' : ''}key of type ${type}`,
        type,
        derived: true,
        convergent,
        prepare: async () => undefined,
        work: (kernel) => kernel.transit.encrypt({ name: NAME, plaintext: LARGE, context }),
        check: async (result, _, __, witness) => {
          const { ciphertext } = result as { ciphertext: string }
          const { plaintext } = await witness.transit.decrypt({ name: NAME, ciphertext, context })
          expect(Buffer.compare(plaintext, LARGE)).toBe(0)
        },
      }),
    ),
  ),
  job({
    name: 'a large decryption',
    type: 'aes256-gcm96',
    prepare: async (kernel) => (await kernel.transit.encrypt({ name: NAME, plaintext: HUGE })).ciphertext,
    work: (kernel, ciphertext) => kernel.transit.decrypt({ name: NAME, ciphertext }),
    check: async (result) => expect(Buffer.compare((result as { plaintext: Uint8Array }).plaintext, HUGE)).toBe(0),
  }),
  job({
    name: 'a large rewrap',
    type: 'aes256-gcm96',
    prepare: async (kernel) => (await kernel.transit.encrypt({ name: NAME, plaintext: HUGE })).ciphertext,
    work: (kernel, ciphertext) => kernel.transit.rewrap({ name: NAME, ciphertext }),
    check: async (result, old, _, witness) => {
      const { body } = partsOf((result as { ciphertext: string }).ciphertext)
      const ciphertext = joined(partsOf(old).prefix, 1, body)
      expect(Buffer.compare((await witness.transit.decrypt({ name: NAME, ciphertext })).plaintext, HUGE)).toBe(0)
    },
  }),
  job({
    name: 'a large HMAC',
    type: 'hmac',
    prepare: async () => undefined,
    work: (kernel) => kernel.transit.hmac({ name: NAME, input: LARGE_MAC_INPUT }),
    check: async (result, _, __, witness) =>
      expect(result).toEqual(await witness.transit.hmac({ name: NAME, input: LARGE_MAC_INPUT })),
  }),
  job({
    name: 'a large signature',
    type: 'ed25519',
    prepare: async () => undefined,
    work: (kernel) => kernel.transit.sign({ name: NAME, input: LARGE }),
    check: async (result, _, __, witness) => expect(result).toEqual(await witness.transit.sign({ name: NAME, input: LARGE })),
  }),
]

async function benchFor({ type, derived = false, convergent = false }: Job<unknown>, backend: CryptoBackend): Promise<Bench> {
  const bench = await openBench(memoryStorage(), backend)
  const { transit } = bench.kernel
  // Later requests for a deleted key are refused instead of creating another key.
  await transit.configureKeys({ disable_upsert: true })
  await transit.createKey({ name: NAME, type: type as KeyTypeName, derived, convergent_encryption: convergent })
  await transit.configureKey({ name: NAME, deletion_allowed: true })
  for (const name of ['other-1', 'other-2']) await transit.createKey({ name })
  return bench
}

/**
 * The pauses at which the interference happens: one of the first and one of the last, different for each interference. The soak tier tries
 * all pauses.
 */
function struck(pauses: number, turn: number): readonly number[] {
  if (TIER === 'soak') return Array.from({ length: pauses }, (_, index) => index + 1)
  return [1 + (turn % pauses), pauses - (turn % Math.min(3, pauses))]
}

/** The number of pauses of the work without interference. */
async function pausesOf(made: Job<unknown>, backend: CryptoBackend): Promise<number> {
  const { kernel, clock } = await benchFor(made, backend)
  const prepared = await made.prepare(kernel)
  clock.watch(Number.POSITIVE_INFINITY, () => {})
  await made.work(kernel, prepared)
  await kernel.close()
  return clock.pauses
}

/** The noble libraries pause. Calls of the platform in the default backend happen between two pauses. */
const BACKENDS = [
  { title: 'noble only', backend: nobleCrypto({ accelerate: false }), least: 3, jobs: JOBS },
  { title: 'the default backend', backend: nobleCrypto(), least: 1, jobs: JOBS.filter(({ name }) => name.startsWith('a large')) },
]

const WORK = BACKENDS.flatMap(({ jobs, ...how }) => jobs.map((made) => ({ ...how, made, name: made.name })))

describe.each(WORK)('$name, with cryptography by $title', ({ made, backend, least }) => {
  let pauses = 0

  beforeAll(async () => {
    pauses = await pausesOf(made, backend)
  })

  it.each(INTERFERENCES)(
    'returns a correct result or is refused if $name happens while it pauses at any point',
    async (interference) => {
      const { act, replaces = false } = interference
      expect(pauses).toBeGreaterThanOrEqual(least)
      let right = 0
      const strikes = struck(pauses, INTERFERENCES.indexOf(interference))
      for (const at of strikes) {
        const bench = await benchFor(made, backend)
        const { kernel, clock, crypto, storage } = bench
        const prepared = await made.prepare(kernel)
        const witness = await witnessOf(storage)
        clock.watch(at, () => act(kernel, NAME))
        const [outcome] = await Promise.allSettled([made.work(kernel, prepared)])
        expect(clock.acted).toBe(true)
        if (outcome.status === 'fulfilled') {
          const { value } = outcome
          const checkBefore = () => made.check(value, prepared, bench, witness)
          // A batch that is still being read has not begun. It uses the key that exists when it begins.
          const checkAfter = async () =>
            made.checkAfterReplacement
              ? made.checkAfterReplacement(value)
              : made.check(value, await made.prepare(kernel), bench, witness)
          if (replaces) await checkBefore().catch(checkAfter)
          else await checkBefore()
          right++
        } else expect(outcome.reason).toMatchObject({ name: 'KernelError' })
        await kernel.close()
        expect(crypto.alive).toBe(0)
        await witness.close()
      }
      // Work that has pinned its keys continues with them. Only work that has not begun may be refused.
      expect(right).toBeGreaterThan(0)
    },
  )
})
