import { expect, it } from 'vitest'
import { createDevKernel, type KernelEvent } from '../../../src/index.ts'
import { fakeDatabasePlugin } from '../../../src/testing/index.ts'

const ROOT = { username: 'root', password: 'root-password', connection_url: 'there' }

it('each change of connections, roles and root passwords emits one event, in the order of the changes', async () => {
  const database = fakeDatabasePlugin()
  database.addUser('alice', 'alice-before')
  const kernel = await createDevKernel({ ports: { databases: { fake: database } } })
  const events: KernelEvent[] = []
  const off = kernel.events.on('*', (event) => events.push(event))

  await kernel.database.writeConnection({ name: 'main', plugin_name: 'fake', allowed_roles: ['*'], ...ROOT })
  await kernel.database.rotateRoot({ name: 'main' })
  await kernel.database.resetConnection({ name: 'main' })
  await kernel.database.writeRole({ name: 'app', db_name: 'main', creation_statements: ['CREATE'] })
  await kernel.database.writeStaticRole({ name: 'alice', db_name: 'main', username: 'alice', rotation_period: 3600 })
  await kernel.database.deleteRole({ name: 'app' })
  await kernel.database.deleteStaticRole({ name: 'alice' })
  await kernel.database.deleteConnection({ name: 'main' })
  // Deleting a missing record emits no event.
  await kernel.database.deleteRole({ name: 'app' })
  await kernel.database.deleteConnection({ name: 'main' })
  await expect(kernel.database.rotateRoot({ name: 'main' })).rejects.toMatchObject({ status: 404 })
  off()
  await kernel.close()

  const at = { namespace: '', mount: 'database/' }
  expect(events.map(({ time: _, ...event }) => event)).toEqual([
    { type: 'connection.written', ...at, name: 'main', plugin_name: 'fake' },
    { type: 'root.rotated', ...at, name: 'main' },
    { type: 'connection.reset', ...at, name: 'main' },
    { type: 'role.written', ...at, name: 'app' },
    { type: 'role.written', ...at, name: 'alice' },
    { type: 'static_role.rotated', version: 1, ...at, name: 'alice', username: 'alice' },
    { type: 'role.deleted', ...at, name: 'app' },
    { type: 'role.deleted', ...at, name: 'alice' },
    { type: 'connection.deleted', ...at, name: 'main' },
  ])
  expect(JSON.stringify(events)).not.toMatch(/root-password|alice-before/)
})
