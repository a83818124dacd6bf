/** Source: reference, sections 5.5 and 5.6. */
import { describe, expect, it } from 'vitest'
import type { KernelEvent } from '../../../src/index.ts'
import { fakeSyncDestination } from '../../../src/testing/index.ts'
import { openWorld } from './world.ts'

const updatedAt = async ({ kernel }: Awaited<ReturnType<typeof openWorld>>) =>
  Object.values((await kernel.sync.readAssociations({ type: 'cloud-a-sm', name: 'aws' })).associated_secrets)[0]?.updated_at

describe('a push that fails', () => {
  it.each([
    ['fails', 'EXTERNAL_SERVICE_ERROR'],
    ['throttles', 'EXTERNAL_SERVICE_ERROR'],
    ['conflict', 'EXTERNAL_SERVICE_ERROR'],
    ['drops', 'EXTERNAL_SERVICE_ERROR'],
    ['refuses', 'CLIENT_SIDE_ERROR'],
  ] as const)('because the store reports "%s" has the status %s', async (manner, status) => {
    const { kernel, write, set, store } = await openWorld()
    await write('a', { n: 1 })
    store.trouble({ manner })
    expect(await set('a')).toEqual({ a: status })
    await kernel.close()
  })

  it('because of an internal error has the status INTERNAL_ERROR, or INTERNAL_VAULT_ERROR with the naming of Vault', async () => {
    const store = fakeSyncDestination()
    const broken = { ...store, open: () => ({}) as never }
    for (const [prefix, status] of [
      ['strongroom', 'INTERNAL_ERROR'],
      ['vault', 'INTERNAL_VAULT_ERROR'],
    ] as const) {
      const { kernel, write, set } = await openWorld({ naming: { ciphertextPrefix: prefix } }, { store: broken })
      await write('a', { n: 1 })
      expect(await set('a')).toEqual({ a: status })
      await kernel.close()
    }
  })

  it('is repeated after growing delays until it succeeds', async () => {
    const world = await openWorld()
    const { kernel, write, set, store, pass, standing, clock } = world
    await write('a', { n: 1 })
    store.trouble({ call: 'put', manner: 'fails', times: 12 })
    await set('a')
    const tried: number[] = []
    for (let at = 0; at < 3_000; at++) {
      const before = store.calls.length
      await pass(1000)
      for (const { call } of store.calls.slice(before)) if (call === 'put') tried.push(clock.now())
    }
    expect(tried.length).toBe(12)
    const gaps = tried.map((at, index) => at - (tried[index - 1] ?? at)).slice(1)
    // Full jitter: up to 2^n seconds, at most 5 minutes, plus the delay of a tick.
    for (const [index, gap] of gaps.entries()) expect(gap).toBeLessThanOrEqual(Math.min(2 ** (index + 1), 300) * 1000 + 2000)
    expect(await standing()).toEqual({ a: 'SYNCED' })
    await kernel.close()
  })

  it('is repeated after the delay that the store requested', async () => {
    const { kernel, write, set, store, pass } = await openWorld()
    await write('a', { n: 1 })
    store.trouble({ manner: 'throttles', retryAfterMs: 90_000 })
    await set('a')
    await pass(1000, 80)
    expect(store.calls.length).toBe(1)
    await pass(11_000)
    expect(store.values.size).toBe(1)
    await kernel.close()
  })

  it('because the store refused it is repeated only after a change of the secret or destination, or a set request', async () => {
    const { kernel, write, set, store, pass, settle, standing } = await openWorld()
    await write('a', { n: 1 })
    store.trouble({ manner: 'refuses', times: 3 })
    await set('a')
    await pass(600_000, 5)
    expect(store.calls.length).toBe(1)
    await write('a', { n: 2 })
    await settle()
    expect(store.calls.length).toBe(2)
    await kernel.sync.writeCloudASm({ name: 'aws', secret_access_key: 'CREDENTIAL-other' })
    await settle()
    expect(store.calls.length).toBe(3)
    expect(await standing()).toEqual({ a: 'CLIENT_SIDE_ERROR' })
    expect(await set('a')).toEqual({ a: 'SYNCED' })
    await kernel.close()
  })

  it('because it timed out has the status EXTERNAL_SERVICE_ERROR and is repeated', async () => {
    const { kernel, write, set, store, clock, standing, pass } = await openWorld()
    await write('a', { n: 1 })
    store.trouble({ manner: 'deaf' })
    const pending = set('a')
    for (let second = 0; second < 31; second++) await clock.advance(1000)
    expect(await pending).toEqual({ a: 'EXTERNAL_SERVICE_ERROR' })
    await pass(5000)
    expect(await standing()).toEqual({ a: 'SYNCED' })
    await kernel.close()
  })

  it('does not change updated_at unless its status changes', async () => {
    const world = await openWorld()
    const { write, set, store, pass, kernel } = world
    await write('a', { n: 1 })
    store.trouble({ manner: 'fails', times: 5 })
    await set('a')
    const first = await updatedAt(world)
    await pass(2000)
    expect(store.calls.length).toBeGreaterThan(1)
    expect(await updatedAt(world)).toBe(first)
    await pass(400_000, 5)
    expect(await updatedAt(world)).not.toBe(first)
    await kernel.close()
  })
})

