import { describe, expect, it } from 'vitest'
import { type Commit, type Kernel, memoryStorage, type Op, type Storage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { type LendingWorld, openLendingWorld, upstream } from '../../../fixtures/lending.ts'
import { runs } from '../../../fixtures/runs.ts'

const MANY = runs({ quick: 300, soak: 20_000 })

async function open(): Promise<{
  readonly lending: LendingWorld
  readonly clock: FakeClock
  readonly storage: Storage
  readonly sizes: number[]
  [Symbol.asyncDispose](): Promise<void>
}> {
  const sizes: number[] = []
  const inner = memoryStorage({ maxOps: 128 })
  const commit = (ops: readonly Op[], id: string): Promise<Commit> => {
    sizes.push(ops.length)
    return inner.commit(ops, id)
  }
  const storage = { ...inner, commit }
  const clock = fakeClock()
  const lending = await openLendingWorld({ storage, clock })
  return { lending, clock, storage, sizes, [Symbol.asyncDispose]: () => lending.kernel.close() }
}

const tokens = async (lending: LendingWorld, count: number, path = 'create'): Promise<readonly string[]> => {
  const made: string[] = []
  for (let token = 0; token < count; token++) {
    const { auth } = await lending.ask('POST', `auth/token/${path}`, { policies: ['default'], ttl: '1h' })
    made.push(String(auth?.['client_token']))
  }
  return made
}
const isGood = async (lending: LendingWorld, token = '') =>
  (await lending.ask('GET', 'auth/token/lookup-self', {}, token)).status === 200

async function tickUntilDone(kernel: Kernel): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const { done, failed } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0) return
  }
}

