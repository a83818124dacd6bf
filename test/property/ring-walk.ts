/**
 * A random walk over a key ring. Each step runs on the kernel and on the model, and the outcomes must agree.
 */

import { expect } from 'vitest'
import { createKernel, type Kernel, keySeal, type Storage } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { type ModelConfig, RingModel } from './ring-model.ts'
import { ask, base64, bytesOf, SYMMETRIC } from './support.ts'

const NAME = 'walked'

/** Numbers are absolute or reduced modulo the existing items, so that fast-check can shrink a walk by removing steps. */
export type Step =
  | { readonly do: 'create' | 'rotate' | 'delete' | 'reopen' | 'seal and unseal' | 'let go' }
  | { readonly do: 'configure'; readonly config: ModelConfig }
  | { readonly do: 'encrypt'; readonly version: number; readonly batch: boolean; readonly seed: number }
  | { readonly do: 'decrypt' | 'rewrap'; readonly pick: number; readonly version: number }

const version = fc.integer({ min: -1, max: 7 })
const config = fc.record(
  { min_decryption_version: version, min_encryption_version: version, deletion_allowed: fc.boolean() },
  { requiredKeys: [] },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'create' }) },
  { weight: 5, arbitrary: fc.constant<Step>({ do: 'rotate' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'delete' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'reopen' }, { do: 'seal and unseal' }, { do: 'let go' }) },
  { weight: 6, arbitrary: config.map((chosen): Step => ({ do: 'configure', config: chosen as ModelConfig })) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('encrypt' as const), version, batch: fc.boolean(), seed: fc.nat({ max: 999 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('decrypt' as const, 'rewrap' as const), pick: fc.nat(), version }) },
)

export interface Walk {
  readonly type: (typeof SYMMETRIC)[number]
  readonly derived: boolean
  readonly steps: readonly Step[]
}

export const walks = (most: number): fc.Arbitrary<Walk> =>
  fc.record({
    type: fc.constantFrom(...SYMMETRIC),
    derived: fc.boolean(),
    steps: fc.array(step, { minLength: most / 2, maxLength: most, size: 'max' }),
  })

const SEAL_KEY = bytesOf(32, 77)

/** Successive kernels on one storage, compared with the model. */
class Walker {
  readonly #storage: Storage
  readonly #walk: Walk
  readonly #model = new RingModel()
  readonly #context: { context?: Uint8Array }
  #kernel: Kernel | undefined

  constructor(storage: Storage, walk: Walk) {
    this.#storage = storage
    this.#walk = walk
    this.#context = walk.derived ? { context: bytesOf(9, 4) } : {}
  }

