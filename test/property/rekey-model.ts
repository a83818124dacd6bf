/**
 * A minimal model of a rekey, and commands that apply the same call to a kernel. Only enough valid shares of the newest set produce new
 * shares.
 */

import { expect } from 'vitest'
import { createKernel, type Kernel, type KernelResponse, keySeal, memoryStorage, shamirSeal } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { bytesOf } from './support.ts'

export type Kind = 'barrier' | 'recovery'
type Body = Record<string, unknown>

interface Attempt {
  nonce: string
  readonly n: number
  readonly t: number
  readonly verify: boolean
  entered: Set<string>
  fresh: { readonly shares: readonly string[]; nonce: string; entered: Set<string> } | undefined
}

export interface Model {
  /** The valid shares, and all shares that were valid before. */
  valid: readonly string[]
  threshold: number
  readonly former: string[]
  attempt: Attempt | undefined
}

const PATH = { barrier: 'rekey', recovery: 'rekey-recovery-key' } as const

export class Real {
  readonly storage = memoryStorage()
  readonly kind: Kind
  kernel!: Kernel

  constructor(kind: Kind) {
    this.kind = kind
  }

  async start(shares: number, threshold: number): Promise<Model> {
    await this.open()
    const counts =
      this.kind === 'barrier'
        ? { secret_shares: shares, secret_threshold: threshold }
        : { recovery_shares: shares, recovery_threshold: threshold }
    const { keys, recovery_keys } = await this.kernel.seal.initialize(counts)
    const model = { valid: recovery_keys ?? keys, threshold, former: [], attempt: undefined }
    if (this.kind === 'barrier') await this.unseal(model.valid.slice(0, threshold))
    await this.kernel.transit.createKey({ name: 'kept' })
    return model
  }

  async open(): Promise<void> {
    const seal = this.kind === 'barrier' ? shamirSeal() : keySeal(bytesOf(32, 3))
    this.kernel = await createKernel({ storage: this.storage, seal })
  }

  async unseal(shares: readonly string[]): Promise<void> {
    for (const key of shares) await this.kernel.seal.unseal({ key })
    expect(this.kernel.seal.state).toBe('open')
  }

  /** @param path Below the path of this kind of rekey. @returns The body and the status. A refusal must be a 400 with a message. */
  async ask(method: string, path: string, body?: Body): Promise<Body & { readonly status: number }> {
    const answer: KernelResponse = await this.kernel.handle({ method, path: `/v1/sys/${PATH[this.kind]}/${path}`, body })
    if (answer.status >= 400) expect(answer).toMatchObject({ status: 400, body: { errors: [expect.any(String)] } })
    return { ...(answer.body as Body | undefined), status: answer.status }
  }
}

/** Selects `count` shares of a set, beginning at `from`. */
function choose(shares: readonly string[], count: number, from: number): string[] {
  return Array.from({ length: count }, (_, i) => shares[(from + i) % shares.length] as string)
}

/** The share in base64 instead of hexadecimal. */
const recoded = (share: string): string => Buffer.from(share, 'hex').toString('base64')

interface Command {
  readonly name: string
  readonly run: (model: Model, real: Real) => Promise<void>
}

/** Compares the status with the model. */
async function checkStatus({ attempt, threshold }: Model, real: Real): Promise<void> {
  const status = await real.ask('GET', 'init')
  expect(status).toMatchObject({
    started: attempt !== undefined,
    nonce: attempt?.nonce ?? '',
    progress: attempt?.entered.size ?? 0,
    required: threshold,
    t: attempt?.t ?? 0,
    n: attempt?.n ?? 0,
  })
  expect(status['verification_nonce']).toBe(attempt?.fresh?.nonce)
  const verification = await real.ask('GET', 'verify')
  if (!attempt) expect(verification.status).toBe(400)
  else
    expect(verification).toMatchObject({
      started: attempt.fresh !== undefined,
      nonce: attempt.fresh?.nonce ?? '',
      progress: attempt.fresh?.entered.size ?? 0,
    })
}

