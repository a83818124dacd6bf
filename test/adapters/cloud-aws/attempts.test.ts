/** Attempts, deadlines and connections of awsCloud. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AwsCloudOptions, awsCloud } from '../../../src/adapters/cloud-aws/index.ts'
import type { CloudClient, CloudSettings } from '../../../src/engines/cloud/port.ts'
import { type AwsServer, startAws } from '../../fixtures/aws/server.ts'
import { settingsAt } from '../../fixtures/aws/settings.ts'

const { signal } = new AbortController()
let server: AwsServer
const clients: CloudClient[] = []
const connect = (more: CloudSettings, options: AwsCloudOptions = {}): CloudClient => {
  const client = awsCloud(options).connect(settingsAt(server.url, more))
  clients.push(client)
  return client
}
const since = (): (() => number) => {
  const before = server.requests.length
  return () => server.requests.length - before
}
beforeAll(async () => {
  server = await startAws()
})
beforeEach(() => {
  // The SDK draws the pause before another attempt from Math.random.
  vi.spyOn(Math, 'random').mockReturnValue(0.01)
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const client of clients.splice(0)) await client.close()
})
afterAll(() => server?.close())

describe('awsCloud maxRetries', () => {
  test.each([
    [0, 1, 'fails'],
    [1, 2, 'fails'],
    [3, 4, 'fails'],
    [undefined, 3, 'fails'],
    [-1, 3, 'fails'],
    [2, 3, 'loses'],
    [0, 1, 'throttled'],
    [1, 2, 'throttled'],
  ] as const)(
    'with the value %s leads to %i attempts while the server has the injected fault "%s"',
    async (maxRetries, attempts, manner) => {
      const takeBack = server.trouble({ call: 'getUser', manner, times: 100 })
      const requestCount = since()
      const { maxRetries: _, ...settings } = settingsAt(server.url)
      const client = awsCloud().connect({ ...settings, ...(maxRetries !== undefined && { maxRetries }) })
      clients.push(client)
      const reason = manner === 'throttled' ? 'throttled' : 'unavailable'
      await expect(client.getUser({}, signal)).rejects.toMatchObject({ reason })
      expect(requestCount()).toBe(attempts)
      takeBack()
    },
  )

  test('lets a call succeed at its last allowed attempt', async () => {
    // Uses "fails" because the pauses after a throttled attempt are longer.
    server.trouble({ call: 'listAccessKeys', manner: 'fails', times: 2 })
    await expect(connect({ maxRetries: 2 }).listAccessKeys({ userName: 'app-one' }, signal)).resolves.toHaveLength(1)
  })

  test('causes no retry of a call that AWS refuses', async () => {
    const requestCount = since()
    await expect(connect({ maxRetries: 5 }).getUser({ userName: 'nobody' }, signal)).rejects.toMatchObject({
      reason: 'not-found',
    })
    expect(requestCount()).toBe(1)
  })
})

describe('awsCloud', () => {
  test('does not retry createAccessKey after its answer was lost', async () => {
    server.addUser('lossy')
    server.trouble({ call: 'createAccessKey', manner: 'loses' })
    await expect(connect({ maxRetries: 3 }).createAccessKey({ userName: 'lossy' }, signal)).rejects.toMatchObject({
      reason: 'unavailable',
    })
    expect(server.users.get('lossy')?.keys).toHaveLength(1)
  })

  test('reports createUser as failed if its answer was lost, although the user exists', async () => {
    server.trouble({ call: 'createUser', manner: 'loses' })
    const creation = connect({ maxRetries: 3 }).createUser({ userName: 'lost', path: '/' }, signal)
    await expect(creation).rejects.toMatchObject({ reason: 'unavailable' })
    expect(server.users.has('lost')).toBe(true)
  })

  test('retries createAccessKey after throttling', async () => {
    server.addUser('slow')
    server.trouble({ call: 'createAccessKey', manner: 'throttled', times: 2 })
    await connect({ maxRetries: 2 }).createAccessKey({ userName: 'slow' }, signal)
    expect(server.users.get('slow')?.keys).toHaveLength(1)
  })
})

describe('an awsCloud call', () => {
  test.each(['hangs', 'deaf'] as const)(
    'ends when its signal is aborted while the server has the injected fault "%s"',
    async (manner) => {
      // More than once, because the server may only now read the abandoned request of the case before.
      const takeBack = server.trouble({ call: 'getUser', manner, times: 1000 })
      await expect(connect({}).getUser({}, AbortSignal.timeout(50))).rejects.toMatchObject({
        reason: 'unavailable',
        code: 'AbortError',
      })
      takeBack()
    },
  )

  test('ends without another request if its signal is aborted between two attempts', async () => {
    vi.restoreAllMocks()
    const takeBack = server.trouble({ call: 'getUser', manner: 'fails', times: 1000 })
    const client = connect({ maxRetries: 30 })
    await expect(client.getUser({}, AbortSignal.timeout(150))).rejects.toMatchObject({ reason: 'unavailable' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    const requestCount = since()
    // Longer than nearly every pause that may have been interrupted: the SDK draws pauses from 0 to 100, 200, 400, ... ms.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(requestCount()).toBe(0)
    takeBack()
  })

  test('ends after deadlineMs if its signal is never aborted', async () => {
    const takeBack = server.trouble({ call: 'listUserPolicies', manner: 'hangs' })
    const listing = connect({}, { deadlineMs: 50 }).listUserPolicies({ userName: 'app-one' }, signal)
    await expect(listing).rejects.toMatchObject({ reason: 'unavailable', code: 'TimeoutError' })
    takeBack()
  })

  test('ends when its signal is aborted while the credentials function hangs', async () => {
    const client = awsCloud({ credentials: () => new Promise(() => {}) }).connect({ iamEndpoint: server.url })
    clients.push(client)
    await expect(client.getUser({}, AbortSignal.timeout(50))).rejects.toMatchObject({ reason: 'unavailable' })
  })
})

test('awsCloud sends consecutive calls over one connection', async () => {
  const client = connect({})
  const from = server.requests.length
  for (let call = 0; call < 5; call++) await client.getUser({}, signal)
  expect(new Set(server.requests.slice(from).map(({ connection }) => connection)).size).toBe(1)
})

describe('awsCloud ambient credentials', () => {
  test('come from the credentials option, and are used only if the configuration has no credentials', async () => {
    const role = { roleArn: 'arn:aws:iam::123456789012:role/app', roleSessionName: 'me', durationSeconds: 900, policyArns: [] }
    const session = await connect({}).assumeRole(role, signal)
    const provider = awsCloud({ credentials: async () => ({ ...session, expiration: new Date(session.expiration) }) })
    expect(provider.ambient).toBe(true)
    const client = provider.connect({ iamEndpoint: server.url, maxRetries: 0 })
    clients.push(client)
    expect(await client.getUser({ userName: 'app-one' }, signal)).toMatchObject({ userName: 'app-one' })
    expect(server.requests.at(-1)?.scope?.accessKey).toBe(session.accessKeyId)
    // Configured credentials take precedence.
    await provider.connect(settingsAt(server.url)).getUser({}, signal)
    expect(server.requests.at(-1)?.scope?.accessKey).toBe(settingsAt('').accessKey)
  })

  test('are not taken from the environment of the SDK, so a call without configured credentials fails without a request', async () => {
    const provider = awsCloud()
    expect(provider.ambient).toBeUndefined()
    const requestCount = since()
    const client = provider.connect({ iamEndpoint: server.url })
    clients.push(client)
    await expect(client.getUser({}, signal)).rejects.toMatchObject({
      reason: 'access-denied',
      code: 'MissingAuthenticationToken',
    })
    expect(requestCount()).toBe(0)
  })
})

test('awsCloud refuses invalid options', () => {
  for (const options of [
    { iam: {} },
    { sts: { STS: 1 } },
    { credentials: {} },
    { deadlineMs: 0 },
    { deadlineMs: Number.NaN },
    { ready: true },
    { readyTimeoutMs: -1 },
  ])
    expect(() => awsCloud(options as unknown as AwsCloudOptions)).toThrow(TypeError)
})
