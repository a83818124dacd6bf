/**
 * Compares random calls that generate root tokens and operation tokens with key shares, including restarts and sealings, with a model. Only
 * one attempt of either kind exists at a time, and only enough valid shares produce a token.
 */

import { expect, it } from 'vitest'
import { createKernel, decodeToken, type Kernel, keySeal, memoryStorage } from '../../src/index.ts'
import { fakePgp } from '../../src/testing/index.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { bytesOf } from './support.ts'

const RUNS = runs({ quick: 60, soak: 1500 })
const THRESHOLD = 3
const PERSON = Buffer.from('a person').toString('base64')
const PAD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

type Strategy = 'root' | 'operation'
type Body = Record<string, unknown>

const PATHS = { root: 'generate-root', operation: 'replication/dr/secondary/generate-operation-token' } as const
const other = (strategy: Strategy): Strategy => (strategy === 'root' ? 'operation' : 'root')

interface Attempt {
  readonly strategy: Strategy
  readonly nonce: string
  /** Empty if the token is encrypted with a PGP key. */
  readonly otp: string
  entered: Set<string>
}

class World {
  readonly storage = memoryStorage()
  readonly pgp = fakePgp()
  kernel!: Kernel
  shares: readonly string[] = []
  attempt: Attempt | undefined
  made = 0

  async open(): Promise<void> {
    this.kernel = await createKernel({ storage: this.storage, seal: keySeal(bytesOf(32, 1)), ports: { pgp: this.pgp } })
  }

  async ask(method: string, path: string, body?: Body, token?: string): Promise<Body & { readonly status: number }> {
    const headers = token ? { 'X-Service-Token': token } : {}
    const answer = await this.kernel.handle({ method, path: `/v1/${path}`, body, headers })
    if (answer.status >= 400) expect(answer.body).toEqual({ errors: [expect.any(String)] })
    return { ...(answer.body as Body | undefined), status: answer.status }
  }
}

type Step = (world: World) => Promise<void>

const strategies = fc.constantFrom<Strategy>('root', 'operation')
const FOREIGN = Buffer.from(bytesOf(33, 77)).toString('hex')

async function update(world: World, strategy: Strategy, share: string): Promise<void> {
  const { attempt } = world
  const answer = await world.ask('POST', `sys/${PATHS[strategy]}/update`, { key: share, nonce: attempt?.nonce ?? 'none' })
  if (!attempt || attempt.strategy !== strategy || attempt.entered.has(share)) return void expect(answer.status).toBe(400)
  attempt.entered.add(share)
  const progress = attempt.entered.size
  if (progress < THRESHOLD)
    return void expect(answer).toMatchObject({ status: 200, progress, complete: false, encoded_token: '' })
  const right = [...attempt.entered].every((share) => world.shares.includes(share))
  attempt.entered = new Set()
  if (!right) return void expect(answer.status).toBe(400)
  expect(answer).toMatchObject({ status: 200, progress, required: THRESHOLD, complete: true, otp: '', otp_length: 0 })
  expect(answer['encoded_root_token']).toBe(strategy === 'root' ? answer['encoded_token'] : undefined)
  world.attempt = undefined
  world.made++
  await use(world, attempt, answer['encoded_token'] as string)
}

/** Checks that the token has exactly the expected rights. */
async function use(world: World, { strategy, otp }: Attempt, encoded: string): Promise<void> {
  const sealed = new Uint8Array(Buffer.from(encoded, 'base64'))
  const token = otp === '' ? Buffer.from(world.pgp.decrypt(sealed, PERSON)).toString() : decodeToken(encoded, otp)
  expect(token).toMatch(/^s\.[0-9A-Za-z]{24}$/)
  const remove = (): Promise<Body & { status: number }> =>
    world.ask('POST', 'sys/replication/dr/secondary/operation-token/delete', { dr_operation_token: token })
  const lookup = await world.ask('GET', 'auth/token/lookup-self', undefined, token)
  if (strategy === 'operation') {
    expect(lookup.status).toBe(403)
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 403])
    return
  }
  expect(lookup).toMatchObject({ status: 200, data: { policies: ['root'], ttl: 0, path: 'auth/token/root', orphan: true } })
  expect((await remove()).status).toBe(403)
  expect((await world.ask('POST', 'auth/token/revoke-self', {}, token)).status).toBe(204)
}

