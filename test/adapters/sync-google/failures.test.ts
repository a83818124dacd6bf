import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { googleSync } from '../../../src/adapters/sync-google/index.ts'
import type { GoogleServer } from '../../fixtures/sync/google.ts'
import { googleWorld } from '../../fixtures/sync/google-world.ts'
import { failureIn, live, push, type SyncWorld, VALUE } from '../../fixtures/sync/world.ts'

let world: SyncWorld<GoogleServer>
beforeAll(async () => {
  world = await googleWorld()
})
afterEach(() => world.server.calm())
afterAll(() => world.stop())

it.each([
  [400, 'INVALID_ARGUMENT', 'client'],
  [400, 'FAILED_PRECONDITION', 'client'],
  [401, 'UNAUTHENTICATED', 'client'],
  [403, 'PERMISSION_DENIED', 'client'],
  [404, 'NOT_FOUND', 'client'],
  [409, 'ABORTED', 'conflict'],
  [409, 'ALREADY_EXISTS', 'client'],
  [429, 'RESOURCE_EXHAUSTED', 'throttled'],
  [499, 'CANCELLED', 'client'],
  [500, 'INTERNAL', 'external'],
  [503, 'UNAVAILABLE', 'external'],
  [504, 'DEADLINE_EXCEEDED', 'external'],
])('googleSync maps %i %s to the error kind %s', async (status, code, kind) => {
  const session = world.destination.open(world.config)
  const body = { error: { code: status, message: `no: ${VALUE}`, status: code } }
  world.server.answers('AddSecretVersion', { status, body, headers: { 'retry-after': '3' } })
  expect(await failureIn(world, session.put(push('app'), live()))).toMatchObject({ kind, code, retryAfterMs: 3000 })
  await session.close()
})

it.each([
  ['invalid JSON', { status: 200, body: `{ ${VALUE}` }, 'external'],
  ['an empty body', { status: 200 }, 'external'],
  ['an answer that names no version', { status: 200, body: {} }, 'external'],
  ['the HTML page of a proxy', { status: 502, body: `<html>${VALUE}</html>` }, 'external'],
  ['a refusal without a body', { status: 403 }, 'client'],
  ['a declared length of one gigabyte', { status: 200, body: '', headers: { 'content-length': `${2 ** 30}` } }, 'external'],
  ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'client'],
])('googleSync reports a push as failed if the answer is %s', async (_, answer, kind) => {
  const session = world.destination.open(world.config)
  world.server.answers('AddSecretVersion', answer)
  expect((await failureIn(world, session.put(push('app'), live()))).kind).toBe(kind)
  await session.close()
})

it('googleSync reports a service account key that Google does not know with the error kind client', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const credentials = JSON.stringify({ ...JSON.parse(world.server.credentials), private_key: privateKey })
  const session = world.destination.open({ credentials })
  const failure = await failureIn({ ...world, credentials: [privateKey] }, session.put(push('app'), live()))
  expect(failure).toMatchObject({ kind: 'client', code: 'UNAUTHENTICATED' })
  await session.close()
})

it('googleSync reports an unreachable server with the error kind external', async () => {
  const session = googleSync({ endpoint: 'http://127.0.0.1:1' }).open(world.config)
  expect(await failureIn(world, session.put(push('app'), live()))).toMatchObject({ kind: 'external', code: 'ECONNREFUSED' })
  await session.close()
})

it('googleSync sends no request if the signal is already aborted', async () => {
  const session = world.destination.open(world.config)
  const before = world.server.calls.length
  expect((await failureIn(world, session.put(push('app'), AbortSignal.abort()))).kind).toBe('external')
  expect(world.server.calls.length).toBe(before)
  await session.close()
})

it('a googleSync session keeps one connection of its own open until the session is closed', async () => {
  const session = world.destination.open(world.config)
  const otherSession = world.destination.open(world.config)
  await otherSession.put(push('other'), live())
  await expect.poll(() => world.server.connections).toBe(1)
  for (let turn = 0; turn < 3; turn++) await session.put(push('kept'), live())
  expect(world.server.connections).toBe(2)
  await session.close()
  await session.close()
  await expect.poll(() => world.server.connections).toBe(1)
  expect(await failureIn(world, session.put(push('kept'), live()))).toMatchObject({ kind: 'internal', code: 'closed' })
  // Each session has its own connections.
  await otherSession.put(push('other'), live())
  await otherSession.close()
  await expect.poll(() => world.server.connections).toBe(0)
})

it('googleSync closes the connection of a call that is aborted', async () => {
  const session = world.destination.open(world.config)
  world.server.trouble({ call: 'AddSecretVersion', manner: 'hangs' })
  const stop = new AbortController()
  const pushed = failureIn(world, session.put(push('app'), stop.signal))
  await expect.poll(() => world.server.calls.at(-1)?.name).toBe('AddSecretVersion')
  stop.abort()
  expect((await pushed).kind).toBe('external')
  await expect.poll(() => world.server.connections).toBe(0)
  await session.close()
})

it('aborting a googleSync call at any moment rejects only the promise of the call', async () => {
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

it('closing a googleSync session ends its calls in flight', async () => {
  for (let turns = 0; turns < 20; turns++) {
    const session = world.destination.open(world.config)
    if (turns % 2 === 0) await session.put(push('app'), live())
    const pushed = [1, 2, 3].map((index) => session.put(push(`app-${index}`), live()))
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    await session.close()
    for (const call of pushed) await call.catch((error: unknown) => expect(error).toMatchObject({ kind: 'external' }))
  }
})

it('googleSync omits the error code of an answer if it equals the pushed value', async () => {
  const session = world.destination.open(world.config)
  const value = 'WhatWasSent'
  world.server.answers('AddSecretVersion', { status: 403, body: { error: { status: value } } })
  const failure = await failureIn(world, session.put(push('app', value), live()), value)
  expect(failure).toMatchObject({ kind: 'client' })
  expect(failure.code).toBeUndefined()
  await session.close()
})