/** Makes the new shares the valid ones. */
function install(model: Model, shares: readonly string[], threshold: number): void {
  model.former.push(...model.valid)
  model.valid = shares
  model.threshold = threshold
  model.attempt = undefined
}

async function update(model: Model, real: Real, share: string, text = share): Promise<void> {
  const { attempt } = model
  const answer = await real.ask('POST', 'update', { key: text, nonce: attempt?.nonce ?? 'none' })
  if (!attempt || attempt.fresh || attempt.entered.has(share)) return void expect(answer.status).toBe(400)
  attempt.entered.add(share)
  if (attempt.entered.size < model.threshold)
    return void expect(answer).toMatchObject({ status: 200, progress: attempt.entered.size })
  const right = [...attempt.entered].every((share) => model.valid.includes(share))
  attempt.entered = new Set()
  if (!right) return void expect(answer.status).toBe(400)
  expect(answer).toMatchObject({ status: 200, complete: true, nonce: attempt.nonce, verification_required: attempt.verify })
  const shares = answer['keys'] as string[]
  expect(shares).toHaveLength(attempt.n)
  if (attempt.verify) attempt.fresh = { shares, nonce: answer['verification_nonce'] as string, entered: new Set() }
  else install(model, shares, attempt.t)
}

async function verify(model: Model, real: Real, share: string, text = share): Promise<void> {
  const { attempt } = model
  const fresh = attempt?.fresh
  const answer = await real.ask('POST', 'verify', { key: text, nonce: fresh?.nonce ?? 'none' })
  if (!attempt || !fresh || fresh.entered.has(share)) return void expect(answer.status).toBe(400)
  fresh.entered.add(share)
  if (fresh.entered.size < attempt.t) return void expect(answer).toMatchObject({ status: 200, progress: fresh.entered.size })
  if ([...fresh.entered].every((share) => fresh.shares.includes(share))) {
    expect(answer).toMatchObject({ status: 200, complete: true, nonce: fresh.nonce })
    return install(model, fresh.shares, attempt.t)
  }
  expect(answer.status).toBe(400)
  await renewed(real, fresh)
}

async function renewed(real: Real, fresh: NonNullable<Attempt['fresh']>): Promise<void> {
  const { nonce } = await real.ask('GET', 'verify')
  expect(nonce).not.toBe(fresh.nonce)
  fresh.nonce = nonce as string
  fresh.entered = new Set()
}

/** The newest valid shares open the store: any of them, exactly as many as the threshold. */
async function reopen(model: Model, real: Real, from: number, seal: boolean): Promise<void> {
  if (seal) await real.kernel.seal.seal()
  else {
    await real.kernel.close()
    await real.open()
  }
  if (real.kernel.seal.state === 'sealed') {
    const shares = choose(model.valid, model.threshold, from)
    for (const key of shares.slice(1)) await real.kernel.seal.unseal({ key })
    expect(real.kernel.seal.state).toBe('sealed')
    await real.unseal(shares.slice(0, 1))
  }
  await real.kernel.transit.encrypt({ name: 'kept', plaintext: bytesOf(3, 1) })
  if (seal || model.attempt?.fresh) model.attempt = undefined
  else if (model.attempt) model.attempt.entered = new Set()
}

const FOREIGN = Buffer.from(bytesOf(33, 99)).toString('hex')
const MALFORMED: readonly Body[] = [
  {},
  { key: '' },
  { key: 'abcd' },
  { key: 'not a key!' },
  { key: 7 },
  { key: 'ab'.repeat(34) },
  { key: null },
  { key: [FOREIGN] },
]

const any = (name: string, run: Command['run']): Command => ({ name, run })
const index = fc.nat({ max: 30 })
const at = (shares: readonly string[], i: number): string => shares[i % shares.length] ?? FOREIGN

