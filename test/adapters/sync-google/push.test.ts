import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SyncSession } from '../../../src/sys/sync/port.ts'
import type { GoogleServer } from '../../fixtures/sync/google.ts'
import { googleWorld } from '../../fixtures/sync/google-world.ts'
import { naiveCrc32c } from '../../fixtures/sync/naive-crc32c.ts'
import { failureIn, live, push, type SyncWorld } from '../../fixtures/sync/world.ts'

let world: SyncWorld<GoogleServer>
let session: SyncSession
beforeAll(async () => {
  world = await googleWorld()
})
beforeEach(() => {
  session = world.destination.open(world.config)
  world.server.forget()
})
afterEach(async () => {
  world.server.calm()
  await session.close()
})
afterAll(() => world.stop())
const callNames = () => world.server.calls.map(({ name }) => name)
const states = (name: string) => world.server.entry(name)!.versions.map(({ state }) => state)
const parent = '/v1/projects/loopback-1234/secrets'
const denied = { status: 403, body: { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } } }

describe('googleSync put', () => {
  it('creates a secret with its tags as labels, and then adds a version with its checksum', async () => {
    const value = 'Zwölf Boxkämpfer 🥊'
    const tags = { 'Strongroom:Mark': '', Team: 'Blue Team' }
    expect(await session.put(push('app', value, { tags }), live())).toEqual({ created: true, externalVersion: '1' })
    const bytes = Buffer.from(value)
    expect(world.server.calls).toMatchObject([
      {
        name: 'CreateSecret',
        method: 'POST',
        path: parent,
        body: { replication: { automatic: {} }, labels: { strongroom_mark: '', team: 'blue_team' } },
      },
      {
        name: 'AddSecretVersion',
        method: 'POST',
        path: `${parent}/app:addVersion`,
        body: { payload: { data: bytes.toString('base64'), dataCrc32c: `${naiveCrc32c(bytes)}` } },
      },
    ])
    expect(world.server.values().get('app')).toBe(value)
  })

  it('sets the labels of a secret, adds a version and then destroys the previous version', async () => {
    await session.put(push('next', 'one', { tags: { mark: '', old: 'x' } }), live())
    world.server.forget()
    const request = push('next', 'two', { previous: '1', tags: { mark: '' }, removeTags: ['old'] })
    expect(await session.put(request, live())).toEqual({ created: false, externalVersion: '2' })
    expect(world.server.calls.map(({ name, method, path }) => [name, method, path])).toEqual([
      ['UpdateSecret', 'PATCH', `${parent}/next`],
      ['AddSecretVersion', 'POST', `${parent}/next:addVersion`],
      ['DestroySecretVersion', 'POST', `${parent}/next/versions/1:destroy`],
    ])
    expect(world.server.calls[0]!.body['labels']).toEqual({ mark: '' })
    expect(world.server.entry('next')!.labels).toEqual({ mark: '' })
    expect(states('next')).toEqual(['DESTROYED', 'ENABLED'])
  })

  it('leaves one enabled version when it is repeated', async () => {
    const request = push('again', 'two', { previous: '1' })
    await session.put(push('again', 'one'), live())
    await session.put(request, live())
    await session.put(request, live())
    expect(states('again')).toEqual(['DESTROYED', 'DESTROYED', 'ENABLED'])
    expect(world.server.values().get('again')).toBe('two')
  })

  it('destroys the versions of earlier attempts whose answers were lost', async () => {
    const request = push('lost', 'one')
    for (let turn = 0; turn < 3; turn++) {
      world.server.trouble({ call: 'AddSecretVersion', manner: 'drops-after' })
      await failureIn(world, session.put(request, live()), 'one-of-none')
    }
    expect(states('lost')).toEqual(['ENABLED', 'ENABLED', 'ENABLED'])
    await session.put(request, live())
    expect(states('lost')).toEqual(['DESTROYED', 'DESTROYED', 'DESTROYED', 'ENABLED'])
  })

  it('destroys the old versions when it is repeated after their destruction failed midway', async () => {
    const request = push('midway', 'two', { previous: '1' })
    await session.put(push('midway', 'one'), live())
    world.server.trouble({ call: 'AddSecretVersion', manner: 'drops-after', times: 1 })
    await failureIn(world, session.put(request, live()))
    for (const at of [1, 2]) {
      world.server.trouble({ call: 'DestroySecretVersion', at, manner: 'fails' })
      await failureIn(world, session.put(request, live()))
      world.server.calm()
    }
    const { externalVersion } = await session.put(request, live())
    expect(states('midway').filter((state) => state === 'ENABLED')).toHaveLength(1)
    expect(states('midway')[Number(externalVersion) - 1]).toBe('ENABLED')
  })

  it('destroys the versions of earlier attempts even without the permission to list versions', async () => {
    const request = push('unlisted', 'two', { previous: '1' })
    await session.put(push('unlisted', 'one'), live())
    world.server.trouble({ call: 'AddSecretVersion', manner: 'drops-after' })
    await failureIn(world, session.put(request, live()))
    world.server.answers('ListSecretVersions', denied)
    await session.put(request, live())
    expect(states('unlisted')).toEqual(['DESTROYED', 'DESTROYED', 'ENABLED'])
  })

  it('overwrites a secret of another owner, whose versions stay enabled', async () => {
    world.server.intrude('theirs', 'theirs')
    expect(await session.put(push('theirs', 'ours'), live())).toEqual({ created: false, externalVersion: '2' })
    expect(states('theirs')).toEqual(['ENABLED', 'ENABLED'])
    world.server.intrude('unseen', 'theirs')
    world.server.answers('GetSecret', denied)
    expect(await session.put(push('unseen', 'ours'), live())).toEqual({ created: false, externalVersion: '2' })
    expect(states('unseen')).toEqual(['ENABLED', 'ENABLED'])
  })

  it('creates the secret again after it was deleted', async () => {
    expect(await session.put(push('gone', 'one', { previous: '7' }), live())).toEqual({ created: true, externalVersion: '1' })
    expect(callNames()).toEqual(['UpdateSecret', 'CreateSecret', 'AddSecretVersion'])
  })

  it('fails with a conflict if the secret appears and disappears during the call', async () => {
    world.server.answers('CreateSecret', { status: 409, body: { error: { status: 'ALREADY_EXISTS' } } })
    expect((await failureIn(world, session.put(push('restless'), live()))).kind).toBe('conflict')
  })

  it('authenticates with tokens that it signs itself, without a token request', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `at-once-${index}`)
    await Promise.all(names.map((name) => session.put(push(name, name), live())))
    for (const name of names) expect(world.server.values().get(name)).toBe(name)
    expect(new Set(callNames())).toEqual(new Set(['CreateSecret', 'AddSecretVersion']))
  })
})

