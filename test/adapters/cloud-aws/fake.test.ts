/** Features of the fake cloud that are not part of the port: worlds, changed answers, trouble and delays. */
import { describe, expect, test } from 'vitest'
import { type CloudCall, fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import { settingsAt } from '../../fixtures/aws/settings.ts'
import { ROOT, recordedWorld } from '../../fixtures/aws/world.ts'

const { signal } = new AbortController()
const role = (name: string) => ({
  roleArn: `arn:aws:iam::123456789012:role/${name}`,
  roleSessionName: 'me',
  durationSeconds: 900,
  policyArns: [],
})

describe('fakeCloudProvider without options', () => {
  test('accepts any new access key, and creates a user for it', async () => {
    const fake = fakeCloudProvider()
    const firstClient = fake.connect({ accessKey: 'AKIAONE', secretKey: 's1' })
    const two = fake.connect({ accessKey: 'AKIATWO', secretKey: 's2' })
    const { userName } = await firstClient.getUser({}, signal)
    expect(fake.users.get(userName)?.keys).toMatchObject([{ accessKeyId: 'AKIAONE' }])
    expect((await two.getUser({}, signal)).userName).not.toBe(userName)
    expect(fake.works('AKIAONE', 's1')).toBe(true)
    expect(fake.works('AKIATHREE', 's')).toBe(false)
    const wrong = fake.connect({ accessKey: 'AKIAONE', secretKey: 'other' })
    await expect(wrong.getUser({}, signal)).rejects.toMatchObject({ reason: 'access-denied', code: 'SignatureDoesNotMatch' })
    await firstClient.deleteAccessKey({ userName, accessKeyId: 'AKIAONE' }, signal)
    await expect(firstClient.getUser({}, signal)).rejects.toMatchObject({ code: 'InvalidClientTokenId' })
  })

  test('accepts any policy and any role', async () => {
    const client = fakeCloudProvider().connect(settingsAt(''))
    await client.attachUserPolicy({ userName: 'app-none', policyArn: 'arn:aws:iam::123456789012:policy/mine' }, signal)
    expect(await client.assumeRole(role('any/thing'), signal)).toMatchObject({
      assumedRoleArn: 'arn:aws:sts::123456789012:assumed-role/thing/me',
    })
  })
})

describe('fakeCloudProvider with the recorded world', () => {
  const worldly = () => fakeCloudProvider(recordedWorld(Date.now))

  test('has the recorded users, groups, policies and roles, and no others', async () => {
    const fake = worldly()
    expect(Object.fromEntries([...fake.users].map(([name, { keys }]) => [name, keys.length]))).toEqual({
      'engine-root': 1,
      'app-none': 0,
      'app-more': 0,
      'app-one': 1,
      'app-two': 2,
    })
    for (const { keys, userId } of fake.users.values()) {
      expect(userId).toHaveLength(21)
      for (const { accessKeyId, secretAccessKey } of keys) {
        expect([accessKeyId.length, secretAccessKey.length]).toEqual([20, 40])
        expect(fake.works(accessKeyId, secretAccessKey)).toBe(true)
      }
    }
    const client = fake.connect(settingsAt(fake.url))
    expect(await client.listGroupPolicies({ groupName: 'devs' }, signal)).toEqual(['g1', 'g2'])
    expect(await client.listAttachedGroupPolicies({ groupName: 'empty' }, signal)).toEqual([])
    const broken = { groupName: 'broken', policyName: (await client.listGroupPolicies({ groupName: 'broken' }, signal))[0] ?? '' }
    expect(await client.getGroupPolicy(broken, signal)).toBe('no JSON')
    const none = 'arn:aws:iam::aws:policy/None'
    await expect(client.attachUserPolicy({ userName: 'app-none', policyArn: none }, signal)).rejects.toMatchObject({
      reason: 'not-found',
    })
    await expect(client.assumeRole({ ...role('app'), policyArns: [none] }, signal)).rejects.toMatchObject({
      code: 'ValidationError',
    })
    await expect(client.assumeRole(role('nobody'), signal)).rejects.toMatchObject({ code: 'AccessDenied' })
    await client.assumeRole({ ...role('team/deep'), durationSeconds: 43_200 }, signal)
    await expect(client.assumeRole({ ...role('short'), durationSeconds: 3601 }, signal)).rejects.toMatchObject({
      reason: 'invalid',
    })
    const boundary = client.createUser({ userName: 'b', path: '/', permissionsBoundary: none }, signal)
    await expect(boundary).rejects.toMatchObject({ code: 'NoSuchEntity' })
  })

  test('accepts only the access keys of its users', async () => {
    const fake = worldly()
    const unknown = fake.connect(settingsAt('', { accessKey: 'AKIANOBODYNOBODYNOBO' }))
    await expect(unknown.getUser({}, signal)).rejects.toMatchObject({ code: 'InvalidClientTokenId' })
    const none = fake.connect({})
    await expect(none.getUser({}, signal)).rejects.toMatchObject({ reason: 'access-denied' })
  })

  test('refuses policy documents that are too large', async () => {
    const client = worldly().connect(settingsAt(''))
    const policy = JSON.stringify({ Statement: [], Id: 'x'.repeat(2048) })
    await expect(client.assumeRole({ ...role('app'), policy }, signal)).rejects.toMatchObject({ code: 'PackedPolicyTooLarge' })
    const put = client.putUserPolicy({ userName: 'app-none', policyName: 'p', policyDocument: policy }, signal)
    await expect(put).rejects.toMatchObject({ reason: 'limit-exceeded' })
  })

  test('lists access keys in the order of their creation, newest first', async () => {
    const clock = fakeClock()
    const fake = fakeCloudProvider(recordedWorld(clock.now))
    const client = fake.connect(settingsAt(''))
    const first = await client.createAccessKey({ userName: 'app-none' }, signal)
    await clock.advance(5000)
    const second = await client.createAccessKey({ userName: 'app-none' }, signal)
    expect(await client.listAccessKeys({ userName: 'app-none' }, signal)).toEqual([
      { accessKeyId: second.accessKeyId, createDate: clock.now() },
      { accessKeyId: first.accessKeyId, createDate: clock.now() - 5000 },
    ])
  })
})

describe('the endpoint of fakeCloudProvider', () => {
  const at = (path: string) => {
    const fake = fakeCloudProvider(recordedWorld(Date.now))
    return { fake, client: fake.connect(settingsAt(`${fake.url}/${path}`)) }
  }

  test('changes the results of calls as its path segments specify', async () => {
    const { fake, client } = at('CreateUser.AccessDenied/GetUser.OtherId/AssumeRole.Throttling')
    await expect(client.createUser({ userName: 'u', path: '/' }, signal)).rejects.toMatchObject({ code: 'AccessDenied' })
    expect(fake.users.has('u')).toBe(false)
    const { userId } = await client.getUser({ userName: 'app-one' }, signal)
    expect(userId).not.toBe(fake.users.get('app-one')?.userId)
    expect(userId).toHaveLength(21)
    await expect(client.assumeRole(role('app'), signal)).rejects.toMatchObject({ reason: 'throttled', code: 'Throttling' })
    expect((await at('GetUser.OtherName').client.getUser({ userName: 'app-one' }, signal)).userName).not.toBe('app-one')
  })

  test.each([
    ['drop', 'unavailable', false],
    ['lost', 'unavailable', true],
    ['garbage', 'unknown', true],
  ])('with the path CreateUser.%s makes createUser fail with the reason %s', async (manner, reason, made) => {
    const { fake, client } = at(`CreateUser.${manner}`)
    await expect(client.createUser({ userName: 'u', path: '/' }, signal)).rejects.toMatchObject({ reason })
    expect(fake.users.has('u')).toBe(made)
  })

  test('makes calls fail as unavailable if it is set to a port on which nothing listens', async () => {
    const client = fakeCloudProvider().connect(settingsAt('http://127.0.0.1:1'))
    await expect(client.getUser({}, signal)).rejects.toMatchObject({ reason: 'unavailable' })
  })
})

describe('fakeCloudProvider.trouble', () => {
  test('makes a call fail in each supported manner, before or after the call takes effect', async () => {
    const fake = fakeCloudProvider()
    const client = fake.connect(settingsAt(''))
    const words = new Error('words of its own')
    const make = (userName: string, until = signal) => client.createUser({ userName, path: '/' }, until)
    const call: CloudCall = 'createUser'
    for (const [manner, expected] of [
      ['refuses', { reason: 'access-denied' }],
      ['throttled', { reason: 'throttled' }],
      ['fails', { reason: 'unavailable', code: 'ServiceFailure' }],
      ['unreachable', { reason: 'unavailable' }],
      [words, { message: 'words of its own' }],
    ] as const) {
      fake.trouble({ call, manner })
      await expect(make('one')).rejects.toMatchObject(expected)
      expect(fake.users.has('one')).toBe(false)
    }
    fake.trouble({ call, manner: 'refuses', code: 'LimitExceeded' })
    await expect(make('one')).rejects.toMatchObject({ reason: 'limit-exceeded', code: 'LimitExceeded' })
    fake.trouble({ call, manner: 'hangs' })
    await expect(make('one', AbortSignal.timeout(10))).rejects.toMatchObject({ reason: 'unavailable' })
    fake.trouble({ call, manner: 'loses' })
    await expect(make('one')).rejects.toMatchObject({ reason: 'unavailable' })
    expect(fake.users.has('one')).toBe(true)
    fake.trouble({ call, manner: 'loses', when: 'before' })
    await expect(make('two')).rejects.toMatchObject({ reason: 'unavailable' })
    expect(fake.users.has('two')).toBe(false)
    fake.trouble({ call, manner: 'deaf', when: 'after' })
    void make('four')
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(fake.users.has('four')).toBe(true)
  })

  test('makes a number of calls or every nth call fail until the trouble is removed', async () => {
    const fake = fakeCloudProvider()
    const client = fake.connect(settingsAt(''))
    const met = async (times: number): Promise<boolean[]> => {
      const seen: boolean[] = []
      for (let call = 0; call < times; call++)
        seen.push(
          await client.getUser({}, signal).then(
            () => false,
            () => true,
          ),
        )
      return seen
    }
    fake.trouble({ call: 'getUser', manner: 'throttled', times: 2 })
    expect(await met(3)).toEqual([true, true, false])
    const takeBack = fake.trouble({ manner: 'throttled', every: 3, times: Number.POSITIVE_INFINITY })
    expect(await met(7)).toEqual([false, false, true, false, false, true, false])
    takeBack()
    expect(await met(3)).toEqual([false, false, false])
  })
})

test('fakeCloudProvider makes new users and access keys usable only after the configured delays', async () => {
  const clock = fakeClock()
  const fake = fakeCloudProvider({ ...recordedWorld(clock.now) })
  Object.assign(fake.delays, { users_ms: 2000, keys_ms: 5000 })
  const client = fake.connect(settingsAt(''))
  const userName = 'new'
  await client.createUser({ userName, path: '/' }, signal)
  await expect(client.createUser({ userName, path: '/' }, signal)).rejects.toMatchObject({ reason: 'already-exists' })
  await expect(client.createAccessKey({ userName }, signal)).rejects.toMatchObject({ reason: 'not-found' })
  await clock.advance(2000)
  const { accessKeyId, secretAccessKey } = await client.createAccessKey({ userName }, signal)
  expect(fake.works(accessKeyId, secretAccessKey)).toBe(false)
  await clock.advance(5000)
  expect(fake.works(accessKeyId, secretAccessKey)).toBe(true)
  expect(fake.works(ROOT.access_key, ROOT.secret_key)).toBe(true)
})

test('fakeCloudProvider records its calls and the number of calls in flight', async () => {
  let go = (): void => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const fake = fakeCloudProvider({ pause: () => gate })
  const client = fake.connect(settingsAt(''))
  const calls = [client.getUser({}, signal), client.listAccessKeys({ userName: 'app-one' }, signal)]
  expect(fake.in_flight).toBe(2)
  go()
  await Promise.all(calls)
  expect([fake.in_flight, fake.most_in_flight, fake.open]).toEqual([0, 2, 1])
  expect(fake.calls).toEqual([
    { call: 'getUser', request: {}, access_key: ROOT.access_key },
    { call: 'listAccessKeys', request: { userName: 'app-one' }, access_key: ROOT.access_key },
  ])
  await client.close()
  expect(fake.open).toBe(0)
})

test('fakeCloudProvider accepts the options ambient, ready and readyTimeoutMs', async () => {
  const ready = async () => true
  const fake = fakeCloudProvider({ ambient: ROOT, ready, readyTimeoutMs: 5 })
  expect(fake).toMatchObject({ ambient: true, ready, readyTimeoutMs: 5 })
  await fake.connect({}).getUser({}, signal)
  expect(fakeCloudProvider().ambient).toBe(false)
})
