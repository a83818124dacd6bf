/**
 * A call reads its arguments as they were when it was made. Later changes by the caller have no effect, even if the kernel is still
 * working.
 */

import { describe, expect, it } from 'vitest'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { sharedStorage } from '../fault/hanging-world.ts'
import { bytesOf, partsOf, SYMMETRIC } from '../property/support.ts'

const NAME = 'k'
const LARGE = 400_000

async function withKernel(type: string, options: object, use: (kernel: Kernel) => Promise<void>): Promise<void> {
  const kernel = await createDevKernel()
  await kernel.transit.createKey({ name: NAME, type: type as KeyTypeName, ...options })
  try {
    await use(kernel)
  } finally {
    await kernel.close()
  }
}

/** The first use of a key takes another code path than later uses. */
const STATES = ['at first use', 'once the key is in use'] as const

async function warm(kernel: Kernel, state: (typeof STATES)[number], context?: Uint8Array): Promise<void> {
  if (state === 'at first use') {
    await kernel.seal.seal()
    await kernel.seal.unseal()
  } else await kernel.transit.encrypt({ name: NAME, plaintext: new Uint8Array(1), ...(context ? { context } : {}) })
}

describe.each(STATES)('caller data passed to transit %s', (state) => {
  it.each(
    SYMMETRIC.flatMap((type) => [
      { type, plain: LARGE, associated: 0 },
      { type, plain: 100, associated: LARGE },
      { type, plain: 100_000, associated: 100_000 },
    ]),
  )(
    'that changes during an encryption never leads to two plaintexts with one convergent nonce: $type, plaintext of $plain bytes, associated data of $associated bytes',
    async (item) => {
      const { type, plain, associated } = item
      await withKernel(type, { derived: true, convergent_encryption: true }, async (kernel) => {
        const context = bytesOf(8, 1)
        const associated_data = bytesOf(associated, 3)
        const given = bytesOf(plain, 2)
        await warm(kernel, state, context)
        const right = await kernel.transit.encrypt({ name: NAME, plaintext: given.slice(), context, associated_data })
        const call = kernel.transit.encrypt({ name: NAME, plaintext: given, context, associated_data })
        given.fill(0)
        const made = await call
        const nonceBytes = type === 'xchacha20-poly1305' ? 24 : 12
        const [a, b] = [partsOf(right.ciphertext).body, partsOf(made.ciphertext).body]
        const sameNonce = Buffer.compare(a.subarray(0, nonceBytes), b.subarray(0, nonceBytes)) === 0
        const sameText = Buffer.compare(a, b) === 0
        expect({ sameNonce, sameText }).toEqual({ sameNonce: sameText, sameText })
      })
    },
  )

  it.each(SYMMETRIC)('that changes during a large encryption does not affect the result, type %s', async (type) => {
    await withKernel(type, { derived: true }, async (kernel) => {
      const [plaintext, associated_data, context] = [bytesOf(LARGE, 2), bytesOf(300_000, 3), bytesOf(20, 4)]
      const given = { plaintext: plaintext.slice(), associated_data: associated_data.slice(), context: context.slice() }
      await warm(kernel, state, context)
      const call = kernel.transit.encrypt({ name: NAME, ...given })
      for (const bytes of Object.values(given)) bytes.fill(1)
      const { ciphertext } = await call
      const lent = { associated_data: associated_data.slice(), context: context.slice() }
      const opening = kernel.transit.decrypt({ name: NAME, ciphertext, ...lent })
      for (const bytes of Object.values(lent)) bytes.fill(1)
      const opened = await opening
      expect(Buffer.compare(opened.plaintext, plaintext)).toBe(0)
    })
  })

  it('that changes while the platform imports the key does not affect the result', async () => {
    await withKernel('ecdsa-p256', {}, async (kernel) => {
      if (state === 'at first use') await warm(kernel, state)
      else await kernel.transit.sign({ name: NAME, input: bytesOf(1, 1) })
      const input = bytesOf(30, 6)
      const given = input.slice()
      const signing = kernel.transit.sign({ name: NAME, input: given })
      given.fill(1)
      const { signature } = await signing
      const lent = input.slice()
      const verifying = kernel.transit.verify({ name: NAME, input: lent, signature })
      lent.fill(1)
      expect(await verifying).toEqual({ valid: true })
      expect(await kernel.transit.verify({ name: NAME, input, signature })).toEqual({ valid: true })
    })
  })

  it('that changes during a batch does not affect the results of the items', async () => {
    await withKernel('aes256-gcm96', {}, async (kernel) => {
      await warm(kernel, state)
      // Values of 65 to 8,192 bytes share the buffers that they are copied to, others do not.
      const lengths = [0, 1, 64, 65, 1000, 4000, 8191, 8192, 8193, 70_000].flatMap((length) => Array<number>(5).fill(length))
      const given = lengths.map((length, index) => ({ plaintext: bytesOf(length, index), associated_data: bytesOf(5, index) }))
      const call = kernel.transit.encryptBatch({ name: NAME, batch_input: given })
      for (const { plaintext, associated_data } of given) for (const bytes of [plaintext, associated_data]) bytes.fill(1)
      const { batch_results } = await call
      for (const [index, result] of batch_results.entries()) {
        if (result.error) throw result.error
        const { ciphertext } = result
        const opened = await kernel.transit.decrypt({ name: NAME, ciphertext, associated_data: bytesOf(5, index) })
        expect(Buffer.compare(opened.plaintext, bytesOf(lengths[index]!, index))).toBe(0)
      }
    })
  })

  it.each(['ed25519', 'ecdsa-p256', 'hmac'])(
    'that changes during a signature or HMAC does not affect the result, type %s',
    async (type) => {
      await withKernel(type, {}, async (kernel) => {
        if (state === 'at first use') await warm(kernel, state)
        else await kernel.transit.hmac({ name: NAME, input: new Uint8Array(1) })
        const input = bytesOf(LARGE, 6)
        const given = input.slice()
        if (type === 'hmac') {
          const call = kernel.transit.hmac({ name: NAME, input: given })
          given.fill(1)
          const { hmac } = await call
          expect(await kernel.transit.verify({ name: NAME, input, hmac })).toEqual({ valid: true })
        } else {
          const call = kernel.transit.sign({ name: NAME, input: given })
          given.fill(1)
          const { signature } = await call
          expect(await kernel.transit.verify({ name: NAME, input, signature })).toEqual({ valid: true })
        }
      })
    },
  )

  it('in a JSON body that changes during the call does not affect the result', async () => {
    await withKernel('aes256-gcm96', {}, async (kernel) => {
      await warm(kernel, state)
      const body = { batch_input: Array.from({ length: 1_000 }, () => ({ plaintext: 'YQ==' })) }
      const headers = { 'X-Service-Token': kernel.rootToken! }
      const call = kernel.handle({ method: 'POST', path: `/v1/transit/encrypt/${NAME}`, headers, body })
      body.batch_input[999]!.plaintext = 'changed after the call'
      const { status, body: answer } = await call
      expect({ status, errors: (answer as { errors?: unknown }).errors }).toEqual({ status: 200 })
    })
  })
})

