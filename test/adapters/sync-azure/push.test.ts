import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SyncSession } from '../../../src/sys/sync/port.ts'
import type { AzureServer } from '../../fixtures/sync/azure.ts'
import { azureWorld } from '../../fixtures/sync/azure-world.ts'
import { until } from '../../fixtures/sync/trouble-matrix.ts'
import { failureIn, live, push, type SyncWorld } from '../../fixtures/sync/world.ts'

let world: SyncWorld<AzureServer>
let session: SyncSession
beforeAll(async () => {
  world = await azureWorld()
})
beforeEach(async () => {
  session = world.destination.open(world.config)
  // The session has its token before the test begins.
  await session.put(push('warm'), live())
  world.server.forget()
})
afterEach(() => session.close())
afterAll(() => world.stop())
const callNames = () => world.server.calls.map(({ name }) => name)
const passed = async (name: string) => {
  for (let turn = 0; turn < 3; turn++) await session.describe!({ name }, live())
  world.server.forget()
}

describe('azureSync put', () => {
  it('requests one token with client id and secret for all pushes of a session', async () => {
    const fresh = world.destination.open(world.config)
    await fresh.put(push('token'), live())
    await fresh.put(push('token'), live())
    expect(callNames().filter((name) => ['Challenge', 'OpenIdConfiguration', 'Token'].includes(name))).toEqual([
      'Challenge',
      'OpenIdConfiguration',
      'Token',
    ])
    const request = world.server.tokenRequests.at(-1)!
    expect(Object.fromEntries(request)).toMatchObject({ client_id: world.server.client, grant_type: 'client_credentials' })
    expect(request.get('scope')!.split(' ')).toContain('https://vault.azure.net/.default')
    await fresh.close()
  })

  it('sends no secret before the vault has answered with its authentication challenge', async () => {
    const fresh = world.destination.open(world.config)
    await fresh.put(push('challenge', 'told-late', { previous: 'x' }), live())
    expect(world.server.calls[0]).toMatchObject({ name: 'Challenge', method: 'PUT', body: {} })
    await fresh.close()
  })

  it('sets a secret with its tags, and returns whether the secret was created', async () => {
    const first = await session.put(push('app', 'one', { tags: { mark: '', team: 'blue' } }), live())
    expect(first).toEqual({ created: true, externalVersion: world.server.entry('app')!.versions[0]!.id })
    expect(world.server.calls.map(({ name, method, path }) => [name, method, path])).toEqual([
      ['GetSecret', 'GET', '/secrets/app/'],
      ['SetSecret', 'PUT', '/secrets/app'],
    ])
    expect(world.server.calls.at(-1)!.body).toEqual({ value: 'one', tags: { mark: '', team: 'blue' }, attributes: {} })
    world.server.forget()
    const second = await session.put(push('app', 'two', { previous: first.externalVersion!, tags: { mark: '' } }), live())
    expect(second.created).toBe(false)
    expect(second.externalVersion).not.toBe(first.externalVersion)
    expect(callNames()).toEqual(['SetSecret'])
    expect(world.server.entry('app')!.versions.at(-1)).toMatchObject({ value: 'two', tags: { mark: '' } })
  })

  it('has the same result when it is repeated', async () => {
    const request = push('again')
    await session.put(request, live())
    expect(await session.put(request, live())).toMatchObject({ created: false })
    expect(world.server.values().get('again')).toBe(request.value)
  })

  it('overwrites a secret that another owner wrote', async () => {
    world.server.intrude('Theirs', 'theirs')
    expect(await session.put(push('theirs', 'ours'), live())).toMatchObject({ created: false })
    expect(world.server.values().get('Theirs')).toBe('ours')
  })

  it('starts to recover a deleted secret, and sets it in a later call once it is recovered', async () => {
    await session.put(push('bin', 'one'), live())
    await session.remove({ name: 'bin', opId: 'x' }, live())
    await passed('bin')
    const request = push('bin', 'two')
    expect((await failureIn(world, session.put(request, live()))).kind).toBe('conflict')
    expect(callNames()).toEqual(['GetSecret', 'SetSecret', 'GetSecret', 'RecoverDeletedSecret', 'GetSecret', 'SetSecret'])
    await until(() => session.put(request, live()))
    expect(world.server.values().get('bin')).toBe('two')
  })

  it('recovers and sets a secret in one call if the recovery is immediate', async () => {
    const otherWorld = await azureWorld({ moment: 0 })
    const there = otherWorld.destination.open(otherWorld.config)
    await there.put(push('bin', 'one'), live())
    await there.remove({ name: 'bin', opId: 'x' }, live())
    await there.put(push('bin', 'two', { previous: 'x' }), live())
    expect(otherWorld.server.values().get('bin')).toBe('two')
    await there.close()
    await otherWorld.stop()
  })

  it('fails with a conflict, without waiting, while a deletion of the secret is in progress', async () => {
    await session.put(push('leaving', 'one'), live())
    await session.remove({ name: 'leaving', opId: 'x' }, live())
    world.server.forget()
    const failure = await failureIn(world, session.put(push('leaving', 'two', { previous: 'x' }), live()))
    expect(failure).toMatchObject({ kind: 'conflict', code: 'ObjectIsBeingDeleted' })
    expect(callNames()).toEqual(['SetSecret'])
  })

  it('fails with a conflict if the secret is purged while it is recovered', async () => {
    const conflict = { error: { code: 'Conflict', innererror: { code: 'ObjectIsDeletedButRecoverable' } } }
    world.server.answers('SetSecret', { status: 409, body: conflict })
    expect((await failureIn(world, session.put(push('purged', 'two', { previous: 'x' }), live()))).kind).toBe('conflict')
  })

  it('reports a revoked token with the error kind client, and a new session requests another token', async () => {
    world.server.revokeTokens()
    const failure = await failureIn(world, session.put(push('revoked', 'two', { previous: 'x' }), live()))
    expect(failure).toMatchObject({ kind: 'client', code: 'Unauthorized' })
    const fresh = world.destination.open(world.config)
    await fresh.put(push('revoked', 'two', { previous: 'x' }), live())
    expect(world.server.values().get('revoked')).toBe('two')
    await fresh.close()
  })

  it('shares one token between eight concurrent calls of a new session', async () => {
    const fresh = world.destination.open(world.config)
    const names = Array.from({ length: 8 }, (_, index) => `at-once-${index}`)
    await Promise.all(names.map((name) => fresh.put(push(name, name), live())))
    for (const name of names) expect(world.server.values().get(name)).toBe(name)
    expect(callNames().filter((name) => name === 'Token')).toEqual(['Token'])
    await fresh.close()
  })
})

