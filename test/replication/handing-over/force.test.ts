/** The messages of a promotion about missing records. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Kernel, KernelOptions } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { enable, follow, KINDS, type KindOfSet, sideOf, ticked, until, World } from './world.ts'

type ReplicationOptions = NonNullable<KernelOptions['replication']>
type SyncAcknowledgement = Exclude<NonNullable<ReplicationOptions['ack']>, 'local'>

const world = new World()

afterEach(async () => {
  world.cut.clear()
  world.left.clear()
  await world.close()
})

const clock = fakeClock()

/** A secondary that knows of three records which it did not receive. */
async function laggingPair(kind: KindOfSet): Promise<readonly [Kernel, Kernel]> {
  const primary = await world.open('a', { clock })
  await enable(primary, kind)
  const secondary = await world.open('b', { clock })
  await follow(secondary, primary, kind, 'b')
  await ticked(secondary)
  for (const path of ['x', 'y', 'z']) await primary.kv.writeSecret({ path, data: { a: 1 } })
  // Allow the greeting only, which is due after 5 seconds.
  await clock.advance(5000)
  world.left.set('b', 1)
  expect((await secondary.tick()).failed).toHaveLength(1)
  return [primary, secondary]
}

const PATH = '/v1/sys/replication/performance/secondary/promote'

describe.each(KINDS)('promotion of a secondary that lacks records (%s)', (kind) => {
  it('without force fails with an error that contains the number of missing records', async () => {
    const [, secondary] = await laggingPair(kind)
    await expect(sideOf(secondary, kind).promote()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining(
        '3 records that the primary had are missing here (the primary acknowledged 3 of these 3): wait until it has, or use force',
      ),
    })
  })

  it('by force returns a warning that contains the number of missing records', async () => {
    const [, secondary] = await laggingPair(kind)
    await clock.advance(7000)
    const { warnings = [] } = await sideOf(secondary, kind).promote({ force: true })
    expect(warnings.join('\n')).toContain(
      'forced: the set loses all records that only the former primary had; 3 records that the primary had are missing here (the primary acknowledged 3 of these 3), and everything that the primary wrote in the 7 seconds since its last message is lost',
    )
  })

  it('reports the number of missing records even after the kernel was sealed and unsealed', async () => {
    const [, secondary] = await laggingPair(kind)
    await secondary.seal.seal()
    await secondary.seal.unseal({})
    await clock.advance(7000)
    await expect(sideOf(secondary, kind).promote()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('3 records that the primary had are missing here'),
    })
    const { warnings = [] } = await sideOf(secondary, kind).promote({ force: true })
    expect(warnings.join('\n')).toContain('3 records that the primary had are missing here')
    expect(warnings.join('\n')).toMatch(/in the [78] seconds since its last message/)
  })

  it('by force returns a warning that the number is unknown if the primary was never reached', async () => {
    const primary = await world.open('a', { clock })
    await enable(primary, kind)
    const secondary = await world.open('b', { clock })
    const { wrap_info } = await sideOf(primary, kind).createSecondaryToken({ id: 'b' })
    await sideOf(secondary, kind).enableSecondary({ token: wrap_info?.token ?? '' })
    world.cut.add('b')
    const { warnings = [] } = await sideOf(secondary, kind).promote({ force: true })
    expect(warnings.join('\n')).toContain('it is not known how many records are missing here')
    expect(warnings.join('\n')).toContain('since this kernel was started')
  })
})

describe.each(KINDS)('promotion of a secondary that lacks acknowledged records (%s)', (kind) => {
  it.each<[string, SyncAcknowledgement['sync']]>([
    ['by number', 1],
    ['by name', ['c']],
  ])(
    'is refused, and the error counts the missing records that other secondaries acknowledged (the primary chooses secondaries %s)',
    async (_, sync) => {
      const primary = await world.open('a', { clock, replication: { ack: { sync, timeoutMs: 60_000 } } })
      await enable(primary, kind)
      const [missing, holding] = [await world.open('b', { clock }), await world.open('c', { clock })]
      await follow(missing, primary, kind, 'b')
      await follow(holding, primary, kind, 'c')
      await ticked(missing)
      for (const path of ['x', 'y']) await acknowledged(primary.kv.writeSecret({ path, data: { a: 1 } }), holding)
      const alone = primary.kv.writeSecret({ path: 'z', data: { a: 1 } }).catch((error: unknown) => error)
      // Allow the greeting only, which is due after 5 seconds.
      await clock.advance(5000)
      world.left.set('b', 1)
      expect((await missing.tick()).failed).toHaveLength(1)
      await expect(sideOf(missing, kind).promote()).rejects.toMatchObject({
        status: 503,
        message: expect.stringContaining(
          '3 records that the primary had are missing here (the primary acknowledged 2 of these 3)',
        ),
      })
      await clock.advance(60_000)
      expect(await alone).toMatchObject({ code: 'ERR_NOT_ACKNOWLEDGED' })
    },
  )
})

/** Ticks the secondary until a write is acknowledged. */
async function acknowledged<T>(write: Promise<T>, by: Kernel): Promise<T> {
  let isOver = false
  const over = write.finally(() => {
    isOver = true
  })
  await until(async () => {
    if (!isOver) await by.tick()
    return isOver
  })
  return over
}

it('a forced promotion by path returns the warning with the number of missing records', async () => {
  const [, secondary] = await laggingPair('performance')
  // The root token of the primary is not valid here.
  const { client_token } = await secondary.tokens.createToken({ policies: ['root'] })
  const headers = { 'X-Service-Token': client_token }
  const answer = await secondary.handle({ method: 'POST', path: PATH, headers, body: { force: true } })
  expect(answer).toMatchObject({
    status: 200,
    body: { warnings: expect.arrayContaining([expect.stringContaining('3 records that the primary had')]) },
  })
})
