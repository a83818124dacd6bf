/** A kernel whose storage watch is delayed, so that its caches lack changes that another kernel made to mounts. */
import { describe, expect, it } from 'vitest'
import { type Change, memoryStorage, type Storage } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { keysOf, openOn } from './support.ts'

/** Delays watch notifications until `hear` is called. */
function deaf(inner: Storage): { readonly storage: Storage; catchUp(): void } {
  const pending: (() => void)[] = []
  const watch: Storage['watch'] = (prefix, from, onChange) =>
    inner.watch(prefix, from, (change: Change) => pending.push(() => onChange(change)))
  return {
    storage: { ...inner, watch },
    catchUp: () => {
      for (const notify of pending.splice(0)) notify()
    },
  }
}

describe('a kernel whose storage watch is delayed', () => {
  it('does not prevent the purge of a mount that another kernel removed', async () => {
    const inner = memoryStorage({ maxOps: 128 })
    const clock = fakeClock()
    await using here = await openOn(inner, { clock })
    const { storage, catchUp } = deaf(inner)
    for (const path of ['secret', 'transit']) {
      const { uuid } = await here.mounts.readMount({ path })
      await here.kv.writeSecret({ path: 'x', data: { v: 1 } }).catch(() => {})
      await here.transit.createKey({ name: 'k' })
      await using late = await openOn(storage, { clock })
      await here.mounts.deleteMount({ path })
      expect((await late.tick()).failed).toEqual([])
      catchUp()
      await late.tick()
      await clock.advance(31_000)
      await here.tick()
      expect(await keysOf(inner, uuid)).toEqual([])
    }
  })

  it('does not prevent due work of a mount that another kernel created', async () => {
    const inner = memoryStorage({ maxOps: 128 })
    const clock = fakeClock()
    await using here = await openOn(inner, { clock })
    const { storage, catchUp } = deaf(inner)
    await using late = await openOn(storage, { clock })
    await here.mounts.createMount({ path: 'new', type: 'transit' })
    await here.transit.at('new').createKey({ name: 'k', auto_rotate_period: '1h' })
    await clock.advance(3_600_000)
    await late.tick()
    catchUp()
    await clock.advance(31_000)
    await late.tick()
    await here.tick()
    expect((await here.transit.at('new').readKey({ name: 'k' })).latest_version).toBe(2)
  })

  it('creates, tunes and removes mounts as the store requires, even if its cache is stale', async () => {
    const inner = memoryStorage({ maxOps: 128 })
    await using here = await openOn(inner)
    const { storage } = deaf(inner)
    await using late = await openOn(storage)
    await here.mounts.createMount({ path: 'a', type: 'kv' })
    await expect(late.mounts.createMount({ path: 'a/b', type: 'kv' })).rejects.toMatchObject({ status: 400 })
    await late.mounts.tuneMount({ path: 'a', description: 'tuned' })
    await here.mounts.moveMount({ from: 'a', to: 'b' })
    await here.mounts.createMount({ path: 'a', type: 'kv', description: 'new' })
    await expect(late.mounts.createMount({ path: 'b', type: 'kv' })).rejects.toMatchObject({ status: 400 })
    await late.mounts.deleteMount({ path: 'a' })
    const { mounts } = await here.mounts.listMounts()
    expect(mounts['b/']?.description).toBe('tuned')
    expect(mounts).not.toHaveProperty(['a/'])
    await late.mounts.createMount({ path: 'a', type: 'kv' })
    await late.mounts.deleteMount({ path: 'b' })
    await here.mounts.createMount({ path: 'b', type: 'kv' })
  })
})
