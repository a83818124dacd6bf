/**
 * Lent bytes are in buffers that are used again. No call may see the bytes of another, whatever runs concurrently, fails or is aborted, and
 * the caller's own bytes must not change.
 */
import { describe, expect, it } from 'vitest'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { BACKENDS } from '../fixtures/backends.ts'
import { EVERY_OPERATION } from '../fixtures/every-operation.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { runs } from '../fixtures/runs.ts'
import { bytesOf, SYMMETRIC } from '../property/support.ts'
import { TIER } from '../tiers.ts'

usePreparedRsaKeys()

const NAME = 'k'

/** Sizes from several classes of the buffer pool, and a short one. */
const SIZES = [131_073, 200_000, 131_072, 262_145, ...(TIER === 'soak' ? [500_000, 200_000] : [])]

type Transit = Kernel['transit']

interface Way {
  readonly types: readonly string[]
  /** Makes the call with `bytes`. The result checks later that the call worked on the right bytes. */
  readonly call: (transit: Transit, bytes: Uint8Array, signal?: AbortSignal) => Promise<(right: Uint8Array) => Promise<boolean>>
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

const options = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

const WAYS: Readonly<Record<string, Way>> = {
  'transit encrypt': {
    types: SYMMETRIC,
    async call(transit, plaintext, signal) {
      const { ciphertext } = await transit.encrypt({ name: NAME, plaintext }, options(signal))
      return async (right) => same((await transit.decrypt({ name: NAME, ciphertext })).plaintext, right)
    },
  },
  'transit hmac': {
    types: ['hmac', 'ed25519'],
    async call(transit, input, signal) {
      const { hmac } = await transit.hmac({ name: NAME, input }, options(signal))
      return async (right) => (await transit.hmac({ name: NAME, input: right })).hmac === hmac
    },
  },
  'transit sign': {
    types: ['ed25519', 'ecdsa-p256', 'rsa-2048'],
    async call(transit, input, signal) {
      const { signature } = await transit.sign({ name: NAME, input }, options(signal))
      return async (right) => (await transit.verify({ name: NAME, input: right, signature })).valid
    },
  },
  'transit verify': {
    types: ['ed25519', 'ecdsa-p256'],
    async call(transit, input, signal) {
      const { signature } = await transit.sign({ name: NAME, input: input.slice() })
      const { valid } = await transit.verify({ name: NAME, input, signature }, options(signal))
      return async () => valid
    },
  },
}

const LENDING = EVERY_OPERATION.filter(({ fields }) => Object.values(fields).some(({ isLent }) => isLent))

it('the table of this test contains every operation that reads an argument without a copy', () => {
  expect(LENDING.map(({ title }) => title).sort()).toEqual(Object.keys(WAYS).sort())
})

const CASES = BACKENDS.flatMap((backend) =>
  Object.entries(WAYS).flatMap(([title, { types, call }]) =>
    types.map((type) => ({ title, type, call, backend, of: backend.name })),
  ),
)

describe.each(CASES)('an argument that $title reads without a copy (key type $type, backend $of)', ({ type, call, backend }) => {
  it('is never mixed up with an argument of a concurrent, earlier or aborted call', async () => {
    const kernel = await createDevKernel({ crypto: backend })
    try {
      await kernel.transit.createKey({ name: NAME, type: type as KeyTypeName })
      const judges: [Uint8Array, (right: Uint8Array) => Promise<boolean>][] = []
      for (let wave = 0; wave < 2; wave++) {
        const inputs = SIZES.map((size, index) => bytesOf(size, 10 * wave + index))
        const copies = inputs.map((bytes) => bytes.slice())
        const aborted = new AbortController()
        const calls = inputs.map((bytes) => call(kernel.transit, bytes))
        const givenUp = call(kernel.transit, bytesOf(runs({ quick: 600_000, soak: 900_000 }), 99), aborted.signal).catch(() => {})
        aborted.abort()
        const refused = kernel.transit.encrypt({ name: NAME, plaintext: bytesOf(300_000, 98), key_version: 7 }).catch(() => {})
        for (const [index, one] of (await Promise.all(calls)).entries()) judges.push([copies[index]!, one])
        await Promise.all([givenUp, refused])
        for (const [index, bytes] of inputs.entries()) expect(same(bytes, copies[index]!)).toBe(true)
      }
      for (const [right, check] of judges) expect(await check(right)).toBe(true)
    } finally {
      await kernel.close()
    }
  })
})
