/** A write is answered when the configured number of secondaries has stored it. */
import { afterEach, describe, expect, it } from 'vitest'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { enable, follow, KINDS, type KindOfSet, sideOf, ticked, until, World } from './world.ts'

const world = new World()

afterEach(async () => {
  world.cut.clear()
  await world.close()
})

const secret = (path: string) => ({ path, data: { of: path } })

/** The fake clock advances only by `advance`, so a write waits until the secondaries have acknowledged it. */
const TIMEOUT_MS = 4000

interface Waiting {
  readonly primary: Kernel
  readonly clock: FakeClock
}

async function primaryOf(kinds: readonly KindOfSet[], sync: number | readonly string[], name = 'a'): Promise<Waiting> {
  const clock = fakeClock()
  const primary = await world.open(name, { clock, replication: { ack: { sync, timeoutMs: TIMEOUT_MS } } })
  for (const kind of kinds) await enable(primary, kind)
  return { primary, clock }
}

async function secondaryOf({ primary }: Waiting, kind: KindOfSet, id: string): Promise<Kernel> {
  const secondary = await world.open(id)
  await follow(secondary, primary, kind, id)
  return secondary
}

/** The outcome of a write that no secondary acknowledges. */
async function givenUp(write: Promise<unknown>, { clock }: Waiting): Promise<unknown> {
  const outcome = write.then(
    () => 'answered',
    (error: unknown) => error,
  )
  await clock.advance(TIMEOUT_MS)
  return outcome
}

const stored = (kernel: Kernel, path: string): Promise<void> => isFound(() => kernel.kv.readSecret({ path }))

const isFound = (read: () => Promise<unknown>): Promise<void> =>
  until(() =>
    read().then(
      () => true,
      () => false,
    ),
  )

const notAcknowledged = (acknowledged: number, wanted: number) =>
  expect.objectContaining({
    code: 'ERR_NOT_ACKNOWLEDGED',
    status: 503,
    committed: true,
    details: { committed: true, acknowledged, wanted },
  })

