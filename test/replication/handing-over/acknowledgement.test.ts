/** A write is answered when as many secondaries as the options ask for have stored it. */
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { enable, follow, KINDS, sideOf, ticked, World } from './world.ts'

const world = new World()

afterEach(async () => {
  world.cut.clear()
  await world.close()
})

const secret = (path: string) => ({ path, data: { of: path } })

describe.each(KINDS)('acknowledgement by secondaries (%s)', (kind) => {
  it('answers a write when a secondary has stored it, and no earlier', async () => {
    const primary = await world.open('a', { replication: { ack: { sync: 1, timeout: 20_000 } } })
    await enable(primary, kind)
    const secondary = await world.open('b')
    await follow(secondary, primary, kind, 'b')
    let answered = false
    const write = primary.kv.writeSecret(secret('one')).then(() => {
      answered = true
    })
    // Stored, and to be read here, before anybody else has it.
    await expect.poll(() => primary.kv.readSecret({ path: 'one' }).catch(() => undefined)).toBeDefined()
    await primary.tick()
    expect(answered).toBe(false)
    await ticked(secondary)
    await write
    const { last_remote_wal: held } = await sideOf(secondary, kind).readStatus()
    const { last_wal: newest } = await sideOf(primary, kind).readStatus()
    expect(held).toBeGreaterThanOrEqual(newest ?? Number.POSITIVE_INFINITY)
  })

  it('says that a write is stored, and not acknowledged in time', async () => {
    const primary = await world.open('a', { replication: { ack: { sync: 1, timeout: 30 } } })
    await enable(primary, kind)
    await follow(await world.open('b'), primary, kind, 'b')
    world.cut.add('b')
    await expect(primary.kv.writeSecret(secret('one'))).rejects.toMatchObject({
      code: 'ERR_NOT_ACKNOWLEDGED',
      status: 503,
      committed: true,
      details: { acknowledged: 0, wanted: 1 },
    })
    expect((await primary.kv.readSecret({ path: 'one' })).data).toEqual({ of: 'one' })
  })
})
