/** How awsFailure maps errors of the SDK to errors of the port. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { awsFailure } from '../../../src/adapters/cloud-aws/failure.ts'
import { awsCloud } from '../../../src/adapters/cloud-aws/index.ts'
import type { CloudClient } from '../../../src/engines/cloud/port.ts'
import { type AwsServer, startAws } from '../../fixtures/aws/server.ts'
import { settingsAt } from '../../fixtures/aws/settings.ts'

const { signal } = new AbortController()

describe('awsFailure', () => {
  const answered = (name: string, status: number, Code?: string) =>
    Object.assign(new Error('text of AWS about AKIA'), { name, $metadata: { httpStatusCode: status }, ...(Code && { Code }) })
  const platform = (code: string, name = 'Error') => Object.assign(new Error(`connect ${code} 10.0.0.1`), { name, code })

  test.each([
    [answered('NoSuchEntityException', 404), 'not-found', 'NoSuchEntity'],
    [answered('NoSuchEntityException', 404, 'NoSuchEntity'), 'not-found', 'NoSuchEntity'],
    [answered('LimitExceededException', 409), 'limit-exceeded', 'LimitExceeded'],
    [answered('EntityAlreadyExistsException', 409), 'already-exists', 'EntityAlreadyExists'],
    [answered('DeleteConflictException', 409), 'delete-conflict', 'DeleteConflict'],
    [answered('Throttling', 400), 'throttled', 'Throttling'],
    [answered('ThrottlingException', 400, 'ThrottlingException'), 'throttled', 'ThrottlingException'],
    [answered('RequestLimitExceeded', 503), 'throttled', 'RequestLimitExceeded'],
    [answered('TooManyRequestsException', 429), 'throttled', 'TooManyRequests'],
    [answered('ConcurrentModificationException', 409), 'throttled', 'ConcurrentModification'],
    [answered('EntityTemporarilyUnmodifiableException', 409), 'throttled', 'EntityTemporarilyUnmodifiable'],
    [answered('Unknown', 429), 'throttled', undefined],
    [answered('AccessDenied', 403), 'access-denied', 'AccessDenied'],
    [answered('AccessDeniedException', 403), 'access-denied', 'AccessDenied'],
    [answered('InvalidClientTokenId', 403), 'access-denied', 'InvalidClientTokenId'],
    [answered('SignatureDoesNotMatch', 403), 'access-denied', 'SignatureDoesNotMatch'],
    [answered('RegionDisabledException', 403, 'RegionDisabledException'), 'access-denied', 'RegionDisabledException'],
    [answered('OptInRequired', 403), 'access-denied', 'OptInRequired'],
    [answered('ExpiredToken', 403), 'expired-credentials', 'ExpiredToken'],
    [answered('ExpiredTokenException', 400, 'ExpiredTokenException'), 'expired-credentials', 'ExpiredTokenException'],
    [answered('MalformedPolicyDocumentException', 400), 'invalid', 'MalformedPolicyDocument'],
    [answered('PackedPolicyTooLargeException', 400), 'invalid', 'PackedPolicyTooLarge'],
    [answered('InvalidInputException', 400), 'invalid', 'InvalidInput'],
    [answered('ValidationError', 400), 'invalid', 'ValidationError'],
    [answered('ServiceFailureException', 500), 'unavailable', 'ServiceFailure'],
    [answered('ServiceUnavailable', 503), 'unavailable', 'ServiceUnavailable'],
    [answered('InternalFailure', 500), 'unavailable', 'InternalFailure'],
    [answered('NewAtAws', 500), 'unavailable', 'NewAtAws'],
    [answered('Unknown', 502), 'unavailable', undefined],
    [answered('NewAtAws', 400), 'unknown', 'NewAtAws'],
    [answered('Unknown', 403), 'unknown', undefined],
    [platform('ECONNRESET', 'TimeoutError'), 'unavailable', 'ECONNRESET'],
    [Object.assign(new Error('x'), { name: 'TimeoutError' }), 'unavailable', 'TimeoutError'],
    [platform('ECONNREFUSED'), 'unavailable', 'ECONNREFUSED'],
    [platform('ENOTFOUND'), 'unavailable', 'ENOTFOUND'],
    [platform('SELF_SIGNED_CERT_IN_CHAIN'), 'unavailable', 'SELF_SIGNED_CERT_IN_CHAIN'],
    [Object.assign(new Error('x'), { name: 'AbortError' }), 'unavailable', 'AbortError'],
    [Object.assign(new Error('x'), { name: 'CredentialsProviderError' }), 'access-denied', 'CredentialsProviderError'],
    [Object.assign(new SyntaxError('not XML: AKIA'), { $response: { statusCode: 200 } }), 'unknown', undefined],
    [new Error('words of AKIA'), 'unknown', undefined],
    [Object.assign(new Error('x'), { name: 'a name\nwith secrets' }), 'unknown', undefined],
    ['a text', 'unknown', undefined],
    [undefined, 'unknown', undefined],
    [null, 'unknown', undefined],
  ])('maps %s to the reason %s', (thrown, reason, code) => {
    const error = awsFailure(thrown)
    expect(error).toMatchObject({ reason })
    expect(error.code).toBe(code)
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/AKIA|10\.0\.0\.1|secrets/)
    expect(error.cause).toBeUndefined()
  })
})

describe('awsCloud over HTTP', () => {
  let server: AwsServer
  const clients: CloudClient[] = []
  const at = (path: string): CloudClient => {
    const client = awsCloud().connect(settingsAt(`${server.url}/${path}`))
    clients.push(client)
    return client
  }
  beforeAll(async () => {
    server = await startAws()
  })
  afterAll(async () => {
    for (const client of clients) await client.close()
    await server?.close()
  })

  test.each([
    ['AccessDenied', 'access-denied'],
    ['ExpiredToken', 'expired-credentials'],
    ['InvalidClientTokenId', 'access-denied'],
    ['RegionDisabledException', 'access-denied'],
    ['NoSuchEntity', 'not-found'],
    ['DeleteConflict', 'delete-conflict'],
    ['EntityAlreadyExists', 'already-exists'],
    ['LimitExceeded', 'limit-exceeded'],
    ['MalformedPolicyDocument', 'invalid'],
    ['PackedPolicyTooLarge', 'invalid'],
    ['RequestLimitExceeded', 'throttled'],
    ['ServiceFailure', 'unavailable'],
    ['ServiceUnavailable', 'unavailable'],
    ['Throttling', 'throttled'],
    ['ValidationError', 'invalid'],
  ])('maps the code %s of IAM and STS to the reason %s', async (code, reason) => {
    const client = at(`DeleteUser.${code}/AssumeRole.${code}`)
    await expect(client.deleteUser({ userName: 'app-none' }, signal)).rejects.toMatchObject({ reason, code })
    const role = { roleArn: 'arn:aws:iam::123456789012:role/app', roleSessionName: 'me', durationSeconds: 900, policyArns: [] }
    await expect(client.assumeRole(role, signal)).rejects.toMatchObject({ reason, code })
    expect(server.users.has('app-none')).toBe(true)
  })

  test('fails with the reason unavailable if the connection ends before the answer, whether or not the call took effect', async () => {
    await expect(at('DeleteUser.drop').deleteUser({ userName: 'app-none' }, signal)).rejects.toMatchObject({
      reason: 'unavailable',
    })
    expect(server.users.has('app-none')).toBe(true)
    await expect(at('DeleteUser.lost').deleteUser({ userName: 'app-more' }, signal)).rejects.toMatchObject({
      reason: 'unavailable',
    })
    expect(server.users.has('app-more')).toBe(false)
  })

  test('fails with the reason unknown if the answer is not XML', async () => {
    await expect(at('GetUser.garbage').getUser({}, signal)).rejects.toMatchObject({ reason: 'unknown' })
    await expect(
      at('TagUser.garbage').tagUser({ userName: 'app-none', tags: [{ key: 'a', value: 'b' }] }, signal),
    ).rejects.toMatchObject({ reason: 'unknown' })
    expect(server.users.get('app-none')?.tags.get('a')).toBe('b')
  })
})
