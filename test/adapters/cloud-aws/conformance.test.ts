import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { awsCloud } from '../../../src/adapters/cloud-aws/index.ts'
import type { CloudProvider } from '../../../src/engines/cloud/port.ts'
import { cloudProviderConformance, FAKE_CLOUD_EXTRAS, type FakeCloud, fakeCloudProvider } from '../../../src/testing/index.ts'
import { type AwsServer, startAws } from '../../fixtures/aws/server.ts'
import { ROOT, recordedWorld } from '../../fixtures/aws/world.ts'

const G1 = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:Get*","Resource":"*"}]}'

function hold(name: string, provider: CloudProvider, cloudOf: () => FakeCloud & { readonly url: string }): void {
  const at = (iamEndpoint: string, stsEndpoint = iamEndpoint) => ({
    accessKey: ROOT.access_key,
    secretKey: ROOT.secret_key,
    region: 'eu-central-1',
    iamEndpoint,
    stsEndpoint,
    maxRetries: 0,
  })
  cloudProviderConformance({
    name,
    provider,
    settings: () => at(cloudOf().url),
    unreachable: () => at('http://127.0.0.1:1'),
    paged: () => at(`${cloudOf().url}/paged`),
    hanging: () => at(`${cloudOf().url}/GetUser.hang`),
    works: (key, secret, token) => cloudOf().works(key, secret, token),
    giveExtras: (userName) => cloudOf().giveExtras(userName, FAKE_CLOUD_EXTRAS),
    policy_arn: 'arn:aws:iam::aws:policy/ReadOnlyAccess',
    role_arn: 'arn:aws:iam::123456789012:role/app',
    group: {
      name: 'devs',
      attached: 'arn:aws:iam::aws:policy/ReadOnlyAccess',
      inline: { name: 'g1', document: G1 },
    },
    test,
  })
}

describe('fakeCloudProvider', () => {
  const fake = fakeCloudProvider(recordedWorld(Date.now))
  hold('fake', fake, () => fake)
})

describe('awsCloud', () => {
  let server: AwsServer
  beforeAll(async () => {
    server = await startAws({ ...recordedWorld(Date.now), region: 'eu-central-1' })
  })
  afterAll(() => server?.close())
  hold('aws, injected', awsCloud({ iam, sts }), () => server)
  hold('aws, imported', awsCloud(), () => server)
})
