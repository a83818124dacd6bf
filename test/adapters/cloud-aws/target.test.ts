import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { awsCloud } from '../../../src/adapters/cloud-aws/index.ts'
import { endpointUrl, iamSigningRegion } from '../../../src/adapters/cloud-aws/target.ts'
import type { CloudSettings } from '../../../src/engines/cloud/port.ts'
import { type AwsServer, startAws } from '../../fixtures/aws/server.ts'
import { settingsAt } from '../../fixtures/aws/settings.ts'

const { signal } = new AbortController()
let server: AwsServer
beforeAll(async () => {
  server = await startAws()
})
afterAll(() => server?.close())
afterEach(() => vi.unstubAllEnvs())

async function regionsFor(settings: CloudSettings): Promise<readonly (string | undefined)[]> {
  const client = awsCloud().connect(settings)
  await client.getUser({}, signal)
  await client.getFederationToken({ name: 'me', durationSeconds: 900, policyArns: [] }, signal)
  await client.close()
  return server.requests.slice(-2).map(({ scope }) => `${scope?.service} ${scope?.region}`)
}

describe('the AWS region', () => {
  test.each([
    ['eu-central-1', 'ap-south-1', 'sa-east-1', 'eu-central-1'],
    ['', 'ap-south-1', 'sa-east-1', 'ap-south-1'],
    [undefined, 'ap-south-1', 'sa-east-1', 'ap-south-1'],
    [undefined, '', 'sa-east-1', 'sa-east-1'],
    [undefined, undefined, 'sa-east-1', 'sa-east-1'],
    [undefined, undefined, undefined, 'us-east-1'],
  ])(
    'is chosen from the configured region %s, AWS_REGION %s and AWS_DEFAULT_REGION %s: %s',
    async (configured, first, second, region) => {
      vi.stubEnv('AWS_REGION', first)
      vi.stubEnv('AWS_DEFAULT_REGION', second)
      const { region: _, ...settings } = settingsAt(server.url)
      const regions = await regionsFor({ ...settings, ...(configured !== undefined && { region: configured }) })
      expect(regions).toEqual([`iam ${region}`, `sts ${region}`])
    },
  )

  test.each([
    ['eu-central-1', 'https://iam.amazonaws.com', 'us-east-1'],
    ['us-gov-east-1', 'https://iam.us-gov.amazonaws.com', 'us-gov-west-1'],
    ['cn-northwest-1', 'https://iam.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['eu-central-1', 'https://vpce-1.iam.us-east-1.vpce.amazonaws.com', 'us-east-1'],
    ['eu-central-1', 'http://localhost:4566', 'eu-central-1'],
    ['eu-central-1', undefined, 'eu-central-1'],
  ])('in IAM signatures depends on the configured region %s and the IAM endpoint %s: %s', (region, endpoint, signed) => {
    expect(iamSigningRegion(region, endpoint)).toBe(signed)
  })
})

describe('an AWS endpoint', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['iam.example.com', 'https://iam.example.com'],
    ['iam.example.com:8443/path', 'https://iam.example.com:8443/path'],
    ['http://127.0.0.1:4566', 'http://127.0.0.1:4566'],
    ['https://iam.example.com/x', 'https://iam.example.com/x'],
  ])('given as %s becomes %s', (address, url) => expect(endpointUrl(address)).toBe(url))

  test('without a scheme is called over TLS', async () => {
    const requestsBefore = server.requests.length
    const client = awsCloud().connect(settingsAt(server.url.slice('http://'.length)))
    await expect(client.getUser({}, signal)).rejects.toMatchObject({ reason: 'unavailable' })
    expect(server.requests).toHaveLength(requestsBefore)
    await client.close()
  })

  test.each(['http://', 'ftp://x', 'https://a b', 'http://user:pass@127.0.0.1', '\0', `http://${'x'.repeat(70_000)}:y`])(
    'that is invalid is refused: %s',
    async (endpoint) => {
      const client = awsCloud().connect(settingsAt(endpoint))
      await expect(client.getUser({}, signal)).rejects.toMatchObject({ reason: 'invalid', code: 'ERR_INVALID_URL' })
      await client.close()
    },
  )

  test('can differ between IAM and STS', async () => {
    const client = awsCloud().connect(settingsAt('', { iamEndpoint: `${server.url}/one`, stsEndpoint: `${server.url}/two` }))
    await client.getUser({}, signal)
    await client.getFederationToken({ name: 'me', durationSeconds: 900, policyArns: [] }, signal)
    expect(server.requests.slice(-2).map(({ path }) => path)).toEqual(['/one/', '/two/'])
    await client.close()
  })
})