/** The commands with their weights. */
const COMMANDS: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Command> }[] = [
  {
    weight: 6,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(), fc.boolean()).map(([n, seed, verified]) =>
      any(`init ${n}`, async (model, real) => {
        const t = n === 1 ? 1 : 2 + (seed % (n - 1))
        const wish = { secret_shares: n, secret_threshold: t, require_verification: verified }
        const answer = await real.ask('POST', 'init', wish)
        if (model.attempt) return void expect(answer.status).toBe(400)
        model.attempt = { nonce: answer['nonce'] as string, n, t, verify: verified, entered: new Set(), fresh: undefined }
      }),
    ),
  },
  {
    weight: 30,
    arbitrary: fc
      .tuple(index, fc.boolean())
      .map(([i, other]) =>
        any(`update ${i}`, (model, real) =>
          update(model, real, at(model.valid, i), other ? recoded(at(model.valid, i)) : undefined),
        ),
      ),
  },
  {
    weight: 4,
    arbitrary: index.map((i) => any(`update former ${i}`, (model, real) => update(model, real, at(model.former, i)))),
  },
  { weight: 3, arbitrary: fc.constant(any('update foreign', (model, real) => update(model, real, FOREIGN))) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('update', 'verify').map((path) =>
      any(`${path} wrong nonce`, async (model, real) => {
        const nonce = path === 'update' ? (model.attempt?.fresh?.nonce ?? 'wrong') : (model.attempt?.nonce ?? 'wrong')
        expect(await real.ask('POST', path, { key: at(model.valid, 0), nonce })).toMatchObject({ status: 400 })
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('update', 'verify'), fc.constantFrom(...MALFORMED)).map(([path, body]) =>
      any(`${path} ${JSON.stringify(body)}`, async (model, real) => {
        const nonce = path === 'update' ? model.attempt?.nonce : model.attempt?.fresh?.nonce
        expect(await real.ask('POST', path, { nonce: nonce ?? 'none', ...body })).toMatchObject({ status: 400 })
      }),
    ),
  },
  {
    weight: 20,
    arbitrary: fc.tuple(index, fc.boolean()).map(([i, other]) =>
      any(`verify ${i}`, (model, real) => {
        const share = at(model.attempt?.fresh?.shares ?? [], i)
        return verify(model, real, share, other ? recoded(share) : undefined)
      }),
    ),
  },
  { weight: 3, arbitrary: index.map((i) => any(`verify old ${i}`, (model, real) => verify(model, real, at(model.valid, i)))) },
  {
    weight: 2,
    arbitrary: fc.constant(
      any('restart verification', async ({ attempt }, real) => {
        const answer = await real.ask('DELETE', 'verify')
        if (!attempt) return void expect(answer.status).toBe(400)
        expect(answer).toMatchObject({ status: 200, started: attempt.fresh !== undefined, progress: 0 })
        if (attempt.fresh) await renewed(real, attempt.fresh)
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant(
      any('cancel', async (model, real) => {
        expect(await real.ask('DELETE', 'init')).toMatchObject({ status: 204 })
        model.attempt = undefined
      }),
    ),
  },
  { weight: 2, arbitrary: index.map((i) => any(`restart of the process ${i}`, (model, real) => reopen(model, real, i, false))) },
  { weight: 2, arbitrary: index.map((i) => any(`seal ${i}`, (model, real) => reopen(model, real, i, true))) },
]

const command = fc.oneof(...COMMANDS)

/** A sequence of commands, after which the newest shares must open the store. */
export const walks = fc.record({
  shares: fc.integer({ min: 1, max: 5 }),
  seed: fc.nat(),
  commands: fc.array(command, { minLength: 10, maxLength: 60 }),
})

export async function walk(
  kind: Kind,
  { shares, seed, commands }: { shares: number; seed: number; commands: readonly Command[] },
): Promise<Model> {
  const real = new Real(kind)
  const model = await real.start(shares, shares === 1 ? 1 : 2 + (seed % (shares - 1)))
  try {
    for (const { run } of commands) {
      await run(model, real)
      await checkStatus(model, real)
    }
    await reopen(model, real, seed % 7, true)
    return model
  } finally {
    await real.kernel.close()
  }
}
