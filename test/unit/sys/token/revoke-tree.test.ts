/** The revocation of a token tree takes effect immediately, and the purge uses bounded commits. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { runs } from '../../../fixtures/runs.ts'
import { crashSuite } from './revoke-tree-crashes.ts'
import { ask, grow, lookSelf, MAKER, NOTHING, openOn, remains, tickAll, tokenFor } from './support.ts'

const MAX_OPS = 128
/** Counts commits and the writes of the largest one. */
function watched(inner: Storage): { readonly storage: Storage; largest: number; commits: number } {
  const seen = {
    largest: 0,
    commits: 0,
    storage: {
      ...inner,
      commit: (ops, id) => {
        seen.largest = Math.max(seen.largest, ops.length)
        seen.commits++
        return inner.commit(ops, id)
      },
    } satisfies Storage as Storage,
  }
  return seen
}

const sample = (all: readonly string[], many: number): readonly string[] =>
  all.filter((_, index) => index % Math.ceil(all.length / many) === 0 || index === all.length - 1)

describe('the revocation of a token tree', () => {
  it.each([
    ['narrow', runs({ quick: 150, soak: 100_000 }), 3],
    ['flat', runs({ quick: 200, soak: 100_000 }), 1_000_000],
    ['wide', runs({ quick: 400, soak: 100_000 }), 40],
  ])(
    'takes effect with the first commit if the tree is %s, and ticks purge the tree in commits of at most 128 operations',
    async (_shape, total, width) => {
      const seen = watched(memoryStorage({ maxOps: MAX_OPS }))
      await using kernel = await openOn(seen.storage)
      await using otherKernel = await openOn(seen.storage)
      const all = await grow(kernel, total, width)
      const some = sample(all, 200)
      // Use all tokens first, so that both kernels have them in their caches.
      for (const token of some) expect([await lookSelf(kernel, token), await lookSelf(otherKernel, token)]).toEqual([200, 200])
      for (const token of some.slice(-20)) await kernel.as(token).cubbyhole.writeEntry({ path: 'x', data: { a: 1 } })
      seen.commits = 0
      await kernel.tokens.revokeToken({ token: all[0] as string })
      expect(seen.commits).toBe(1)
      for (const token of some) expect([await lookSelf(kernel, token), await lookSelf(otherKernel, token)]).toEqual([403, 403])
      seen.largest = 0
      await tickAll(kernel)
      expect(await remains(seen.storage)).toEqual(NOTHING)
      expect(seen.largest).toBeLessThanOrEqual(MAX_OPS)
      expect(seen.commits).toBeGreaterThan(total / 32)
    },
  )

  it('takes effect when the token at the top expires, even before the purge', async () => {
    const clock = fakeClock()
    const storage = memoryStorage({ maxOps: MAX_OPS })
    await using kernel = await openOn(storage, clock)
    await kernel.policies.writePolicy({ name: 'maker', policy: MAKER })
    const top = await tokenFor(kernel, { policies: ['maker'], ttl: '1h' })
    const child = await tokenFor(kernel, { ttl: '20h' }, { token: top })
    const grandchild = await tokenFor(kernel, { ttl: '20h' }, { token: child })
    expect(await lookSelf(kernel, grandchild)).toBe(200)
    await clock.advance(3_599_000)
    expect(await lookSelf(kernel, grandchild)).toBe(200)
    await clock.advance(1_001)
    expect([await lookSelf(kernel, child), await lookSelf(kernel, grandchild)]).toEqual([403, 403])
    await tickAll(kernel)
    expect(await remains(storage)).toEqual(NOTHING)
  })
})

