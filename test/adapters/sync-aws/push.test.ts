import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AwsSyncEnvironment, awsSync } from '../../../src/adapters/sync-aws/index.ts'
import type { SyncConfig, SyncSession } from '../../../src/sys/sync/port.ts'
import type { AwsServer } from '../../fixtures/sync/aws.ts'
import { awsWorld } from '../../fixtures/sync/aws-world.ts'
import { failureIn, live, push, type SyncWorld } from '../../fixtures/sync/world.ts'

let world: SyncWorld<AwsServer>
let session: SyncSession
beforeAll(async () => {
  world = await awsWorld()
})
beforeEach(() => {
  session = world.destination.open(world.config)
  world.server.forget()
})
afterEach(() => session.close())
afterAll(() => world.stop())
const callNames = () => world.server.calls.map(({ name }) => name)

describe('awsSync put', () => {
  it('creates a secret with its tags in one call', async () => {
    const request = push('vault/kv/app', 'one', { tags: { mark: '', team: 'blue' } })
    expect(await session.put(request, live())).toEqual({ created: true, externalVersion: request.opId })
    expect(world.server.calls).toEqual([
      {
        name: 'CreateSecret',
        method: 'POST',
        path: '/',
        body: {
          Name: 'vault/kv/app',
          SecretString: 'one',
          ClientRequestToken: request.opId,
          Tags: [
            { Key: 'mark', Value: '' },
            { Key: 'team', Value: 'blue' },
          ],
        },
      },
    ])
  })

  it('updates an existing secret, sets its current tags and removes its former ones', async () => {
    const first = await session.put(push('update', 'one', { tags: { mark: '', old: 'x' } }), live())
    world.server.forget()
    const request = push('update', 'two', {
      tags: { mark: '', fresh: 'y' },
      removeTags: ['old'],
      previous: first.externalVersion!,
    })
    const second = await session.put(request, live())
    expect(second.created).toBe(false)
    expect(second.externalVersion).not.toBe(first.externalVersion)
    expect(world.server.calls.map(({ name, body }) => [name, body])).toEqual([
      ['UpdateSecret', { SecretId: 'update', SecretString: 'two', ClientRequestToken: second.externalVersion }],
      [
        'TagResource',
        {
          SecretId: 'update',
          Tags: [
            { Key: 'mark', Value: '' },
            { Key: 'fresh', Value: 'y' },
          ],
        },
      ],
      ['UntagResource', { SecretId: 'update', TagKeys: ['old'] }],
    ])
    expect([...world.server.entry('update')!.tags.keys()]).toEqual(['mark', 'fresh'])
    expect(world.server.values().get('update')).toBe('two')
  })

  it('creates one version per pushed value, even if a push is repeated', async () => {
    const request = push('again')
    await session.put(request, live())
    await session.put(request, live())
    expect(world.server.entry('again')!.versions.size).toBe(1)
    const previous = request.opId
    const next = push('again', 'two', { previous })
    await session.put(next, live())
    await session.put(next, live())
    expect(world.server.entry('again')!.versions.size).toBe(2)
  })

  it('can push an earlier value again, although AWS ignores a write with an id that it knows', async () => {
    const ids = { one: push('back').opId, two: push('back').opId }
    const first = await session.put(push('back', 'one', { opId: ids.one }), live())
    const second = await session.put(push('back', 'two', { opId: ids.two, previous: first.externalVersion! }), live())
    await session.put(push('back', 'one', { opId: ids.one, previous: second.externalVersion! }), live())
    expect(world.server.values().get('back')).toBe('one')
  })

  it('overwrites a secret that another owner wrote', async () => {
    world.server.intrude('theirs', 'theirs')
    expect(await session.put(push('theirs', 'ours'), live())).toMatchObject({ created: false })
    expect(world.server.values().get('theirs')).toBe('ours')
    expect(await session.put(push('gone', 'ours', { previous: 'an-old-one' }), live())).toMatchObject({ created: true })
    expect(callNames()).toEqual(['CreateSecret', 'UpdateSecret', 'TagResource', 'UpdateSecret', 'CreateSecret'])
  })

  it.each([
    ['AWS, without a known version', false, undefined, ['CreateSecret', 'RestoreSecret', 'UpdateSecret', 'TagResource']],
    ['AWS, with a known version', false, 'old', ['UpdateSecret', 'RestoreSecret', 'UpdateSecret', 'TagResource']],
    ['an emulator', true, undefined, ['CreateSecret', 'UpdateSecret', 'RestoreSecret', 'UpdateSecret', 'TagResource']],
  ])('restores a name that is scheduled for deletion: %s', async (_, emulator, previous, calls) => {
    const otherWorld = await awsWorld({ emulator })
    const there = otherWorld.destination.open(otherWorld.config)
    await there.put(push('app', 'one'), live())
    await there.remove({ name: 'app', opId: 'x' }, live())
    expect(otherWorld.server.values().has('app')).toBe(false)
    otherWorld.server.forget()
    const result = await there.put(push('app', 'two', previous ? { previous } : {}), live())
    expect(result.created).toBe(false)
    expect(otherWorld.server.values().get('app')).toBe('two')
    expect(otherWorld.server.calls.map(({ name }) => name)).toEqual(calls)
    await there.close()
    await otherWorld.stop()
  })

  it('creates the secret if it disappears before it can be restored', async () => {
    await session.put(push('expired', 'one'), live())
    await session.remove({ name: 'expired', opId: 'x' }, live())
    world.server.answers('RestoreSecret', { status: 400, body: { __type: 'ResourceNotFoundException', Message: '' } })
    world.server.forget()
    const putting = session.put(push('expired', 'two', { previous: 'one' }), live())
    // The secret is deleted before it can be restored.
    world.server.answers('CreateSecret', { status: 200, body: { VersionId: 'fresh' } })
    expect(await putting).toEqual({ created: true, externalVersion: 'fresh' })
    expect(callNames()).toEqual(['UpdateSecret', 'RestoreSecret', 'CreateSecret'])
  })

  it('fails with a conflict if the secret keeps appearing and disappearing during the call', async () => {
    world.server.answers('CreateSecret', { status: 400, body: { __type: 'ResourceExistsException' } }, 9)
    expect((await failureIn(world, session.put(push('restless'), live()))).kind).toBe('conflict')
    world.server.calm()
  })
})