describe.each(KINDS)('acknowledgement of writes by secondaries (%s)', (kind) => {
  it('delays the answer to a write until a secondary has stored it', async () => {
    const waiting = await primaryOf([kind], 1)
    const { primary, clock } = waiting
    const secondary = await secondaryOf(waiting, kind, 'b')
    let answered = false
    const write = primary.kv.writeSecret(secret('one')).then(() => {
      answered = true
    })
    // The write is stored and can be read before a secondary has it.
    await stored(primary, 'one')
    await clock.advance(TIMEOUT_MS - 1)
    expect(answered).toBe(false)
    await ticked(secondary)
    await write
    const { last_remote_wal: held } = await sideOf(secondary, kind).readStatus()
    const { last_wal: newest } = await sideOf(primary, kind).readStatus()
    expect(held).toBeGreaterThanOrEqual(newest ?? Number.POSITIVE_INFINITY)
  })

  it('fails a write at the timeout with an error that says that the write is stored', async () => {
    const waiting = await primaryOf([kind], 1)
    await secondaryOf(waiting, kind, 'b')
    expect(await givenUp(waiting.primary.kv.writeSecret(secret('one')), waiting)).toEqual(notAcknowledged(0, 1))
    expect((await waiting.primary.kv.readSecret({ path: 'one' })).data).toEqual({ of: 'one' })
    const headers = { 'X-Service-Token': waiting.primary.rootToken as string }
    const answer = waiting.primary.handle({ method: 'POST', path: '/v1/secret/two', headers, body: { a: 1 } })
    await stored(waiting.primary, 'two')
    await waiting.clock.advance(TIMEOUT_MS)
    expect(await answer).toMatchObject({ status: 503, body: { errors: [expect.stringContaining('stored on this cluster')] } })
  })

  it('needs no ticks if the secondary follows in the background', async () => {
    const waiting = await primaryOf([kind], 1)
    const secondary = await secondaryOf(waiting, kind, 'b')
    const stop = secondary.start()
    for (let n = 0; n < 20; n++) await waiting.primary.kv.writeSecret(secret(`n${n}`))
    stop()
  })

  it('is awaited from all named secondaries, and from no others', async () => {
    const waiting = await primaryOf([kind], ['b', 'c'])
    const [b, c] = [await secondaryOf(waiting, kind, 'b'), await secondaryOf(waiting, kind, 'c')]
    await secondaryOf(waiting, kind, 'd')
    const write = waiting.primary.kv.writeSecret(secret('all'))
    for (const secondary of [b, c]) await ticked(secondary)
    await write
    const other = waiting.primary.kv.writeSecret(secret('without c'))
    await stored(waiting.primary, 'without c')
    await ticked(b)
    expect(await givenUp(other, waiting)).toEqual(notAcknowledged(1, 2))
  })

  it('is not accepted from a revoked secondary', async () => {
    const waiting = await primaryOf([kind], 1)
    const secondary = await secondaryOf(waiting, kind, 'b')
    const write = waiting.primary.kv.writeSecret(secret('one'))
    await stored(waiting.primary, 'one')
    await ticked(secondary)
    await write
    const next = waiting.primary.kv.writeSecret(secret('two'))
    await stored(waiting.primary, 'two')
    await sideOf(waiting.primary, kind).revokeSecondary({ id: 'b' })
    await secondary.tick()
    expect(await givenUp(next, waiting)).toEqual(notAcknowledged(0, 1))
  })

  it('fails a waiting write when the kernel closes or is sealed', async () => {
    for (const end of ['close', 'seal'] as const) {
      const { primary } = await primaryOf([kind], 1, `a-${end}`)
      const write = primary.kv.writeSecret(secret('one'))
      const refused = expect(write).rejects.toMatchObject({ code: 'ERR_NOT_ACKNOWLEDGED' })
      await stored(primary, 'one')
      await (end === 'close' ? primary.close() : primary.seal.seal())
      await refused
    }
  })

  it('is received by the kernel that waits for it, even if the secondary reports to another kernel of the primary', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const replication = { ack: { sync: 1, timeoutMs: 600_000 } } as const
    const first = await world.open('a', { storage, replication })
    await enable(first, kind)
    const secondary = await world.open('b')
    await follow(secondary, first, kind, 'b')
    const second = await world.open('a', { storage, replication })
    await second.tick()
    secondary.start()
    // The secondary connects to one of the kernels.
    for (const [at, kernel] of [first, second, first, second].entries()) await kernel.kv.writeSecret(secret(`n${at}`))
  })

  it('does not delay other writes while one waits', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const clock = fakeClock()
    const primary = await world.open('a', { storage, clock, replication: { ack: { sync: 1, timeoutMs: TIMEOUT_MS } } })
    await enable(primary, kind)
    const secondary = await world.open('b')
    await follow(secondary, primary, kind, 'b')
    const names = Array.from({ length: 12 }, (_, n) => `n${n}`)
    const writes = names.map((path) => primary.kv.writeSecret(secret(path)))
    for (const name of names) await stored(primary, name)
    // The kernel does not know when the application's transaction commits.
    const transaction = storage.begin()
    await primary.kv.writeSecret(secret('joined'), { transaction: transaction })
    await transaction.commit()
    await ticked(secondary)
    await Promise.all(writes)
  })

  it('is not awaited for background work', async () => {
    const waiting = await primaryOf([kind], 1)
    const secondary = await secondaryOf(waiting, kind, 'b')
    const made = waiting.primary.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    await isFound(() => waiting.primary.transit.readKey({ name: 'k' }))
    await ticked(secondary)
    await made
    await waiting.clock.advance(3_700_000)
    expect((await waiting.primary.tick()).failed).toEqual([])
    expect((await waiting.primary.transit.readKey({ name: 'k' })).latest_version).toBe(2)
  })
})