describe('the revocation of a token without its children', () => {
  it('makes its children orphans at once, so that a revocation of the grandparent does not affect them', async () => {
    const storage = memoryStorage({ maxOps: MAX_OPS })
    await using kernel = await openOn(storage)
    await kernel.policies.writePolicy({ name: 'maker', policy: MAKER })
    const top = await tokenFor(kernel, { policies: ['maker', 'default'] })
    const middle = await tokenFor(kernel, {}, { token: top })
    const children = await Promise.all(Array.from({ length: 50 }, () => tokenFor(kernel, {}, { token: middle })))
    await kernel.tokens.revokeOrphan({ token: middle })
    // Neither a second revocation nor the revocation of the grandparent affects the children, even before the purge.
    expect((await ask(kernel, 'POST', 'auth/token/revoke', { token: middle })).status).toBe(204)
    await kernel.tokens.revokeToken({ token: top })
    const seen = async () => new Set(await Promise.all(children.map((token) => lookSelf(kernel, token))))
    expect(await seen()).toEqual(new Set([200]))
    expect(await kernel.as(children[0] as string).tokens.lookupSelf()).toMatchObject({ orphan: true })
    expect(await lookSelf(kernel, middle)).toBe(403)
    await tickAll(kernel)
    expect(await seen()).toEqual(new Set([200]))
    expect(await kernel.as(children[0] as string).tokens.lookupSelf()).toMatchObject({ orphan: true })
    await Promise.all(children.map((token) => kernel.tokens.revokeToken({ token })))
    await tickAll(kernel)
    expect(await remains(storage)).toEqual(NOTHING)
  })

  it('is refused if the grandparent is revoked, so that the children stay invalid', async () => {
    await using kernel = await openOn(memoryStorage())
    await kernel.policies.writePolicy({ name: 'maker', policy: MAKER })
    const top = await tokenFor(kernel, { policies: ['maker'] })
    const middle = await tokenFor(kernel, {}, { token: top })
    const child = await tokenFor(kernel, {}, { token: middle })
    await kernel.tokens.revokeToken({ token: top })
    expect((await ask(kernel, 'POST', 'auth/token/revoke-orphan', { token: middle })).status).toBe(400)
    expect(await lookSelf(kernel, child)).toBe(403)
    await tickAll(kernel)
    expect(await lookSelf(kernel, child)).toBe(403)
  })
})

describe('a token that is revoked between a request and its commit', () => {
  it.each(['create', 'create-orphan', 'renew-self'])('cannot complete %s', async (what) => {
    const inner = memoryStorage({ maxOps: MAX_OPS })
    await using otherKernel = await openOn(inner)
    await otherKernel.policies.writePolicy({ name: 'maker', policy: MAKER })
    const top = await tokenFor(otherKernel, { policies: ['maker'] })
    const token = await tokenFor(otherKernel, {}, { token: top })
    let revoked: Promise<unknown> | undefined
    const storage: Storage = {
      ...inner,
      commit: async (ops, id) => {
        revoked ??= otherKernel.tokens.revokeToken({ token: top })
        await revoked
        return inner.commit(ops, id)
      },
    }
    await using kernel = await openOn(storage)
    const { status } = await ask(kernel, 'POST', `auth/token/${what}`, {}, { token })
    expect(revoked).toBeDefined()
    expect(status).toBe(what === 'renew-self' ? 400 : 403)
    await tickAll(otherKernel)
    expect(await remains(inner)).toEqual(NOTHING)
  })
})

describe('creating tokens while their parent is revoked', () => {
  it.each(Array.from({ length: runs({ quick: 8, soak: 40 }) }, (_, i) => i))(
    'leaves no valid token, and no record after the purge (%i)',
    async (turn) => {
      const storage = memoryStorage({ maxOps: MAX_OPS })
      await using kernel = await openOn(storage)
      await using otherKernel = await openOn(storage)
      await kernel.policies.writePolicy({ name: 'maker', policy: MAKER })
      const top = await tokenFor(kernel, { policies: ['maker', 'default'] })
      const middle = await tokenFor(kernel, {}, { token: top })
      const made: string[] = []
      let stop = false
      const make = async (maker: Kernel): Promise<void> => {
        while (!stop) {
          // Nothing here waits for I/O, so yield to the event loop.
          await new Promise((resolve) => setImmediate(resolve))
          const { status, body } = await ask(maker, 'POST', 'auth/token/create', {}, { token: middle })
          if (status === 200) made.push(body.auth.client_token)
          else {
            expect(status).toBe(403)
            return
          }
        }
      }
      const makers = [make(kernel), make(otherKernel), make(kernel), make(otherKernel)]
      for (let i = 0; i < turn * 5; i++) await new Promise((resolve) => setImmediate(resolve))
      await kernel.tokens.revokeToken({ token: turn % 2 ? top : middle })
      if (turn % 3 === 0) await kernel.tick()
      await Promise.all(makers)
      stop = true
      expect(new Set(await Promise.all(made.map((token) => lookSelf(otherKernel, token)))).has(200)).toBe(false)
      await kernel.tokens.revokeToken({ token: top })
      await tickAll(kernel)
      expect(await remains(storage)).toEqual(NOTHING)
    },
  )
})

// `revoke-tree-crashes.slow.test.ts` crashes at every commit.
describe('a crash at every fifth commit of the revocation of a token tree', crashSuite(5))
