import { describe, expect, it, vi } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import { memoryStorage, type Storage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { type ConfigWorld, configWorld } from '../fixtures/configsvc.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { calledStorage } from './called-storage.ts'
import { settle, turnsDuring } from './turns.ts'

const WAITERS = runs({ quick: 1000, soak: 10_000 })

const open = (storage: Storage = memoryStorage(), clock = fakeClock()) =>
  createConfigService({ storage, plaintext: true, clock, acl: { enabled: false } })

type Service = Awaited<ReturnType<typeof open>>

const list = (service: Service, query: Record<string, string> = {}, signal?: AbortSignal) =>
  service.handle({ method: 'GET', path: '/v1/acl/policies', query, ...(signal && { signal }) })

const indexOf = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => Number(headers['X-Config-Index'])

async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  promise.then(
    () => {
      done = true
    },
    () => {
      done = true
    },
  )
  await settle()
  return done
}

it('a read is answered immediately if it has no index, index 0 or an index below the current one', async () => {
  await using service = await open()
  const first = await list(service)
  expect(indexOf(first)).toBe(1)
  expect((await list(service, { index: '0', wait: '1m' })).status).toBe(200)
  await service.policies.create({ Name: 'a' })
  expect(indexOf(await list(service, { index: '1', wait: '1m' }))).toBe(2)
})

it('a blocking read returns the changed result after a change', async () => {
  await using service = await open()
  const waiting = list(service, { index: '1', wait: '5m' })
  expect(await settled(waiting)).toBe(false)
  await service.policies.create({ Name: 'a' })
  const response = await waiting
  expect(indexOf(response)).toBe(2)
  expect((response.body as { Name: string }[]).map(({ Name }) => Name)).toContain('a')
})

it('a blocking read returns after its wait time plus at most a sixteenth of it, by default after 5 minutes', async () => {
  const clock = fakeClock()
  await using service = await open(memoryStorage(), clock)
  for (const [query, milliseconds] of [
    [{ index: '1' }, 300_000],
    [{ index: '1', wait: '10s' }, 10_000],
    [{ index: '1', wait: '1h' }, 600_000],
    [{ index: '1', wait: '0s' }, 300_000],
  ] as const) {
    const waiting = list(service, query)
    await settle()
    await clock.advance(milliseconds - 1)
    expect(await settled(waiting)).toBe(false)
    await clock.advance(milliseconds / 16 + 1)
    expect(indexOf(await waiting)).toBe(1)
  }
})

describe('a blocking read at the end of its wait time', () => {
  const change: Readonly<Record<string, (world: ConfigWorld, token: string, policy: string) => Promise<unknown>>> = {
    'the token was deleted': ({ service }, AccessorID) => service.tokens.delete({ AccessorID }),
    'its policy was deleted': ({ service }, _, ID) => service.policies.delete({ ID }),
    'the token has expired': ({ clock }) => clock.advance(120_000),
  }

  it.each(Object.entries(change))('is refused with 403 if meanwhile %s', async (_, make) => {
    await using world = await configWorld()
    const { service, clock, ask } = world
    const Rules = 'service_prefix "" { policy = "read" }'
    const { ID } = await service.policies.create({ Name: 'reading', Rules })
    const token = await service.tokens.create({ Policies: [{ ID }], ExpirationTTL: '1m' })
    await service.entries.apply({ Kind: 'service-defaults', Name: 'web' })
    const waiting = ask('GET', 'config/service-defaults/web?index=99&wait=2m', undefined, token.SecretID)
    await settle()
    await make(world, token.AccessorID, ID)
    await clock.advance(200_000)
    expect((await waiting).status).toBe(403)
  })

  it('returns names that have changed since the read began', async () => {
    await using world = await configWorld()
    const { service, clock, ask } = world
    await service.policies.create({ Name: 'linked' })
    const { ID } = await service.roles.create({ Name: 'a', Policies: [{ Name: 'linked' }] })
    const waiting = ask('GET', `acl/role/${ID}?index=99&wait=1m`)
    await settle()
    const [policy] = (await service.roles.read({ ID })).Policies ?? []
    await service.policies.update({ ID: policy?.ID as string, Name: 'renamed' })
    await clock.advance(100_000)
    expect((await waiting).body).toMatchObject({ Policies: [{ Name: 'renamed' }] })
  })
})