describe('a destination of secret sync', () => {
  it('pushes all its secrets again after a change of its region or tags, and removes obsolete tags', async () => {
    const { kernel, write, set, store, settle } = await openWorld()
    for (const path of ['a', 'b']) {
      await write(path, { n: 1 })
      await set(path)
    }
    await kernel.sync.writeCloudASm({ name: 'aws', custom_tags: { team: 'x', old: 'y' } })
    await settle()
    expect(store.tags.get('p/a')).toEqual({ team: 'x', old: 'y', 'strongroom:sync': expect.stringMatching(/^[0-9a-f]{32}$/) })
    await kernel.sync.writeCloudASm({ name: 'aws', custom_tags: { team: 'z' } })
    await settle()
    expect(store.tags.get('p/b')).toEqual({ team: 'z', 'strongroom:sync': expect.stringMatching(/^[0-9a-f]{32}$/) })
    const before = store.calls.length
    await kernel.sync.writeCloudASm({ name: 'aws', secret_access_key: 'CREDENTIAL-new' })
    await settle()
    expect(store.calls.length).toBe(before)
    await kernel.close()
  })

  it('keeps the external names of its secrets after a template change until the next set request', async () => {
    const { kernel, write, set, store, settle } = await openWorld()
    await write('a', { n: 1 })
    await set('a')
    await kernel.sync.writeCloudASm({ name: 'aws', secret_name_template: 'q/{{ .SecretPath }}' })
    await write('a', { n: 2 })
    await settle()
    expect(Object.fromEntries(store.values)).toEqual({ 'p/a': '{"n":2}' })
    await set('a')
    expect(Object.fromEntries(store.values)).toEqual({ 'q/a': '{"n":2}' })
    await kernel.sync.writeCloudASm({
      name: 'aws',
      granularity: 'secret-key',
      secret_name_template: '{{ .SecretPath }}-{{ .SecretKey }}',
    })
    expect(await set('a')).toEqual({ 'a:n': 'SYNCED' })
    expect(Object.fromEntries(store.values)).toEqual({ 'a-n': '2' })
    await kernel.close()
  })

  it('is listed for each of its secrets with the sync status of that secret', async () => {
    const { kernel, write, set } = await openWorld()
    await write('app/x', { k: 'v' })
    await set('app/x')
    await set('app/x', 'github')
    const { associated_destinations } = await kernel.sync.readSecretDestinations({ mount: 'kv/', secret_name: 'app/x' })
    expect(Object.keys(associated_destinations)).toEqual(['cloud-a-sm/aws', 'repohost/github'])
    expect(associated_destinations['repohost/github']).toMatchObject({ type: 'repohost', name: 'github', sync_status: 'SYNCED' })
    expect(await kernel.sync.listAssociations()).toEqual({
      keys: ['kv/app/x'],
      key_info: { 'kv/app/x': [{ mount: 'kv/', secret_path: 'app/x' }] },
      total_associations: 2,
      total_secrets: 1,
    })
    await kernel.close()
  })
})

it('each change of a sync status to synced, unsynced or failed emits one event', async () => {
  const { kernel, write, set, remove, store, pass } = await openWorld()
  const events: unknown[] = []
  const note = ({ time: _, ...event }: KernelEvent) => void events.push(event)
  for (const type of ['sync.synced', 'sync.unsynced', 'sync.failed'] as const) kernel.events.on(type, note)
  await write('a', { n: 1 })
  store.trouble({ manner: 'fails', times: 2 })
  await set('a')
  await pass(5000, 3)
  await remove('a')
  await pass(0)
  const common = { namespace: '', mount: 'kv/', destination: 'cloud-a-sm/aws', secret_name: 'a' }
  expect(events).toEqual([
    { type: 'sync.failed', ...common, status: 'EXTERNAL_SERVICE_ERROR' },
    { type: 'sync.synced', ...common },
    { type: 'sync.unsynced', ...common },
  ])
  await kernel.close()
})