describe('revoking leases by prefix', () => {
  it(`ends all leases with its first commit and deletes them later in commits of at most 128 operations (${MANY} leases)`, async () => {
    await using all = await open()
    const { lending, sizes, storage } = all
    const found = []
    for (let guest = 0; guest < MANY; guest++) found.push(await lending.enter())
    const made = await tokens(lending, 40)
    for (const token of made) expect(await isGood(lending, token)).toBe(true)
    sizes.length = 0
    expect((await lending.ask('POST', 'sys/leases/revoke-prefix/lend/creds', { sync: false })).status).toBe(202)
    expect((await lending.ask('POST', 'sys/leases/revoke-prefix/auth/token', { sync: false })).status).toBe(202)
    expect(sizes.length).toBe(2)
    for (const { id } of found) expect(await lending.look(id)).toBe(400)
    for (const token of made) expect(await isGood(lending, token)).toBe(false)
    expect((await lending.kernel.leases.listLeases({})).keys).toEqual([])
    expect((await lending.guests()).length).toBe(MANY)
    const after = [await lending.enter(), await lending.enter()]
    const [late] = await tokens(lending, 1)
    await tickUntilDone(lending.kernel)
    expect(await lending.guests()).toEqual(after.map(({ guest }) => guest).sort())
    for (const { id } of after) expect(await lending.look(id)).toBe(200)
    expect(await isGood(lending, late)).toBe(true)
    for (const token of made) expect(await isGood(lending, token)).toBe(false)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(128)
    expect((await storage.list('l/core/ending-walk/')).length).toBe(0)
    expect((await storage.list('l/core/token/')).length).toBe(2)
  }, 3_600_000)

  it('waits by default until the engine has revoked the secrets', async () => {
    await using all = await open()
    const { lending } = all
    for (let guest = 0; guest < 40; guest++) await lending.enter()
    expect((await lending.ask('POST', 'sys/revoke-prefix/lend/creds/app')).status).toBe(204)
    expect(await lending.guests()).toEqual([])
    expect(await lending.kernel.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('matches leases only by whole path segments or by the whole lease id', async () => {
    await using all = await open()
    const { lending } = all
    const [a, b] = [await lending.enter(), await lending.enter()]
    for (const prefix of ['lend/creds/ap', 'lend/cred', 'len', 'creds/app', a.id.slice(0, -1)])
      await lending.kernel.leases.revokePrefix({ prefix })
    expect([await lending.look(a.id), await lending.look(b.id)]).toEqual([200, 200])
    await lending.kernel.leases.revokePrefix({ prefix: a.id })
    expect([await lending.look(a.id), await lending.look(b.id)]).toEqual([400, 200])
    await lending.kernel.leases.revokePrefix({ prefix: 'lend/' })
    expect(await lending.look(b.id)).toBe(400)
  })

  it('reports how many leases the engine failed to revoke, blocks their renewal and tries again later', async () => {
    await using all = await open()
    const { lending, clock } = all
    const found = [await lending.enter(), await lending.enter(), await lending.enter()]
    lending.trouble.error = upstream()
    const { status, errors } = await lending.ask('POST', 'sys/leases/revoke-prefix/lend')
    expect(status).toBe(502)
    expect(errors?.[0]).toMatch(/^3 leases could not be revoked yet/)
    // The leases remain visible while the engine fails to revoke them, but cannot be renewed.
    for (const { id } of found) {
      expect(await lending.look(id)).toBe(200)
      expect((await lending.ask('POST', 'sys/leases/renew', { lease_id: id })).errors).toEqual([
        'lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed',
      ])
    }
    lending.trouble.error = undefined
    await clock.advance(15_001)
    await lending.kernel.tick()
    expect(await lending.guests()).toEqual([])
  })

  it('requires sudo under both the current and the old paths', async () => {
    await using all = await open()
    const { lending } = all
    await lending.kernel.policies.writePolicy({
      name: 'plain',
      policy: 'path "*" { capabilities = ["create","read","update","delete","list"] }',
    })
    const token = await lending.token({ policies: ['plain'] })
    const paths = ['leases/revoke-prefix/x', 'leases/revoke-force/x', 'revoke-prefix/x', 'revoke-force/x']
    for (const path of paths) expect((await lending.ask('POST', `sys/${path}`, {}, token)).status).toBe(403)
    for (const path of paths) expect((await lending.ask('POST', `sys/${path}`)).status).toBe(204)
    expect((await lending.ask('LIST', 'sys/leases/lookup', {}, token)).status).toBe(403)
    expect((await lending.ask('GET', 'sys/leases', { type: 'irrevocable' }, token)).status).toBe(403)
    expect((await lending.ask('GET', 'sys/leases/count', { type: 'irrevocable' }, token)).status).toBe(200)
    expect((await lending.ask('POST', 'sys/revoke/none', {}, token)).status).toBe(204)
  })

  it('revokes tokens below the prefix with their children and leases', async () => {
    await using all = await open()
    const { lending } = all
    const parent = await lending.token()
    const child = String(
      (await lending.ask('POST', 'auth/token/create-orphan', { policies: ['all'] }, parent)).auth?.['client_token'],
    )
    const { auth } = await lending.ask('POST', 'auth/token/create', { policies: ['all'] }, child)
    const grandchild = String(auth?.['client_token'])
    const { id } = await lending.enter({}, grandchild)
    await lending.kernel.leases.revokePrefix({ prefix: 'auth/token/create-orphan', sync: false })
    expect([await isGood(lending, parent), await isGood(lending, child), await isGood(lending, grandchild)]).toEqual([
      true,
      false,
      false,
    ])
    expect(await lending.look(id)).toBe(400)
    await tickUntilDone(lending.kernel)
    expect(await lending.guests()).toEqual([])
    expect(await isGood(lending, parent)).toBe(true)
  })

  it('takes effect at once in another kernel on the same store', async () => {
    await using all = await open()
    const { lending, storage } = all
    const otherWorld = await openLendingWorld({ storage, known: lending.rootToken })
    try {
      const [token] = await tokens(otherWorld, 1)
      const { id } = await otherWorld.enter()
      expect([await isGood(otherWorld, token), await otherWorld.look(id)]).toEqual([true, 200])
      await lending.kernel.leases.revokePrefix({ prefix: 'auth/token', sync: false })
      await lending.kernel.leases.revokePrefix({ prefix: 'lend', sync: false })
      expect([await isGood(otherWorld, token), await otherWorld.look(id)]).toEqual([false, 400])
    } finally {
      await otherWorld.kernel.close()
    }
  })
})