it('a blocking read continues to wait while its record is missing or unchanged', async () => {
  await using service = await open()
  const absent = service.handle({ method: 'GET', path: '/v1/acl/policy/name/later', query: { index: '1', wait: '5m' } })
  const { ID } = await service.policies.create({ Name: 'kept' })
  const same = service.handle({ method: 'GET', path: `/v1/acl/policy/${ID}`, query: { index: '2', wait: '5m' } })
  await service.policies.create({ Name: 'other' })
  expect([await settled(absent), await settled(same)]).toEqual([false, false])
  await service.policies.update({ ID, Name: 'kept', Description: 'changed' })
  await service.policies.create({ Name: 'later' })
  expect(await same).toMatchObject({ status: 200, body: { Description: 'changed' } })
  expect(await absent).toMatchObject({ status: 200, body: { Name: 'later' } })
})

it('a read of a missing record returns an index for a blocking read', async () => {
  await using service = await open()
  const { status, headers, body } = await service.handle({ method: 'GET', path: '/v1/acl/policy/name/later' })
  expect({ status, index: headers['X-Config-Index'] }).toEqual({ status: 404, index: '1' })
  expect(body).toEqual(expect.any(String))
})

it('a blocking read ends when its caller aborts the request', async () => {
  await using service = await open()
  const gone = new AbortController()
  const waiting = list(service, { index: '1', wait: '5m' }, gone.signal)
  await settle()
  gone.abort()
  expect((await waiting).status).toBe(200)
})

it(`${WAITERS} blocking reads of one list read the store about once each after a change, and yield to the event loop`, async () => {
  const { storage, calls } = calledStorage(memoryStorage())
  await using service = await open(storage)
  const waiting = await waitingReads(service, calls)
  const { result, turns } = await turnsDuring(async () => {
    await service.policies.create({ Name: 'a' })
    return Promise.all(waiting)
  })
  expect([...new Set(result.map(indexOf))]).toEqual([2])
  expect(calls.length).toBeLessThan(WAITERS + 20)
  expect(turns).toBeGreaterThan(WAITERS / 20)
})

/** Reads that all wait for the next change. */
async function waitingReads(service: Service, calls: string[]) {
  const waiting = Array.from({ length: WAITERS }, () => list(service, { index: '1', wait: '5m' }))
  // Each reads once before it waits.
  await vi.waitFor(() => expect(calls.filter((name) => name === 'list').length).toBeGreaterThanOrEqual(WAITERS), {
    timeout: 60_000,
    interval: 5,
  })
  calls.length = 0
  return waiting
}

it('a blocking read returns after a change by another process', async () => {
  const storage = memoryStorage()
  const clock = fakeClock()
  await using here = await open(storage, clock)
  await using there = await open(storage, clock)
  const waiting = list(here, { index: '1', wait: '5m' })
  await settle()
  await there.policies.create({ Name: 'a' })
  expect(indexOf(await waiting)).toBe(2)
})

it('a read with an invalid index, an invalid wait time or two consistency modes is refused with 400', async () => {
  await using service = await open()
  for (const query of [{ index: 'x' }, { index: '-1' }, { index: '1', wait: 'soon' }, { stale: '', consistent: '' }])
    expect(await list(service, query as Record<string, string>)).toMatchObject({ status: 400 })
})

it('a client that polls with blocking reads sees each change, in any order of reads and writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('write', 'pause', 'elsewhere'), { maxLength: 12 }), async (moves) => {
      const storage = memoryStorage()
      await using here = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })
      await using there = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })
      let written = 1
      let reads = 0
      let index = 1
      const reader = (async () => {
        while (index <= moves.filter((move) => move !== 'pause').length) {
          reads++
          const next = indexOf(await list(here, { index: String(index), wait: '5s' }))
          expect(next).toBeGreaterThan(index)
          index = next
        }
      })()
      for (const move of moves) {
        if (move === 'pause') await new Promise((resolve) => setImmediate(resolve))
        else await (move === 'write' ? here : there).policies.create({ Name: `p${written++}` })
      }
      await reader
      expect(index).toBe(written)
      expect(reads).toBeLessThan(written + 1)
    }),
    { numRuns: 30 },
  )
})

it('64 concurrent writes get consecutive indexes', async () => {
  const storage = memoryStorage()
  await using here = await open(storage)
  await using there = await open(storage)
  const made = await Promise.all(
    Array.from({ length: 64 }, (_, at) => (at % 2 ? here : there).policies.create({ Name: `p${at}` })),
  )
  expect(made.map(({ ModifyIndex }) => ModifyIndex).sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, at) => at + 2))
})