describe('googleSync remove', () => {
  it('deletes a secret, and succeeds if it does not exist', async () => {
    await session.put(push('bye'), live())
    expect(await session.remove({ name: 'bye', opId: 'x' }, live())).toEqual({ existed: true })
    expect(world.server.calls.at(-1)).toMatchObject({ name: 'DeleteSecret', method: 'DELETE', path: `${parent}/bye` })
    expect(world.server.entry('bye')).toBeUndefined()
    expect(await session.remove({ name: 'bye', opId: 'x' }, live())).toEqual({ existed: false })
  })
})

describe('googleSync describe', () => {
  it('reports the latest version of a secret, and whether it has the label by which the kernel recognizes its own secrets', async () => {
    const mark = 'strongroom:mark'
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: false })
    await session.put(push('told'), live())
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: true, externalVersion: '1', managed: true })
    expect(await session.describe!({ name: 'told' }, live())).toEqual({ exists: true, externalVersion: '1' })
    world.server.intrude('told', 'theirs')
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: true, externalVersion: '2', managed: true })
    world.server.intrude('foreign', 'theirs')
    expect(await session.describe!({ name: 'foreign', mark }, live())).toMatchObject({ managed: false })
    world.server.answers('GetSecretVersion', { status: 404, body: {} })
    expect(await session.describe!({ name: 'told' }, live())).toEqual({ exists: true })
  })
})
