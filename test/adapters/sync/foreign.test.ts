/** A kernel with each real adapter and a loopback store in which another owner has the name. */
import { expect, it } from 'vitest'
import { createDevKernel } from '../../../src/index.ts'
import { ADAPTERS } from '../../fault/sync-stores.ts'
import { SYNC_WORLDS } from '../../fixtures/sync/worlds.ts'

const live = (): AbortSignal => new AbortController().signal

it.each(ADAPTERS.map(({ type }) => type))(
  'a sync with %s leaves a secret of another owner unchanged until it is adopted',
  async (type) => {
    const { server, destination, config, stop } = await SYNC_WORLDS[type]()
    const kernel = await createDevKernel({ ports: { sync: { [type]: destination } } })
    const post = async (path: string, body: object): Promise<string> => {
      const headers = { 'X-Service-Token': kernel.rootToken ?? '' }
      return JSON.stringify(await kernel.handle({ method: 'POST', path: `/v1/${path}`, headers, body }))
    }
    const at = `sys/sync/destinations/${type}/d`
    const secret = { mount: 'kv', secret_name: 'APP' }
    const name = destination.rules.normalizeName('APP')
    await kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    await kernel.kv2.at('kv/').writeSecret({ path: 'APP', data: { n: 1 } })
    await post(at, { ...config, secret_name_template: '{{ .SecretPath }}', granularity: 'secret-path' })
    const otherSession = destination.open(config)
    await otherSession.put({ name, value: 'theirs', tags: {}, removeTags: [], opId: 'a'.repeat(32), mode: 'create' }, live())
    for (const act of ['set', 'remove', 'set'])
      expect([act, await post(`${at}/associations/${act}`, secret)]).toEqual([
        act,
        expect.stringContaining(act === 'set' ? 'not_owned' : 'UNSYNCED'),
      ])
    expect([...server.values()]).toEqual([[name, 'theirs']])
    expect(await post(`${at}/associations/set`, { ...secret, adopt: true })).toContain('"SYNCED"')
    expect([...server.values()]).toEqual([[name, '{"n":1}']])
    await kernel.kv2.at('kv/').writeSecret({ path: 'APP', data: { n: 2 } })
    for (let more = true; more; ) ({ more } = await kernel.tick())
    expect(await post(`${at}/associations/set`, secret)).toContain('"SYNCED"')
    expect([...server.values()]).toEqual([[name, '{"n":2}']])
    await post(`${at}/associations/remove`, secret)
    expect(server.values().size).toBe(0)
    await otherSession.close()
    await kernel.close()
    await stop()
  },
)
