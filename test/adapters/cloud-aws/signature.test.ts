/** The loopback server verifies signatures as AWS does. The requests come from the SDK. */
import { createHash } from 'node:crypto'
import { IAM } from '@aws-sdk/client-iam'
import { STS } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { awsCloud } from '../../../src/adapters/cloud-aws/index.ts'
import { type AwsServer, startAws } from '../../fixtures/aws/server.ts'
import { settingsAt } from '../../fixtures/aws/settings.ts'
import { ROOT, recordedWorld } from '../../fixtures/aws/world.ts'

const { signal } = new AbortController()
const credentials = { accessKeyId: ROOT.access_key, secretAccessKey: ROOT.secret_key }
const HOUR_MS = 3_600_000

let server: AwsServer
let worldTime = Date.now()
beforeAll(async () => {
  server = await startAws({ ...recordedWorld(() => worldTime), region: 'eu-central-1' })
})
afterAll(() => server?.close())

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/** Calls GetUser with a request that is changed after signing. Resolves to the answer, or to the name of the error. */
async function changed(change: (sent: Sent) => void, more: object = {}): Promise<unknown> {
  const iam = new IAM({ region: 'eu-central-1', endpoint: server.url, credentials, maxAttempts: 1, ...more })
  const middleware = (next: (args: object) => unknown) => (args: { readonly request: unknown }) => {
    change(args.request as Sent)
    return next(args)
  }
  iam.middlewareStack.addRelativeTo(middleware as never, {
    name: 'change',
    relation: 'before',
    toMiddleware: 'deserializerMiddleware',
  })
  try {
    return await iam.getUser({ UserName: 'app-none' })
  } catch (error) {
    return (error as Error).name
  } finally {
    iam.destroy()
  }
}

const header =
  (name: string, value: string) =>
  ({ headers }: Sent): void => {
    headers[name] = value
  }

const body = (sent: Sent): void => {
  sent.body = sent.body.replace('app-none', 'app-more')
}

const authorization =
  (from: string | RegExp, to: string) =>
  ({ headers }: Sent): void => {
    const before = headers['authorization'] ?? ''
    headers['authorization'] = before.replace(from, to)
    if (headers['authorization'] === before) throw new Error('the test changes nothing')
  }

const stamp = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')

test('the AWS loopback server accepts an unchanged signed request', async () => {
  expect(await changed(() => {})).toMatchObject({ User: { UserName: 'app-none' } })
})

describe('a request to the AWS loopback server that was changed after signing', () => {
  test.each<[string, (sent: Sent) => void, string]>([
    ['another body', body, 'SignatureDoesNotMatch'],
    [
      'another body and its hash',
      (sent) => {
        body(sent)
        header('x-amz-content-sha256', createHash('sha256').update(sent.body).digest('hex'))(sent)
      },
      'SignatureDoesNotMatch',
    ],
    [
      'another path',
      (sent) => {
        sent.path = '/paged/'
      },
      'SignatureDoesNotMatch',
    ],
    ['another date', header('x-amz-date', stamp(Date.now() + 2000)), 'SignatureDoesNotMatch'],
    ['another value of a signed header', header('x-amz-user-agent', 'another'), 'SignatureDoesNotMatch'],
    ['an added header of AWS', header('x-amz-more', '1'), 'SignatureDoesNotMatch'],
    ['an unsigned session token', header('x-amz-security-token', 't'), 'InvalidClientTokenId'],
    ['another signature', authorization(/Signature=\w{8}/, 'Signature=00000000'), 'SignatureDoesNotMatch'],
    ['another access key', authorization(ROOT.access_key, 'AKIANOBODYNOBODYNOBO'), 'InvalidClientTokenId'],
    ['other signed headers', authorization('host;', ''), 'SignatureDoesNotMatch'],
    ['another algorithm', authorization('AWS4', 'AWS3'), 'IncompleteSignature'],
    ['a missing signature', ({ headers }) => void Reflect.deleteProperty(headers, 'authorization'), 'MissingAuthenticationToken'],
  ])('is refused with %s', async (_, change, code) => {
    expect(await changed(change)).toBe(code)
  })
})

describe('the AWS loopback server', () => {
  test('refuses a signature made with another secret key', async () => {
    const wrong = { ...credentials, secretAccessKey: `${ROOT.secret_key.slice(0, -1)}X` }
    expect(await changed(() => {}, { credentials: wrong })).toBe('SignatureDoesNotMatch')
  })

  test('refuses a signature for another region', async () => {
    expect(await changed(() => {}, { region: 'eu-west-1' })).toBe('SignatureDoesNotMatch')
  })

  test('refuses a signature for another service', async () => {
    const sts = new STS({ region: 'eu-central-1', endpoint: server.url, credentials, maxAttempts: 1 })
    const middleware = (next: (args: object) => unknown) => (args: { readonly request: unknown }) => {
      const sent = args.request as Sent
      sent.body = 'Action=GetUser&Version=2010-05-08'
      return next(args)
    }
    // This step runs before the request is signed.
    sts.middlewareStack.add(middleware as never, { step: 'build', priority: 'high' })
    await expect(sts.getCallerIdentity({})).rejects.toMatchObject({
      name: 'SignatureDoesNotMatch',
      message: expect.stringContaining('correct service'),
    })
    sts.destroy()
  })

  test.each([-600_000, 600_000])('refuses a request signed with a clock that is %i ms off', async (systemClockOffset) => {
    expect(await changed(() => {}, { systemClockOffset })).toBe('SignatureDoesNotMatch')
  })
})

describe('a session of the AWS loopback server', () => {
  test('is accepted only with its session token, and only until it expires by the test’s clock', async () => {
    const client = awsCloud().connect(settingsAt(server.url))
    const role = { roleArn: 'arn:aws:iam::123456789012:role/app', roleSessionName: 'me', durationSeconds: 900, policyArns: [] }
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await client.assumeRole(role, signal)
    expect(expiration).toBe(worldTime + 900_000)
    await client.close()
    const ask = async (token: string | undefined): Promise<unknown> => {
      const own = { accessKeyId, secretAccessKey, ...(token !== undefined && { sessionToken: token }) }
      const sts = new STS({ region: 'eu-central-1', endpoint: server.url, credentials: own, maxAttempts: 1 })
      try {
        return (await sts.getCallerIdentity({})).Arn
      } catch (error) {
        return (error as Error).name
      } finally {
        sts.destroy()
      }
    }
    expect(await ask(sessionToken)).toBe('arn:aws:sts::123456789012:assumed-role/app/me')
    expect(await ask(`${sessionToken}x`)).toBe('InvalidClientTokenId')
    expect(await ask(undefined)).toBe('InvalidClientTokenId')
    worldTime += HOUR_MS
    // The SDK signs with the time of the machine, whatever the clock of the world shows.
    expect(await ask(sessionToken)).toBe('ExpiredToken')
  })
})

test('the AWS loopback server refuses GET requests and unknown actions', async () => {
  expect((await fetch(server.url)).status).toBe(400)
  const unknown = await fetch(server.url, { method: 'POST', body: 'Action=Nothing&Version=2010-05-08' })
  expect(await unknown.text()).toContain('<Code>MissingAuthenticationToken</Code>')
  const iam = new IAM({ region: 'eu-central-1', endpoint: server.url, credentials, maxAttempts: 1 })
  await expect(iam.listRoles({})).rejects.toMatchObject({ name: 'InvalidAction' })
  iam.destroy()
})