describe('azureSync remove', () => {
  it('deletes a secret, and succeeds if it does not exist or is being deleted', async () => {
    await session.put(push('bye'), live())
    world.server.forget()
    expect(await session.remove({ name: 'bye', opId: 'x' }, live())).toEqual({ existed: true })
    expect(world.server.calls[0]).toMatchObject({ name: 'DeleteSecret', method: 'DELETE', path: '/secrets/bye' })
    expect(world.server.values().has('bye')).toBe(false)
    expect(await session.remove({ name: 'bye', opId: 'x' }, live())).toEqual({ existed: false })
    await passed('bye')
    expect(await session.remove({ name: 'bye', opId: 'x' }, live())).toEqual({ existed: false })
    expect(await session.remove({ name: 'never', opId: 'x' }, live())).toEqual({ existed: false })
  })

  it('fails with a conflict while the secret is being recovered', async () => {
    const conflict = { error: { code: 'Conflict', innererror: { code: 'ObjectIsBeingRecovered' } } }
    world.server.answers('DeleteSecret', { status: 409, body: conflict })
    expect(await failureIn(world, session.remove({ name: 'back', opId: 'x' }, live()))).toMatchObject({ kind: 'conflict' })
  })
})

describe('azureSync describe', () => {
  it('reports the latest version of a secret, and whether it has the tag by which the kernel recognizes its own secrets', async () => {
    const mark = 'strongroom:mark'
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: false })
    const { externalVersion } = await session.put(push('told'), live())
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: true, externalVersion, managed: true })
    expect(await session.describe!({ name: 'told' }, live())).toEqual({ exists: true, externalVersion })
    world.server.intrude('told', 'theirs')
    const changed = await session.describe!({ name: 'told', mark }, live())
    expect(changed).toMatchObject({ exists: true, managed: false })
    expect(changed.externalVersion).not.toBe(externalVersion)
  })
})
