/**
 * Caches of a kernel whose storage never reports the commits of another kernel.
 */
import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { bytesOf, refusalOf, utf8 } from '../../../property/support.ts'

const KEY = bytesOf(32, 8)
const BOUND = 2000

interface Line {
  readonly storage: Storage
  /** Number of calls by method name. */
  readonly calls: Record<string, number>
  /** Awaited before each call; a rejection fails the call. */
  trouble: (() => Promise<void>) | undefined
}

/** A storage whose watch reports no changes. */
function deaf(inner: Storage): Line {
  const line: Line = { calls: {}, trouble: undefined, storage: undefined as never }
  const counted = <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      line.calls[name] = (line.calls[name] ?? 0) + 1
      await line.trouble?.()
      return call(...args)
    }
  }
  const { getSync: _, ...rest } = inner
  const storage: Storage = {
    ...rest,
    getMany: counted('getMany', inner.getMany),
    scan: counted('scan', inner.scan),
    revision: counted('revision', inner.revision),
    watch: async () => async () => {},
  }
  return Object.assign(line, { storage })
}

const openOn = (storage: Storage, clock: FakeClock, cache: object = {}): Promise<Kernel> =>
  createKernel({ storage, clock, cache, seal: keySeal(KEY), initialize: true })

async function pair(cache: object = {}) {
  const clock = fakeClock()
  const inner = memoryStorage()
  const line = deaf(inner)
  const writer = await openOn(inner, clock)
  await writer.transit.createKey({ name: 'k' })
  const reader = await openOn(line.storage, clock, cache)
  const version = async () => (await reader.transit.encrypt({ name: 'k', plaintext: utf8('x') })).key_version
  await version()
  return { clock, line, writer, reader, version }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a kernel that receives no watch notifications', () => {
  it('answers from its caches for 2 seconds, the default staleness bound, and no longer', async () => {
    const { clock, writer, version } = await pair()
    await writer.transit.rotateKey({ name: 'k' })
    await clock.advance(BOUND - 1)
    expect(await version()).toBe(1)
    await clock.advance(1)
    expect(await version()).toBe(2)
  })

  it('sends no calls to the store while it is idle', async () => {
    const { clock, line, writer, version } = await pair()
    await writer.transit.rotateKey({ name: 'k' })
    const { calls } = line
    const before = { ...calls }
    await clock.advance(86_400_000)
    expect(calls).toEqual(before)
    expect(await version()).toBe(2)
  })

  it('answers from its caches for the configured staleness bound and no longer', async () => {
    const { clock, writer, version } = await pair({ stalenessMs: 300 })
    await writer.transit.rotateKey({ name: 'k' })
    await clock.advance(299)
    expect(await version()).toBe(1)
    await clock.advance(1)
    expect(await version()).toBe(2)
  })

  it('checks the store on every request if the staleness bound is 0', async () => {
    const { writer, version, reader } = await pair({ stalenessMs: 0 })
    for (let latest = 2; latest < 5; latest++) {
      await writer.transit.rotateKey({ name: 'k' })
      expect(await version()).toBe(latest)
      expect(await reader.transit.readKey({ name: 'k' })).toMatchObject({ latest_version: latest })
    }
  })

  it.each([
    [
      'a policy that became narrower',
      (kernel: Kernel) => kernel.policies.writePolicy({ name: 'p', policy: 'path "a" { capabilities = ["deny"] }' }),
      403,
    ],
    ['a token that was revoked', (kernel: Kernel, token: string) => kernel.tokens.revokeToken({ token }), 403],
    ['a mount that was disabled', (kernel: Kernel) => kernel.mounts.deleteMount({ path: 'transit/' }), 404],
    ['a key that was deleted', (kernel: Kernel) => kernel.transit.deleteKey({ name: 'k' }), 400],
  ])('notices %s once the staleness bound has passed', async (_, change, status) => {
    const { clock, writer, reader } = await pair()
    await writer.transit.configureKey({ name: 'k', deletion_allowed: true })
    const rule = 'path "transit/*" { capabilities = ["create", "read", "update"] }'
    await writer.policies.writePolicy({ name: 'p', policy: rule })
    const { client_token } = await writer.tokens.createToken({ policies: ['p'] })
    await clock.advance(BOUND)
    const ask = () =>
      reader.handle({
        method: 'POST',
        path: '/v1/transit/decrypt/k',
        headers: { 'X-Service-Token': client_token },
        body: { ciphertext },
      })
    const { ciphertext } = await writer.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    expect((await ask()).status).toBe(200)
    await change(writer, client_token)
    await clock.advance(BOUND - 1)
    expect((await ask()).status).toBe(200)
    await clock.advance(1)
    expect((await ask()).status).toBe(status)
  })

  it('reads a record again before it refuses a write because of a stale cache entry', async () => {
    const { clock, writer, reader } = await pair()
    await reader.transit.readKey({ name: 'k' })
    await writer.transit.configureKey({ name: 'k', deletion_allowed: true })
    // The delete conflicts with the newer record and runs again after a short delay.
    const deleted = reader.transit.deleteKey({ name: 'k' })
    for (let turns = 0; turns < 5; turns++) await clock.advance(10)
    await deleted
    expect(await refusalOf(writer.transit.readKey({ name: 'k' }))).toMatchObject({ status: 404 })
  })

  it('waits for the index that a request header names by checking the store', async () => {
    const { clock, writer, reader, version } = await pair()
    const ask = (kernel: Kernel, method: string, path: string, index?: string) => {
      const headers = { 'X-Service-Token': writer.rootToken as string, ...(index && { 'X-Service-Index': index }) }
      return kernel.handle({ method, path, headers })
    }
    const rotated = await ask(writer, 'POST', '/v1/transit/keys/k/rotate')
    const index = rotated.headers['X-Service-Index'] as string
    expect(await version()).toBe(1)
    const answer = ask(reader, 'GET', '/v1/transit/keys/k', index)
    await clock.advance(200)
    expect(await answer).toMatchObject({ status: 200, body: { data: { latest_version: 2 } } })
    const beyond = ask(reader, 'GET', '/v1/transit/keys/k', `${Number(index) + 1000}`)
    await clock.advance(2000)
    expect(await beyond).toMatchObject({ status: 412 })
  })

  it('checks the store on the next request after the clock is set back', async () => {
    const { clock, writer, version } = await pair()
    await clock.advance(500)
    expect(await version()).toBe(1)
    await writer.transit.rotateKey({ name: 'k' })
    clock.set(clock.now() - 400)
    expect(await version()).toBe(2)
  })

  it('checks the store in the background while it is in use, so that requests never wait', async () => {
    const { clock, line, version } = await pair()
    // Loads the counter record that this kernel has just reserved, because no watch reports it.
    await clock.advance(BOUND)
    await version()
    const before = line.calls['revision'] ?? 0
    const loads = line.calls['getMany']
    for (let passed = 0; passed < 20 * BOUND; passed += BOUND / 10) {
      await clock.advance(BOUND / 10)
      // The call must complete within a few microtasks, which is possible only if the cache answers it.
      let done = false
      const answer = version().then(() => {
        done = true
      })
      for (let microtasks = 0; microtasks < 8; microtasks++) await undefined
      expect(done).toBe(true)
      await answer
      await turn()
    }
    // One check per half of the staleness bound.
    expect((line.calls['revision'] ?? 0) - before).toBe(40)
    expect(line.calls['getMany']).toBe(loads)
  })

  it('waits for a slow store after the staleness bound, and fails with 503 if the store is unreachable', async () => {
    const { clock, line, writer, reader, version } = await pair()
    await writer.transit.rotateKey({ name: 'k' })
    let open: () => void = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    line.trouble = () => opened
    expect(await version()).toBe(1)
    await clock.advance(BOUND)
    let answered = false
    const waiting = version().finally(() => {
      answered = true
    })
    await turn()
    expect(answered).toBe(false)
    open()
    expect(await waiting).toBe(2)
    line.trouble = () => Promise.reject(new Error('unplugged'))
    expect(await version()).toBe(2)
    await clock.advance(BOUND)
    expect(await refusalOf(reader.transit.encrypt({ name: 'k', plaintext: utf8('x') }))).toMatchObject({ status: 503 })
    line.trouble = undefined
    expect(await version()).toBe(2)
  })

  it('loads no records again if the revision of the store is unchanged', async () => {
    const { clock, line, version } = await pair()
    await clock.advance(BOUND)
    await version()
    const { getMany } = line.calls
    await clock.advance(BOUND)
    await version()
    expect(line.calls['getMany']).toBe(getMany)
  })
})

describe('a kernel on a store that is not shared', () => {
  it('never checks the store for commits of other processes', async () => {
    const clock = fakeClock()
    const { caps, ...inner } = memoryStorage()
    const line = deaf({ ...inner, caps: { ...caps, shared: false } })
    const kernel = await openOn(line.storage, clock)
    await kernel.transit.createKey({ name: 'k' })
    await kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    const before = { ...line.calls }
    await clock.advance(3600_000)
    await kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    expect(line.calls).toEqual(before)
  })

  it('refuses an invalid staleness bound', async () => {
    const options = { storage: memoryStorage(), seal: keySeal(KEY) }
    for (const stalenessMs of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5' as never]) {
      await expect(createKernel({ ...options, cache: { stalenessMs } })).rejects.toThrow(TypeError)
    }
  })
})