/** Reasons for which a call waits before it reads its arguments. */
const WAITS: readonly [string, () => Promise<{ readonly kernel: Kernel; readonly view: () => Promise<Kernel['transit']> }>][] = [
  [
    'a token lookup',
    async () => {
      const kernel = await createDevKernel()
      await kernel.policies.writePolicy({
        name: 'all',
        policy: 'path "transit/*" { capabilities = ["create", "update", "read"] }',
      })
      const view = async () => {
        const { client_token } = await kernel.tokens.createToken({ policies: ['all'] })
        return kernel.as(client_token).transit
      }
      return { kernel, view }
    },
  ],
  [
    'a slow audit sink',
    async () => {
      const later = () => new Promise<void>((resolve) => setImmediate(resolve))
      const kernel = await createDevKernel({ ports: { audit: { sinks: { log: { write: later } } } } })
      return { kernel, view: async () => kernel.transit }
    },
  ],
  [
    'a revision check of a shared store',
    async () => {
      const clock = fakeClock()
      const kernel = await createDevKernel({ storage: sharedStorage(), clock })
      const view = async () => {
        clock.set(clock.now() + 60_000)
        return kernel.transit
      }
      return { kernel, view }
    },
  ],
]

describe.each(WAITS)('caller data in a call that waits for %s', (_, begin) => {
  const input = bytesOf(20, 7)

  /** Calls with bytes that are overwritten as soon as the call has returned its promise. */
  async function lent<T>(call: (bytes: Uint8Array) => Promise<T>): Promise<T> {
    const bytes = input.slice()
    const pending = call(bytes)
    bytes.fill(0)
    return pending
  }

  async function around(use: (kernel: Kernel, view: () => Promise<Kernel['transit']>) => Promise<void>): Promise<void> {
    const { kernel, view } = await begin()
    try {
      await kernel.transit.createKey({ name: NAME, type: 'ed25519' })
      await kernel.transit.createKey({ name: 'symmetric' })
      await use(kernel, view)
    } finally {
      await kernel.close()
    }
  }

  it('is encrypted as it was at the call although it changes meanwhile, alone or in a batch', () =>
    around(async (kernel, view) => {
      const name = 'symmetric'
      const alone = await view()
      const one = await lent((plaintext) => alone.encrypt({ name, plaintext }))
      expect((await kernel.transit.decrypt({ name, ciphertext: one.ciphertext })).plaintext).toEqual(input)
      const many = await view()
      const { batch_results } = await lent((plaintext) => many.encryptBatch({ name, batch_input: [{ plaintext }] }))
      const [first] = batch_results
      if (!first || first.error) throw first?.error
      expect((await kernel.transit.decrypt({ name, ciphertext: first.ciphertext })).plaintext).toEqual(input)
    }))

  it('is used as the associated data of a decryption as it was at the call although it changes meanwhile', () =>
    around(async (kernel, view) => {
      const name = 'symmetric'
      const { ciphertext } = await kernel.transit.encrypt({ name, plaintext: input, associated_data: input })
      const transit = await view()
      const { plaintext } = await lent((associated_data) => transit.decrypt({ name, ciphertext, associated_data }))
      expect(plaintext).toEqual(input)
    }))

  it('is signed, authenticated or hashed as it was at the call although it changes meanwhile', () =>
    around(async (kernel, view) => {
      const signer = await view()
      const { signature } = await lent((bytes) => signer.sign({ name: NAME, input: bytes }))
      expect((await kernel.transit.verify({ name: NAME, input, signature })).valid).toBe(true)
      const mac = await view()
      const { hmac } = await lent((bytes) => mac.hmac({ name: NAME, input: bytes }))
      expect((await kernel.transit.verify({ name: NAME, input, hmac })).valid).toBe(true)
      const hasher = await view()
      const { sum } = await lent((bytes) => hasher.hash({ input: bytes }))
      expect(sum).toEqual((await kernel.transit.hash({ input })).sum)
    }))
})