  async open(): Promise<void> {
    // With two cached keys most versions are loaded from the store.
    this.#kernel = await createKernel({
      storage: this.#storage,
      seal: keySeal(SEAL_KEY),
      initialize: true,
      cache: { records: 2, keys: 2 },
    })
  }

  get #transit() {
    return this.#kernel!.transit
  }

  async close(): Promise<void> {
    await this.#kernel?.close()
  }

  async take(step: Step): Promise<void> {
    const model = this.#model
    switch (step.do) {
      case 'create': {
        const { type, derived } = this.#walk
        const made = model.create()
        const reply = await this.#transit.createKey({ name: NAME, type, derived })
        expect(reply.warnings === undefined).toBe(made)
        return
      }
      case 'rotate':
        return this.#agrees(model.rotate(), this.#transit.rotateKey({ name: NAME }))
      case 'delete':
        return this.#agrees(model.delete(), this.#transit.deleteKey({ name: NAME }))
      case 'configure':
        return this.#agrees(model.configure(step.config), this.#transit.configureKey({ name: NAME, ...step.config }))
      case 'reopen':
        await this.close()
        return this.open()
      case 'seal and unseal':
        await this.#kernel!.seal.seal()
        await this.#kernel!.seal.unseal()
        return
      case 'let go':
        await this.#kernel!.tick()
        return
      case 'encrypt':
        return this.#encrypt(step.version, step.batch, step.seed)
      default:
        return this.#open(step.do, step.pick, step.version)
    }
  }

  async #agrees(allowed: boolean, call: Promise<unknown>): Promise<void> {
    const [outcome] = await Promise.allSettled([call])
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'KernelError', status: 400 })
    expect(outcome.status).toBe(allowed ? 'fulfilled' : 'rejected')
  }

  async #encrypt(requested: number, batch: boolean, seed: number): Promise<void> {
    const plaintext = bytesOf(seed % 64, seed)
    const item = { plaintext, key_version: requested, ...this.#context }
    const { type } = this.#walk
    // A batch creates a missing key even if all its items are refused.
    if (batch) this.#model.create()
    const version = this.#model.encrypts(requested)
    const call = batch
      ? this.#transit.encryptBatch({ name: NAME, type, batch_input: [item] }).then(({ batch_results: [result] }) => {
          if (result?.error) throw result.error
          return result!
        })
      : this.#transit.encrypt({ name: NAME, type, ...item })
    await this.#agrees(version !== undefined, call)
    if (version === undefined) return
    const { ciphertext, key_version } = await call
    expect(key_version).toBe(version)
    this.#model.ciphertexts.push({ text: ciphertext, plaintext, life: this.#model.ring!.life, version })
  }

  async #open(how: 'decrypt' | 'rewrap', pick: number, requested: number): Promise<void> {
    const { ciphertexts } = this.#model
    const chosen = ciphertexts[pick % Math.max(1, ciphertexts.length)]
    if (!chosen) return
    const item = { ciphertext: chosen.text, ...this.#context }
    const opens = this.#model.opens(chosen)
    if (how === 'decrypt') {
      await this.#agrees(opens, this.#transit.decrypt({ name: NAME, ...item }))
      if (opens) expect((await this.#transit.decrypt({ name: NAME, ...item })).plaintext).toEqual(chosen.plaintext)
      return
    }
    const version = this.#model.produces(requested)
    const call = this.#transit.rewrap({ name: NAME, key_version: requested, ...item })
    await this.#agrees(opens && version !== undefined, call)
    if (!opens || version === undefined) return
    const { ciphertext: text, key_version } = await call
    expect(key_version).toBe(version)
    ciphertexts.push({ ...chosen, text, version })
  }

  /** Compares the key as read by typed calls with the model. */
  async check(): Promise<void> {
    const expected = this.#model.shown()
    const [typed] = await Promise.allSettled([this.#transit.readKey({ name: NAME })])
    const { keys: names } = await this.#transit.listKeys({})
    expect(names).toEqual(expected ? [NAME] : [])
    if (!expected) {
      expect(typed).toMatchObject({ status: 'rejected', reason: { status: 404 } })
      return
    }
    if (typed.status === 'rejected') throw typed.reason
    const { versions, ...numbers } = expected
    expect(typed.value).toMatchObject(numbers)
    expect(Object.keys(typed.value.keys)).toEqual(versions)
  }

  /** Decrypts every ciphertext of the walk in one batch, and the last one by path. The results must match the model. */
  async checkCiphertexts(): Promise<void> {
    const { ciphertexts, ring } = this.#model
    if (!ring || ciphertexts.length === 0) return
    const { batch_results } = await this.#transit.decryptBatch({
      name: NAME,
      batch_input: ciphertexts.map(({ text }) => ({ ciphertext: text, ...this.#context })),
    })
    for (const [index, result] of batch_results.entries()) {
      const { plaintext, ...made } = ciphertexts[index]!
      expect({ ...made, opened: result.error ? undefined : base64(result.plaintext) }).toEqual({
        ...made,
        opened: this.#model.opens(ciphertexts[index]!) ? base64(plaintext) : undefined,
      })
    }
    const last = ciphertexts.at(-1)!
    const context = this.#context.context
    const body = { ciphertext: last.text, ...(context ? { context: base64(context) } : {}) }
    const byPath = await ask(this.#kernel!, 'POST', `decrypt/${NAME}`, body)
    if (this.#kernel!.rootToken) expect(byPath.status).toBe(this.#model.opens(last) ? 200 : 400)
    else expect(byPath.status).toBe(403)
  }
}

export async function takeWalk(storage: Storage, walk: Walk): Promise<void> {
  const walker = new Walker(storage, walk)
  await walker.open()
  try {
    for (const step of walk.steps) {
      await walker.take(step)
      await walker.check()
    }
    await walker.checkCiphertexts()
  } finally {
    await walker.close()
  }
}
