import { describe, expect, test } from 'vitest'
import { awsCloud, type IamModule, type StsModule } from '../../../src/adapters/cloud-aws/index.ts'
import type { CloudClient } from '../../../src/engines/cloud/port.ts'

const { signal } = new AbortController()

type Answers = Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => unknown>>

/** A client over SDK stubs with the given answers. */
function over(answers: Answers): CloudClient {
  const made = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, async (input: Readonly<Record<string, unknown>>) => answer(input)]),
  )
  class Sdk {
    readonly middlewareStack = { addRelativeTo() {} }
    constructor() {
      Object.assign(this, made)
    }
    destroy() {}
  }
  const modules = { iam: { IAM: Sdk } as unknown as IamModule, sts: { STS: Sdk } as unknown as StsModule }
  return awsCloud(modules).connect({ accessKey: 'AKIA', secretKey: 'secret' })
}

const userName = 'u'

describe('an awsCloud list call', () => {
  test('reads the pages that follow a short or empty page', async () => {
    const pages: Readonly<Record<string, object>> = {
      first: { PolicyNames: [], IsTruncated: true, Marker: 'a' },
      a: { PolicyNames: ['1'], IsTruncated: true, Marker: 'b' },
      b: { IsTruncated: true, Marker: 'c' },
      c: { PolicyNames: ['2', '3'], IsTruncated: false, Marker: 'd' },
    }
    const inputs: unknown[] = []
    const client = over({
      listUserPolicies(input) {
        inputs.push(input)
        return pages[String(input['Marker'] ?? 'first')]
      },
    })
    expect(await client.listUserPolicies({ userName }, signal)).toEqual(['1', '2', '3'])
    expect(inputs[0]).toEqual({ UserName: 'u', MaxItems: 1000 })
    expect(inputs[3]).toEqual({ UserName: 'u', MaxItems: 1000, Marker: 'c' })
  })

  test('returns an empty list if the answer contains no list', async () => {
    expect(await over({ listAccessKeys: () => ({}) }).listAccessKeys({ userName }, signal)).toEqual([])
  })

  test.each([
    ['the same marker again', () => 'same'],
    ['no marker', () => undefined],
    ['an empty marker', () => ''],
    ['a new marker', () => String(Math.random())],
  ])('fails with EndlessList if every page announces another page and has %s', async (_, marker) => {
    const client = over({ listGroupsForUser: () => ({ Groups: [], IsTruncated: true, Marker: marker() }) })
    await expect(client.listGroupsForUser({ userName }, signal)).rejects.toMatchObject({ reason: 'unknown', code: 'EndlessList' })
  })
})

describe('awsCloud getGroupPolicy', () => {
  const documentOf = (PolicyDocument: unknown) =>
    over({ getGroupPolicy: () => ({ PolicyDocument }) }).getGroupPolicy({ groupName: 'g', policyName: 'p' }, signal)

  test.each([
    ['%7B%22a%22%3A%22%2B+%C3%A9%25%22%7D', '{"a":"++é%"}'],
    ['{"a":1}', '{"a":1}'],
  ])('decodes the document %s', async (encoded, document) => expect(await documentOf(encoded)).toBe(document))

  test.each(['%', '%7', '%zz', '%ff'])('refuses the malformed document %s', async (encoded) => {
    await expect(documentOf(encoded)).rejects.toMatchObject({ reason: 'invalid', code: 'MalformedPolicyDocument' })
  })
})