describe('the answer to a transit call', () => {
  it('can be changed by the caller without an effect on the kernel', async () => {
    await withKernel('ed25519', { derived: true }, async (kernel) => {
      const context = bytesOf(4, 4)
      const input = bytesOf(10, 1)
      const first = await kernel.transit.sign({ name: NAME, input, context })
      const publicKey = first.public_key!.slice()
      first.public_key!.fill(0)
      const second = await kernel.transit.sign({ name: NAME, input, context })
      expect(second.public_key).toEqual(publicKey)
      expect(second.signature).toBe(first.signature)
      const record = await kernel.transit.readKey({ name: NAME })
      expect(() => Object.assign(record, { latest_version: 9 })).not.toThrow()
      expect((await kernel.transit.readKey({ name: NAME })).latest_version).toBe(1)
    })
  })
})

it.each(SYMMETRIC)(
  'transit.encrypt encrypts a Buffer as it was at the call, even if the Buffer changes meanwhile, type %s',
  async (type) => {
    await withKernel(type, {}, async (kernel) => {
      const given = Buffer.from(bytesOf(LARGE, 2))
      const right = Buffer.from(given)
      const call = kernel.transit.encrypt({ name: NAME, plaintext: given })
      given.fill(0)
      const { ciphertext } = await call
      const { plaintext } = await kernel.transit.decrypt({ name: NAME, ciphertext })
      expect(Buffer.compare(plaintext, right)).toBe(0)
    })
  },
)