const STEPS: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Step> }[] = [
  {
    weight: 8,
    arbitrary: fc.tuple(strategies, fc.constantFrom({}, { otp: PAD }, { pgp_key: PERSON }, { otp: PAD, pgp_key: 'no key' })).map(
      ([strategy, wish]: [Strategy, { otp?: string; pgp_key?: string }]): Step =>
        async (world) => {
          const answer = await world.ask('POST', `sys/${PATHS[strategy]}/attempt`, wish)
          if (world.attempt) return void expect(answer.status).toBe(400)
          expect(answer).toMatchObject({ status: 200, started: true, progress: 0, complete: false, otp_length: 26 })
          const shown = answer['otp'] as string
          expect(shown.length).toBe(wish.otp || wish.pgp_key ? 0 : 26)
          world.attempt = { strategy, nonce: answer['nonce'] as string, otp: wish.otp ?? shown, entered: new Set() }
        },
    ),
  },
  {
    weight: 30,
    arbitrary: fc.nat({ max: 4 }).map(
      (i): Step =>
        (world) =>
          update(world, world.attempt?.strategy ?? 'root', world.shares[i] as string),
    ),
  },
  {
    weight: 3,
    arbitrary: strategies.map(
      (strategy): Step =>
        (world) =>
          update(world, strategy, FOREIGN),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constant<Step>((world) => update(world, other(world.attempt?.strategy ?? 'root'), world.shares[0] as string)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(strategies, fc.constantFrom<Body>({ nonce: 'wrong' }, { key: 'abcd' }, { key: '' }, { key: 5 }, { key: null }))
      .map(
        ([strategy, body]): Step =>
          async (world) => {
            const sent = { key: world.shares[0], nonce: world.attempt?.nonce ?? 'none', ...body }
            expect((await world.ask('POST', `sys/${PATHS[strategy]}/update`, sent)).status).toBe(400)
          },
      ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(strategies, fc.constantFrom<Body>({ otp: 'short' }, { otp: 7 }, { pgp_key: '!' }, { pgp_key: [] })).map(
      ([strategy, body]): Step =>
        async (world) => {
          expect((await world.ask('POST', `sys/${PATHS[strategy]}/attempt`, body)).status).toBe(400)
        },
    ),
  },
  {
    weight: 2,
    arbitrary: strategies.map(
      (strategy): Step =>
        async (world) => {
          expect((await world.ask('DELETE', `sys/${PATHS[strategy]}/attempt`)).status).toBe(204)
          world.attempt = undefined
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Step>(async (world) => {
      await world.kernel.close()
      await world.open()
      if (world.attempt) world.attempt.entered = new Set()
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Step>(async (world) => {
      await world.kernel.seal.seal()
      await world.kernel.seal.unseal()
      world.attempt = undefined
    }),
  },
]

async function check(world: World, strategy: Strategy): Promise<void> {
  const { attempt } = world
  expect(await world.ask('GET', `sys/${PATHS[strategy]}/attempt`)).toMatchObject({
    status: 200,
    started: attempt !== undefined,
    nonce: attempt?.nonce ?? '',
    progress: attempt?.entered.size ?? 0,
    required: THRESHOLD,
    complete: false,
    encoded_token: '',
    otp: '',
    otp_length: 26,
  })
}

it('root tokens and operation tokens generated with key shares behave like their model in any sequence of calls', async () => {
  let made = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...STEPS), { minLength: 10, maxLength: 60 }), strategies, async (steps, seen) => {
      const world = new World()
      await world.open()
      const { recovery_keys } = await world.kernel.seal.initialize({ recovery_shares: 5, recovery_threshold: THRESHOLD })
      world.shares = recovery_keys as readonly string[]
      try {
        for (const step of steps) {
          await step(world)
          await check(world, seen)
        }
        made += world.made
      } finally {
        await world.kernel.close()
      }
    }),
    { numRuns: RUNS },
  )
  expect(made).toBeGreaterThan(RUNS / 4)
})
