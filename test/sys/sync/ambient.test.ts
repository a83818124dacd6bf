/** Only the root namespace may use the credentials of the process, unless the application names other namespaces. */
import { expect, it } from 'vitest'
import { awsSync } from '../../../src/adapters/sync-aws/index.ts'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeCloudProvider, fakeSyncDestination } from '../../../src/testing/index.ts'
import { paces } from './world.ts'

const NAMESPACES = ['', 'team', 'team/inner', 'teams']

/** Each `namespaces` option with the namespaces that may use ambient credentials. */
const OPTIONS: readonly (readonly [readonly string[] | undefined, readonly string[]])[] = [
  [undefined, ['']],
  [[''], ['']],
  [[], []],
  [['team'], ['team']],
  [
    ['/team/', ''],
    ['', 'team'],
  ],
  [['team/inner/'], ['team/inner']],
  [['team*', 'TEAM', 'team/*', '**'], []],
  [['*'], NAMESPACES],
]

/** Sends a request with the application's root token; a store has only one. */
async function post(
  kernel: Kernel,
  path: string,
  namespace: string,
  body: object,
  token = kernel.rootToken ?? '',
): Promise<number> {
  const headers = { 'X-Service-Token': token, ...(namespace && { 'X-Service-Namespace': namespace }) }
  return (await kernel.handle({ method: 'POST', path: `/v1/${path}`, headers, body })).status
}

async function withNamespaces(kernel: Kernel): Promise<void> {
  await post(kernel, 'sys/namespaces/team', '', {})
  await post(kernel, 'sys/namespaces/inner', 'team', {})
  await post(kernel, 'sys/namespaces/teams', '', {})
}

it('only namespaces in the `namespaces` option may use destinations and mounts without cloud credentials', async () => {
  for (const [namespaces, allowed] of OPTIONS) {
    const option = namespaces && { namespaces }
    const cloud = fakeCloudProvider({ ambient: { access_key: 'AKIA', secret_key: 's' }, ...option })
    const kernel = await createDevKernel({ ports: { cloud, sync: { 'cloud-a-sm': awsSync(option) } } })
    await withNamespaces(kernel)
    for (const namespace of NAMESPACES) {
      const isAllowed = allowed.includes(namespace)
      const at = [namespaces, namespace]
      await post(kernel, 'sys/mounts/aws', namespace, { type: 'aws' })
      expect([at, (await post(kernel, 'aws/config/root', namespace, {})) < 300]).toEqual([at, isAllowed])
      expect(await post(kernel, 'aws/config/root', namespace, { access_key: 'AKIA', secret_key: 's' })).toBe(204)
      const destination = 'sys/sync/destinations/cloud-a-sm/d'
      for (const body of [{ region: 'r' }, { access_key_id: '', secret_access_key: '' }])
        expect([at, (await post(kernel, destination, namespace, body)) < 300]).toEqual([at, isAllowed])
      const keys = { access_key_id: 'AKIA', secret_access_key: 's' }
      expect(await post(kernel, destination, namespace, keys)).toBe(200)
      // A later change removes the keys.
      expect([at, (await post(kernel, destination, namespace, { access_key_id: '', secret_access_key: '' })) < 300]).toEqual([
        at,
        isAllowed,
      ])
    }
    await kernel.close()
  }
})

it('secret sync and the AWS engine stop using ambient credentials for a namespace that the `namespaces` option no longer contains', async () => {
  const storage = memoryStorage()
  const seal = keySeal(new Uint8Array(32).fill(5))
  const clock = fakeClock()
  const open = async (namespaces: readonly string[]) => {
    const store = fakeSyncDestination({ ambientWithout: ['access_key_id'], namespaces })
    const cloud = fakeCloudProvider({ ambient: { access_key: 'AKIA', secret_key: 's' }, namespaces })
    const kernel = await createKernel({ storage, clock, seal, initialize: true, ports: { cloud, sync: { 'cloud-a-sm': store } } })
    return { kernel, store, cloud, ...paces(kernel, clock) }
  }
  const before = await open(['*'])
  await withNamespaces(before.kernel)
  const at = 'sys/sync/destinations/cloud-a-sm/d'
  const secret = { mount: 'kv', secret_name: 'app' }
  await post(before.kernel, 'sys/mounts/aws', 'team', { type: 'aws' })
  expect(await post(before.kernel, 'aws/config/root', 'team', {})).toBe(204)
  const role = { credential_type: 'assumed_role', role_arns: ['arn:aws:iam::123456789012:role/app'] }
  expect(await post(before.kernel, 'aws/roles/r', 'team', role)).toBe(204)
  expect(await post(before.kernel, 'aws/creds/r', 'team', {})).toBe(200)
  await post(before.kernel, 'sys/mounts/kv', 'team', { type: 'kv', options: { version: '2' } })
  await post(before.kernel, 'kv/data/app', 'team', { data: { n: 1 } })
  expect(await post(before.kernel, at, 'team', { region: 'r' })).toBe(200)
  expect(await post(before.kernel, `${at}/associations/set`, 'team', secret)).toBe(200)
  expect(before.store.values.size).toBe(1)
  await before.kernel.close()
  const token = before.kernel.rootToken ?? ''
  const after = await open([''])
  expect(await post(after.kernel, 'aws/creds/r', 'team', {}, token)).toBe(400)
  expect(after.cloud.calls).toEqual([])
  await post(after.kernel, 'kv/data/app', 'team', { data: { n: 2 } }, token)
  await after.settle()
  await post(after.kernel, `${at}/associations/set`, 'team', secret, token)
  await after.kernel.sync.reconcile()
  await after.settle()
  expect(after.store.calls).toEqual([])
  await after.kernel.close()
})

it('secret sync removes the pushed secrets of a deleted namespace with the ambient credentials of that namespace', async () => {
  const clock = fakeClock()
  const store = fakeSyncDestination({ ambientWithout: ['access_key_id'], namespaces: ['teams'] })
  const kernel = await createDevKernel({ clock, ports: { sync: { 'cloud-a-sm': store } } })
  const { settle, pass } = paces(kernel, clock)
  await withNamespaces(kernel)
  const at = 'sys/sync/destinations/cloud-a-sm/d'
  await post(kernel, 'sys/mounts/kv', 'teams', { type: 'kv', options: { version: '2' } })
  await post(kernel, 'kv/data/app', 'teams', { data: { n: 1 } })
  await post(kernel, at, 'teams', { region: 'r' })
  await post(kernel, `${at}/associations/set`, 'teams', { mount: 'kv', secret_name: 'app' })
  expect(store.values.size).toBe(1)
  await kernel.namespaces.deleteNamespace({ name: 'teams' })
  await settle()
  await pass(1000)
  expect(store.values.size).toBe(0)
  await kernel.close()
})

it.each(['', 'team', [7], {}, null])('awsSync refuses the namespaces option %j', (namespaces) => {
  expect(() => awsSync({ namespaces: namespaces as never })).toThrow(TypeError)
})
