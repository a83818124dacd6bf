import { expect, it } from 'vitest'
import { createDevKernel, type KernelEvent } from '../../../src/index.ts'

it('each successful write of the cloud configuration or a role emits one event, and a refused write emits none', async () => {
  await using kernel = await createDevKernel()
  const { cloud } = kernel
  const events: KernelEvent[] = []
  kernel.events.on('*', (event) => events.push(event))

  await cloud.configureRoot({ access_key: 'AKIAEXAMPLE', secret_key: 'the-secret-key' })
  await cloud.configureLease({ lease: '1h', lease_max: 86_400 })
  await cloud.writeRole({ name: 'app', credential_type: 'iam_user', policy_document: '{}' })
  await cloud.writeRole({ name: 'app', arn: 'arn:aws:iam::1:role/app' })
  await expect(cloud.writeRole({ name: 'app', credential_type: 'iam_user' })).rejects.toMatchObject({ status: 400 })
  await cloud.deleteRole({ name: 'app' })
  await expect(cloud.deleteRole({ name: 'app' })).rejects.toMatchObject({ status: 404 })

  const at = { namespace: '', mount: 'cloud/' }
  expect(events.map(({ time: _, ...event }) => event)).toEqual([
    { type: 'root.configured', ...at },
    { type: 'lease.configured', ...at, lease: '1h0m0s', lease_max: '24h0m0s' },
    { type: 'role.written', ...at, name: 'app' },
    { type: 'role.written', ...at, name: 'app' },
    { type: 'role.deleted', ...at, name: 'app' },
  ])
  expect(JSON.stringify(events)).not.toMatch(/AKIAEXAMPLE|the-secret-key/)
})
