import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { refusalOf, utf8 } from '../../../property/support.ts'
import { openOn } from './support.ts'

const DAY = 86_400_000

describe('a moved mount', () => {
  it('keeps its records, keys, accessor and tuning', async () => {
    await using kernel = await openOn(memoryStorage({ maxOps: 128 }))
    await kernel.mounts.tuneMount({ path: 'transit', default_lease_ttl: 77 })
    const before = await kernel.mounts.readMount({ path: 'transit' })
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: utf8('moved') })
    await kernel.mounts.moveMount({ from: 'transit', to: 'far/away/' })
    const { plaintext } = await kernel.transit.at('far/away').decrypt({ name: 'k', ciphertext })
    expect(plaintext).toEqual(utf8('moved'))
    expect(await kernel.mounts.readMount({ path: 'far/away' })).toEqual(before)
    expect((await refusalOf(kernel.transit.decrypt({ name: 'k', ciphertext }))).status).toBe(404)
    await kernel.mounts.createMount({ path: 'transit', type: 'transit' })
    expect((await refusalOf(kernel.transit.decrypt({ name: 'k', ciphertext }))).status).toBe(400)
  })

  it('can be moved again, but not to its own path or a path above or below', async () => {
    await using kernel = await openOn(memoryStorage())
    const { mounts } = kernel
    await kernel.kv.writeSecret({ path: 'x', data: { v: 1 } })
    await mounts.moveMount({ from: 'secret', to: 'a/b' })
    for (const to of ['a', 'a/b', 'a/b/c']) expect((await refusalOf(mounts.moveMount({ from: 'a/b', to }))).status).toBe(400)
    await mounts.moveMount({ from: 'a/b', to: 'c' })
    await mounts.moveMount({ from: 'c', to: 'secret' })
    expect((await kernel.kv.readSecret({ path: 'x' })).data).toEqual({ v: 1 })
    expect(Object.keys((await mounts.listMounts()).mounts)).toEqual([
      'cloud/',
      'cubbyhole/',
      'database/',
      'identity/',
      'secret/',
      'sys/',
      'transit/',
    ])
  })

  it('leaves a record of the move, which its namespace can read for one day', async () => {
    const clock = fakeClock()
    const storage = memoryStorage()
    await using kernel = await openOn(storage, { clock })
    await kernel.namespaces.createNamespace({ name: 'team' })
    const { migration_id, warnings } = (await kernel.mounts.moveMount({ from: 'secret', to: 'moved' })) as {
      readonly migration_id: string
      readonly warnings?: readonly string[]
    }
    expect(warnings).toHaveLength(1)
    const info = { source_mount: 'secret/', target_mount: 'moved/', status: 'success' }
    expect(await kernel.mounts.readMove({ migration_id })).toEqual({ migration_id, migration_info: info })
    expect((await refusalOf(kernel.namespace('team/').mounts.readMove({ migration_id }))).status).toBe(404)
    await clock.advance(DAY - 1)
    await kernel.tick()
    expect((await kernel.mounts.readMove({ migration_id })).migration_info).toEqual(info)
    await clock.advance(1)
    expect((await kernel.tick()).failed).toEqual([])
    expect((await refusalOf(kernel.mounts.readMove({ migration_id }))).status).toBe(404)
    expect((await storage.list('')).filter((key) => key.includes(migration_id))).toEqual([])
  })
})