describe('awsSync remove', () => {
  it('deletes a secret, and succeeds if it does not exist or is scheduled for deletion', async () => {
    await session.put(push('bye'), live())
    expect(await session.remove({ name: 'bye', opId: 'x' }, live())).toEqual({ existed: true })
    expect(world.server.calls.at(-1)).toMatchObject({ name: 'DeleteSecret', body: { SecretId: 'bye' } })
    expect(world.server.values().has('bye')).toBe(false)
    expect(await session.remove({ name: 'bye', opId: 'x' }, live())).toEqual({ existed: false })
    expect(await session.remove({ name: 'never', opId: 'x' }, live())).toEqual({ existed: false })
  })
})

describe('awsSync describe', () => {
  it('reports the current version of a secret, and whether it has the tag by which the kernel recognizes its own secrets', async () => {
    const mark = 'strongroom:mark'
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: false })
    const { externalVersion } = await session.put(push('told'), live())
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: true, externalVersion, managed: true })
    expect(await session.describe!({ name: 'told' }, live())).toEqual({ exists: true, externalVersion })
    world.server.intrude('told', 'theirs')
    expect((await session.describe!({ name: 'told', mark }, live())).externalVersion).not.toBe(externalVersion)
    world.server.intrude('foreign', 'theirs')
    expect(await session.describe!({ name: 'foreign', mark }, live())).toMatchObject({ exists: true, managed: false })
    await session.remove({ name: 'told', opId: 'x' }, live())
    expect(await session.describe!({ name: 'told', mark }, live())).toEqual({ exists: false, managed: true })
  })
})

describe('awsSync credentials', () => {
  const pushed = (environment: AwsSyncEnvironment, config: SyncConfig) =>
    awsSync({ endpoint: world.server.url, environment }).open(config).put(push('who'), live())

  it('come from environment variables if the configuration lacks them', async () => {
    const otherWorld = await awsWorld({ sessionToken: 'a-session' })
    const { accessKeyId, secretAccessKey, region } = otherWorld.server.signer
    const environment = {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: 'a-session',
      AWS_REGION: region,
    }
    const there = awsSync({ endpoint: otherWorld.server.url, environment }).open({
      access_key_id: '',
      secret_access_key: '',
      region: '',
    })
    expect(await there.put(push('who'), live())).toMatchObject({ created: true })
    await there.close()
    await otherWorld.stop()
  })

  it('come from the configuration if it has them, and then the session token of the environment is ignored', async () => {
    const environment = {
      AWS_ACCESS_KEY_ID: 'other',
      AWS_SECRET_ACCESS_KEY: 'other',
      AWS_SESSION_TOKEN: 'other',
      AWS_REGION: 'us-east-1',
    }
    expect(await pushed(environment, world.config)).toMatchObject({ created: true })
  })

  it('that AWS rejects lead to the error kind client', async () => {
    const wrong = { ...world.config, secret_access_key: 'wrong' }
    const failure = await failureIn(world, world.destination.open(wrong).put(push('who'), live()))
    expect(failure).toMatchObject({ kind: 'client', code: 'InvalidSignatureException' })
    expect(
      await failureIn(world, pushed({}, { region: 'eu-central-1', access_key_id: 'x', secret_access_key: 'y' })),
    ).toMatchObject({
      kind: 'client',
      code: 'UnrecognizedClientException',
    })
  })
})
