/**
 * A kernel with each real adapter and a loopback store that answers nonsense with status 200 and changes nothing. A secret may be SYNCED
 * only if it is stored.
 */
import { expect, it } from 'vitest'
import { createDevKernel } from '../../../src/index.ts'
import { ADAPTERS } from '../../fault/sync-stores.ts'
import { runs } from '../../fixtures/runs.ts'
import { SYNC_WORLDS } from '../../fixtures/sync/worlds.ts'

/** JSON bodies, and texts that are sent as they are. The soak tier tries all of them. */
const BODIES = [
  {},
  [],
  '<html>login</html>',
  '',
  'null',
  '"ok"',
  'true',
  '7',
  { id: 7, name: 7, ARN: 7, VersionId: 7, created_at: 7 },
  { id: '', name: '', ARN: '', VersionId: '', key: '', created: [] },
  { value: 'x', attributes: {}, tags: {} },
  { created: [{}], failed: [] },
  { envs: [{}] },
  { secret: {} },
].slice(0, runs({ quick: 6, soak: 20 }))

it.each(ADAPTERS.map(({ type }) => type))(
  'a sync with %s is reported as SYNCED only if the secret is stored, whatever the store answers',
  async (type) => {
    const { server, destination, config, stop } = await SYNC_WORLDS[type]()
    const kernel = await createDevKernel({ ports: { sync: { [type]: destination } } })
    const post = async (path: string, body: object): Promise<string> => {
      const headers = { 'X-Service-Token': kernel.rootToken ?? '' }
      return JSON.stringify(await kernel.handle({ method: 'POST', path: `/v1/${path}`, headers, body }))
    }
    const at = `sys/sync/destinations/${type}/d`
    await kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
    await post(at, { ...config, secret_name_template: '{{ .SecretPath }}', granularity: 'secret-path' })
    const set = (secret_name: string) => post(`${at}/associations/set`, { mount: 'kv', secret_name })
    const write = (path: string, n: number) => kernel.kv2.at('kv/').writeSecret({ path, data: { n } })
    const nameOf = (path: string) => destination.rules.normalizeName(path)

    const calls: string[] = []
    const seen = () => server.calls.map(({ name }) => name)
    await write('FIRST', 1)
    await set('FIRST')
    calls.push(...seen())
    server.forget()
    await write('FIRST', 2)
    for (let more = true; more; ) ({ more } = await kernel.tick())
    calls.push(...seen())
    expect(server.values().get(nameOf('FIRST'))).toBe('{"n":2}')

    let number = 0
    const untrue: unknown[] = []
    for (const call of new Set(calls))
      for (const body of BODIES) {
        const path = `S${++number}`
        const value = (n: number) => server.values().get(nameOf(path)) === `{"n":${n}}`
        await write(path, 1)
        server.answers(call, { status: 200, body }, 50)
        if ((await set(path)).includes('"SYNCED"') && !value(1)) untrue.push([call, body, 'new'])
        server.calm()
        if (!(await set(path)).includes('"SYNCED"')) continue
        server.answers(call, { status: 200, body }, 50)
        await write(path, 2)
        for (let more = true; more; ) ({ more } = await kernel.tick())
        const { associated_secrets } = (await kernel.sync.readAssociations({ type, name: 'd' })) as {
          readonly associated_secrets: Readonly<Record<string, { readonly secret_name: string; readonly sync_status: string }>>
        }
        const row = Object.values(associated_secrets).find(({ secret_name }) => secret_name === path)
        if (row?.sync_status === 'SYNCED' && !value(2)) untrue.push([call, body, 'changed'])
        server.calm()
      }
    expect(untrue).toEqual([])
    await kernel.close()
    await stop()
  },
)
