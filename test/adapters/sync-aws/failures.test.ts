import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { awsSync } from '../../../src/adapters/sync-aws/index.ts'
import type { AwsServer } from '../../fixtures/sync/aws.ts'
import { awsWorld } from '../../fixtures/sync/aws-world.ts'
import { failureIn, live, push, type SyncWorld, VALUE } from '../../fixtures/sync/world.ts'

let world: SyncWorld<AwsServer>
beforeAll(async () => {
  world = await awsWorld()
})
afterEach(() => world.server.calm())
afterAll(() => world.stop())

it.each([
  ['AccessDeniedException', 400, 'client'],
  ['ExpiredTokenException', 400, 'client'],
  ['InvalidParameterException', 400, 'client'],
  ['InvalidRequestException', 400, 'client'],
  ['LimitExceededException', 400, 'client'],
  ['EncryptionFailure', 400, 'client'],
  ['ThrottlingException', 400, 'throttled'],
  ['TooManyRequestsException', 429, 'throttled'],
  ['RequestLimitExceeded', 400, 'throttled'],
  ['InternalServiceError', 500, 'external'],
  ['ServiceUnavailable', 503, 'external'],
  ['RequestTimeout', 408, 'external'],
  ['SomethingNew', 418, 'client'],
])('awsSync maps %s (%i) to the error kind %s', async (type, status, kind) => {
  const session = world.destination.open(world.config)
  const body = { __type: type, Message: `no: ${VALUE}` }
  world.server.answers('CreateSecret', { status, body, headers: { 'retry-after': '3' } })
  const failure = await failureIn(world, session.put(push('app'), live()))
  expect(failure).toMatchObject({ kind, code: type, retryAfterMs: 3000 })
  await session.close()
})

it.each([
  ['invalid JSON', { status: 200, body: `{ ${VALUE}` }, 'external'],
  ['the HTML page of a proxy', { status: 502, body: `<html>${VALUE}</html>` }, 'external'],
  ['a redirect', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }, 'client'],
])('awsSync reports a push as failed if the answer is %s', async (_, answer, kind) => {
  const session = world.destination.open(world.config)
  world.server.answers('CreateSecret', answer)
  expect((await failureIn(world, session.put(push('app'), live()))).kind).toBe(kind)
  await session.close()
})

it('awsSync converts a Retry-After date to milliseconds from now', async () => {
  const session = world.destination.open(world.config)
  const at = new Date(Date.now() + 60_000).toUTCString()
  world.server.answers('CreateSecret', { status: 429, body: { __type: 'ThrottlingException' }, headers: { 'retry-after': at } })
  const { retryAfterMs } = await failureIn(world, session.put(push('app'), live()))
  expect(retryAfterMs).toBeGreaterThan(50_000)
  expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  await session.close()
})

it('awsSync reports an unreachable server with the error kind external', async () => {
  const session = awsSync({ endpoint: 'http://127.0.0.1:1' }).open(world.config)
  expect(await failureIn(world, session.put(push('app'), live()))).toMatchObject({ kind: 'external', code: 'ECONNREFUSED' })
  await session.close()
})

it('awsSync reports a missing region with the error kind client, without sending a request', async () => {
  const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const session = awsSync({ endpoint: world.server.url, environment }).open({})
  const before = world.server.calls.length
  expect(await failureIn(world, session.put(push('app'), live()))).toMatchObject({ kind: 'client', code: 'not_configured' })
  expect(world.server.calls.length).toBe(before)
  await session.close()
})

it('awsSync refuses a value that is too long with an error that does not contain the value', async () => {
  const session = world.destination.open(world.config)
  const value = `${VALUE}${'x'.repeat(65_536)}`
  expect((await failureIn(world, session.put(push('app', value), live()))).kind).toBe('client')
  await session.close()
})

it('awsSync sends no request if the signal is already aborted', async () => {
  const session = world.destination.open(world.config)
  const before = world.server.calls.length
  expect((await failureIn(world, session.put(push('app'), AbortSignal.abort()))).kind).toBe('external')
  expect(world.server.calls.length).toBe(before)
  await session.close()
})

it('an awsSync session keeps one connection open until the session is closed', async () => {
  const session = world.destination.open(world.config)
  for (let turn = 0; turn < 3; turn++) await session.put(push('kept'), live())
  expect(world.server.connections).toBe(1)
  await session.close()
  await session.close()
  await expect.poll(() => world.server.connections).toBe(0)
  expect(await failureIn(world, session.put(push('kept'), live()))).toMatchObject({ kind: 'internal', code: 'closed' })
  await world.destination.open(world.config).close()
})

it('aborting an awsSync call at any moment rejects only the promise of the call', async () => {
  const session = world.destination.open(world.config)
  await session.put(push('app'), live())
  for (let turns = 0; turns < 40; turns++) {
    const stop = new AbortController()
    const pushed = session.put(push('app'), stop.signal)
    for (let turn = 0; turn < turns; turn++) await (turn % 4 === 3 ? new Promise(setImmediate) : undefined)
    stop.abort()
    await pushed.catch((error: unknown) => expect(error).toMatchObject({ kind: 'external' }))
  }
  await session.close()
})

it('closing an awsSync session ends its calls in flight', async () => {
  for (let turns = 0; turns < 20; turns++) {
    const session = world.destination.open(world.config)
    if (turns % 2 === 0) await session.put(push('app'), live())
    const pushed = [1, 2, 3].map((index) => session.put(push(`app-${index}`), live()))
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    await session.close()
    for (const call of pushed) await call.catch((error: unknown) => expect(error).toMatchObject({ kind: 'external' }))
  }
})

it('awsSync omits the error code of an answer if it equals the pushed value', async () => {
  const session = world.destination.open(world.config)
  const value = 'WhatWasSent'
  world.server.answers('CreateSecret', { status: 403, body: { __type: value } })
  const failure = await failureIn(world, session.put(push('app', value), live()), value)
  expect(failure).toMatchObject({ kind: 'client' })
  expect(failure.code).toBeUndefined()
  await session.close()
})
