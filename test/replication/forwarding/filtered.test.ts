/** Forwarded writes of a filtered secondary that could affect hidden data by way of visible data. */
import { beforeAll, describe, expect, it } from 'vitest'
import { EVERY_OPERATION } from '../../fixtures/every-operation.ts'
import { type Cluster, contentOf, exchangeMessage, mountOf, refusalIn, type Sent, World } from './world.ts'

let primary: Cluster
let secondary: Cluster

beforeAll(async () => {
  const world = new World()
  primary = await world.primary()
  const { kernel } = primary
  for (const name of ['shown', 'partly', 'passed']) await kernel.namespaces.createNamespace({ name })
  await kernel.namespace('partly/').mounts.createMount({ path: 'kept', type: 'kv' })
  await kernel.namespace('passed/').mounts.createMount({ path: 'kv', type: 'kv' })
  await kernel
    .namespace('passed/')
    .policies.writePolicy({ name: 'p', policy: 'path "*" { capabilities = ["sudo", "update", "create"] }' })
  secondary = await world.secondary(primary, 'berlin', { forward: 'app', hidden: true })
}, 60_000)

const filter = (mode: 'allow' | 'deny', ...paths: string[]) =>
  primary.kernel.replication.writePathsFilter({ id: 'berlin', mode, paths })

const ask = (operation: string, input: Sent, more: Sent = {}): Promise<Sent> => {
  const { record } = mountOf(primary, 'sys/')
  return exchangeMessage(secondary, {
    operation,
    mount: record.uuid,
    namespace: record.namespace,
    path: '',
    remote_address: '',
    caller: null,
    asked: null,
    input,
    ...more,
  })
}

async function expectRefused(answer: () => Promise<Sent>): Promise<void> {
  const before = await contentOf(primary)
  expect(refusalIn(await answer())?.code).toMatch(/^ERR_(?:INVALID_REQUEST|PERMISSION_DENIED)$/)
  expect(await contentOf(primary)).toBe(before)
}

describe('a write that a secondary with a path filter forwards', () => {
  it('cannot delete a namespace that contains a hidden mount', async () => {
    await filter('deny', 'partly/kept/')
    await expectRefused(() => ask('deleteNamespace', { name: 'partly' }))
  })

  it('cannot delete a namespace that is visible only because of an allowed mount in it', async () => {
    await filter('allow', 'passed/kv/')
    await expectRefused(() => ask('deleteNamespace', { name: 'passed' }))
  })

  it('cannot use the policies of a namespace that is visible only because of an allowed mount in it', async () => {
    await filter('allow', 'passed/kv/', 'secret/')
    const { record } = mountOf(primary, 'secret/')
    const token = mountOf(primary, 'auth/token/').record
    const passed = mountOf(primary, 'kv/', 'passed/').record.namespace
    const caller = { policies: ['p'], namespace: passed, mount: token.uuid, entity: '', display_name: '' }
    const more = { mount: record.uuid, caller, asked: { trailingSlash: false, wrapTtl: 0 } }
    await expectRefused(() => ask('writeSecret', { path: 'a', data: '{"v":2}' }, more))
  })

  it('cannot move a mount to or from a hidden path', async () => {
    await filter('deny', 'kept/', 'transit/')
    await expectRefused(() => ask('moveMount', { from: 'secret', to: 'kept' }))
    await expectRefused(() => ask('moveMount', { from: 'transit', to: 'seen' }))
  })

  it('cannot create a mount or namespace at a hidden path, or a local mount', async () => {
    await filter('deny', 'kept/', 'space/')
    await expectRefused(() => ask('createMount', { path: 'kept', type: 'kv' }))
    await expectRefused(() => ask('createNamespace', { name: 'space' }))
    const before = await contentOf(primary)
    expect(refusalIn(await ask('createMount', { path: 'own', type: 'kv', local: true }))).toMatchObject({ code: 'ERR_READ_ONLY' })
    expect(await contentOf(primary)).toBe(before)
  })

  it('cannot change secret sync, which could send the secondary the secrets of other mounts', async () => {
    await filter('deny', 'transit/')
    for (const { title, method, operation } of EVERY_OPERATION) {
      if (!operation.forwardable || !operation.path.startsWith('/sync/')) continue
      const before = await contentOf(primary)
      const input = {
        type: 'cloud-a-sm',
        name: 'd',
        access_token: 't',
        repository_owner: 'o',
        repository_name: 'r',
        mount: 'kv2',
        secret_name: 'a',
      }
      const known = Object.fromEntries(Object.entries(input).filter(([name]) => name in operation.fields))
      expect(refusalIn(await ask(method, known)), title).toBeDefined()
      expect(await contentOf(primary), title).toBe(before)
    }
  })

  it('can create, move and delete the mounts and namespaces that the filter admits', async () => {
    await filter('deny', 'transit/')
    expect(refusalIn(await ask('deleteNamespace', { name: 'shown' }))).toBeUndefined()
    expect(refusalIn(await ask('createNamespace', { name: 'made' }))).toBeUndefined()
    expect(refusalIn(await ask('createMount', { path: 'made-too', type: 'kv' }))).toBeUndefined()
    expect(refusalIn(await ask('moveMount', { from: 'made-too', to: 'moved-too' }))).toBeUndefined()
    expect(refusalIn(await ask('deleteMount', { path: 'moved-too' }))).toBeUndefined()
  })
})