describe('an acknowledgement', () => {
  it('is accepted only from DR secondaries if the record is local', async () => {
    const waiting = await primaryOf(['performance', 'dr'], 1)
    const { primary } = waiting
    await secondaryOf(waiting, 'performance', 'b')
    // Performance secondaries do not receive tokens, so no acknowledgement is needed.
    await primary.tokens.createToken({ policies: ['p'] })
    const mirror = await secondaryOf(waiting, 'dr', 'c')
    expect(await givenUp(primary.tokens.createToken({ policies: ['p'] }), waiting)).toEqual(notAcknowledged(0, 1))
    const { last_wal: before = 0 } = await primary.replication.dr.readStatus()
    const token = primary.tokens.createToken({ policies: ['p'] })
    await until(async () => ((await primary.replication.dr.readStatus()).last_wal ?? 0) > before)
    await ticked(mirror)
    await token
  })

  it('is accepted from performance and DR secondaries if the record is replicated', async () => {
    const waiting = await primaryOf(['performance', 'dr'], 2)
    const secondaries = [await secondaryOf(waiting, 'performance', 'b'), await secondaryOf(waiting, 'dr', 'c')]
    const write = waiting.primary.kv.writeSecret(secret('one'))
    await stored(waiting.primary, 'one')
    for (const secondary of secondaries) await ticked(secondary)
    await write
  })

  it.each([[1], [['b']]])(
    'is accepted from a secondary with a path filter only if the secondary is named (sync: %j)',
    async (sync) => {
      const waiting = await primaryOf(['performance'], sync)
      const { primary } = waiting
      const { wrap_info } = await primary.replication.createSecondaryToken({ id: 'b' })
      const mount = primary.mounts.createMount({ path: 'elsewhere', type: 'kv' })
      await givenUp(mount, waiting)
      await givenUp(primary.replication.writePathsFilter({ id: 'b', mode: 'deny', paths: ['elsewhere'] }), waiting)
      const secondary = await world.open('b')
      await secondary.replication.enableSecondary({ token: wrap_info?.token ?? '' })
      await ticked(secondary)
      const write = primary.kv.writeSecret(secret('one'))
      await stored(primary, 'one')
      await ticked(secondary)
      if (sync === 1) expect(await givenUp(write, waiting)).toEqual(notAcknowledged(0, 1))
      else await write
    },
  )

  it('is accepted from the secondary that forwarded the write', async () => {
    const { primary } = await primaryOf(['performance'], 1)
    const { wrap_info } = await primary.replication.createSecondaryToken({ id: 'b', forward: 'app' })
    const secondary = await world.open('b')
    await secondary.replication.enableSecondary({ token: wrap_info?.token ?? '' })
    await ticked(secondary)
    // It follows during the wait, without a tick.
    await secondary.kv.writeSecret(secret('forwarded'))
    expect((await primary.kv.readSecret({ path: 'forwarded' })).data).toEqual({ of: 'forwarded' })
  })

  it('is not awaited while the cluster is not a primary', async () => {
    const { primary } = await primaryOf([], 1)
    await primary.kv.writeSecret(secret('alone'))
  })

  it('is not accepted from a secondary with other records at the same index', async () => {
    const waiting = await primaryOf(['performance'], 1)
    const { primary } = waiting
    const secondary = await secondaryOf(waiting, 'performance', 'b')
    await secondary.replication.promote({ force: true })
    for (let n = 0; n < 5; n++) await secondary.kv.writeSecret(secret(`n${n}`))
    // The former primary starts a new epoch, and has fewer records than the other cluster wrote.
    await primary.replication.demotePrimary()
    await primary.replication.promote({ force: true }).catch(() => {})
    const { wrap_info } = await primary.replication.createSecondaryToken({ id: 'again' })
    await secondary.replication.demotePrimary()
    const write = primary.kv.writeSecret(secret('mine'))
    await stored(primary, 'mine')
    await secondary.replication.updatePrimary({ token: wrap_info?.token ?? '' })
    await ticked(secondary)
    await write
    expect((await secondary.kv.readSecret({ path: 'mine' })).data).toEqual({ of: 'mine' })
  })
})

describe('the option `replication` of a kernel', () => {
  it.each([
    [{ ack: 'sync' }, 'replication.ack must be'],
    [{ ack: null }, 'replication.ack must be'],
    [{ ack: {} }, 'replication.ack.sync'],
    [{ ack: { sync: 0 } }, 'replication.ack.sync'],
    [{ ack: { sync: 1.5 } }, 'replication.ack.sync'],
    [{ ack: { sync: 65 } }, 'replication.ack.sync'],
    [{ ack: { sync: [] } }, 'replication.ack.sync'],
    [{ ack: { sync: ['a', 'a'] } }, 'replication.ack.sync'],
    [{ ack: { sync: [''] } }, 'replication.ack.sync'],
    [{ ack: { sync: [1] } }, 'replication.ack.sync'],
    [{ ack: { sync: 1, timeoutMs: 0 } }, 'replication.ack.timeoutMs'],
    [{ ack: { sync: 1, timeoutMs: Number.POSITIVE_INFINITY } }, 'replication.ack.timeoutMs'],
    [{ ack: { sync: 1, more: true } }, 'replication.ack.more'],
    [{ promotion: 'always' }, 'replication.promotion'],
    [{ promotion: null }, 'replication.promotion'],
    [{ fence: null }, 'replication.fence has no method read'],
    [{ fence: { read: async () => undefined } }, 'replication.fence has no method swap'],
    [{ fences: {} }, 'unknown option replication.fences'],
  ])('with the value %j is refused with an error that names the invalid member', async (replication, message) => {
    const options = {
      storage: memoryStorage(),
      seal: keySeal(new Uint8Array(32)),
      ports: { replication: inProcessNetwork() },
      replication,
    }
    // @ts-expect-error: the types do not allow these options
    await expect(createKernel(options)).rejects.toThrow(message)
  })
})