describe('an incomplete AWS answer', () => {
  const CreateDate = new Date(0)
  test.each<[string, Answers, (client: CloudClient) => Promise<unknown>]>([
    ['getUser', { getUser: () => ({}) }, (client) => client.getUser({}, signal)],
    ['getUser', { getUser: () => ({ User: { UserName: 'u', Arn: 'a' } }) }, (client) => client.getUser({}, signal)],
    [
      'createUser',
      { createUser: () => ({ User: { UserName: '' } }) },
      (client) => client.createUser({ userName, path: '/' }, signal),
    ],
    [
      'createAccessKey',
      { createAccessKey: () => ({ AccessKey: { AccessKeyId: 'a' } }) },
      (client) => client.createAccessKey({ userName }, signal),
    ],
    [
      'getGroupPolicy',
      { getGroupPolicy: () => ({}) },
      (client) => client.getGroupPolicy({ groupName: 'g', policyName: 'p' }, signal),
    ],
    [
      'listAccessKeys',
      { listAccessKeys: () => ({ AccessKeyMetadata: [{ CreateDate }] }) },
      (client) => client.listAccessKeys({ userName }, signal),
    ],
    [
      'listAccessKeys',
      { listAccessKeys: () => ({ AccessKeyMetadata: [{ AccessKeyId: 'a', CreateDate: new Date(Number.NaN) }] }) },
      (client) => client.listAccessKeys({ userName }, signal),
    ],
    [
      'getFederationToken',
      { getFederationToken: () => ({ Credentials: { AccessKeyId: 'a', SecretAccessKey: 's', SessionToken: 't' } }) },
      (client) => client.getFederationToken({ name: 'me', durationSeconds: 900, policyArns: [] }, signal),
    ],
  ])('makes the call %s fail with IncompleteAnswer', async (_, answers, ask) => {
    await expect(ask(over(answers))).rejects.toMatchObject({ reason: 'unknown', code: 'IncompleteAnswer' })
  })
})

describe('awsCloud deleteUserExtras', () => {
  test('deletes the remaining objects after a failure, and then reports the first failure', async () => {
    const done: unknown[] = []
    const remember = (name: string) => (input: object) => void done.push([name, input])
    const client = over({
      deleteLoginProfile() {
        throw Object.assign(new Error('x'), { name: 'AccessDenied' })
      },
      listMFADevices: () => ({
        MFADevices: [{ SerialNumber: 'arn:aws:iam::123456789012:mfa/v' }, { SerialNumber: 'GAHT12345678' }],
      }),
      deactivateMFADevice: remember('deactivate'),
      deleteVirtualMFADevice: remember('delete'),
      listSSHPublicKeys: () => ({}),
      listSigningCertificates: () => ({ Certificates: [{ CertificateId: 'c' }] }),
      deleteSigningCertificate: remember('certificate'),
      listServiceSpecificCredentials: () => {
        throw Object.assign(new Error('x'), { name: 'ServiceFailureException' })
      },
    })
    await expect(client.deleteUserExtras({ userName }, signal)).rejects.toMatchObject({ reason: 'access-denied' })
    expect(done).toEqual([
      ['deactivate', { UserName: 'u', SerialNumber: 'arn:aws:iam::123456789012:mfa/v' }],
      ['delete', { SerialNumber: 'arn:aws:iam::123456789012:mfa/v' }],
      ['deactivate', { UserName: 'u', SerialNumber: 'GAHT12345678' }],
      ['certificate', { UserName: 'u', CertificateId: 'c' }],
    ])
  })
})

test('awsCloud creates an SDK client at the first call, shares it between calls, and destroys it on close', async () => {
  let made = 0
  class Sdk {
    readonly middlewareStack = { addRelativeTo() {} }
    constructor() {
      made++
    }
    async getUser() {
      return { User: { UserName: 'u', UserId: 'i', Arn: 'a' } }
    }
    destroy() {
      made--
    }
  }
  const client = awsCloud({ iam: { IAM: Sdk } as unknown as IamModule }).connect({ accessKey: 'a', secretKey: 's' })
  expect(made).toBe(0)
  await Promise.all([client.getUser({}, signal), client.getUser({}, signal)])
  await client.getUser({}, signal)
  expect(made).toBe(1)
  await client.close()
  await client.close()
  await Promise.resolve()
  expect(made).toBe(0)
})
