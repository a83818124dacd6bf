import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { azureSync } from '../../../src/adapters/sync-azure/index.ts'
import type { AzureServer } from '../../fixtures/sync/azure.ts'
import { azureWorld } from '../../fixtures/sync/azure-world.ts'
import { failureIn, live, push, type SyncWorld, VALUE } from '../../fixtures/sync/world.ts'
import { selfSigned } from '../orchestrator-kubernetes/authorities.ts'

let world: SyncWorld<AzureServer>
beforeAll(async () => {
  world = await azureWorld()
})
afterEach(() => world.server.calm())
afterAll(() => world.stop())

const error = (code: string) => ({ error: { code, message: `no: ${VALUE}` } })

it.each([
  [400, 'BadParameter', 'client'],
  [403, 'Forbidden', 'client'],
  [404, 'VaultNotFound', 'client'],
  [409, 'Conflict', 'conflict'],
  [429, 'Throttled', 'throttled'],
  [408, 'RequestTimeout', 'external'],
  [500, 'InternalServerError', 'external'],
  [503, 'ServiceUnavailable', 'external'],
])('azureSync maps %i %s to the error kind %s', async (status, code, kind) => {
  const session = world.destination.open(world.config)
  for (const call of ['SetSecret', 'RecoverDeletedSecret'])
    world.server.answers(call, { status, body: error(code), headers: { 'retry-after': '3' } })
  const failure = await failureIn(world, session.put(push('app', VALUE, { previous: 'x' }), live()))
  expect(failure).toMatchObject({ kind, code, retryAfterMs: 3000 })
  await session.close()
})

it.each([
  ['invalid JSON', { status: 200, body: `{ ${VALUE}`, headers: { 'content-type': 'application/json' } }, 'external'],
  ['the HTML page of a proxy', { status: 502, body: `<html>${VALUE}</html>` }, 'external'],
  ['a refusal without a body', { status: 403 }, 'client'],
  ['a failure without a body', { status: 500 }, 'external'],
  ['a refusal with invalid JSON', { status: 400, body: `{ ${VALUE}`, headers: { 'content-type': 'application/json' } }, 'client'],
  ['a redirect', { status: 307, headers: { location: '/secrets/other' } }, 'client'],
])('azureSync reports a push as failed if the answer is %s', async (_, answer, kind) => {
  const session = world.destination.open(world.config)
  world.server.answers('SetSecret', answer)
  expect((await failureIn(world, session.put(push('app', VALUE, { previous: 'x' }), live()))).kind).toBe(kind)
  expect(world.server.entry('other')).toBeUndefined()
  await session.close()
})

it('azureSync reports a wrong client secret with the error kind client, in an error that does not contain it', async () => {
  const secret = 'wRoNg~sEcReT'
  const session = world.destination.open({ ...world.config, client_secret: secret })
  const failure = await failureIn({ ...world, credentials: [secret] }, session.put(push('app'), live()))
  expect(failure).toMatchObject({ kind: 'client', code: 'token' })
  await session.close()
})

it.each([
  [401, 'client'],
  [429, 'throttled'],
  [503, 'external'],
])(
  'azureSync treats the status %i of the token request as %s, and requests a token again at the next push',
  async (status, kind) => {
    const session = world.destination.open(world.config)
    world.server.answers('Token', {
      status,
      body: { error: 'invalid', error_description: VALUE },
      headers: { 'retry-after': '9' },
    })
    expect(await failureIn(world, session.put(push('app'), live()))).toMatchObject({ kind, retryAfterMs: 9000 })
    expect(await session.put(push('app'), live())).toHaveProperty('externalVersion')
    await session.close()
  },
)

it('azureSync sends no request to a vault with an untrusted certificate', async () => {
  const urls: string[] = []
  const server = createServer(selfSigned(), (request, response) => {
    urls.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const uri = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const session = world.destination.open({ ...world.config, key_vault_uri: uri })
  expect(await failureIn(world, session.put(push('app'), live()))).toMatchObject({
    kind: 'external',
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  expect(urls).toEqual([])
  await session.close()
  server.close()
})

it('azureSync requests a token with the scope of Key Vault, even if the vault names another resource', async () => {
  const otherWorld = await azureWorld({ resource: 'https://management.azure.com' })
  const session = otherWorld.destination.open(otherWorld.config)
  await session.put(push('app'), live())
  expect(otherWorld.server.tokenRequests.map((parameters) => parameters.get('scope')!.split(' ')[0])).toEqual([
    'https://vault.azure.net/.default',
  ])
  await session.close()
  await otherWorld.stop()
})

it('azureSync sends no request if the signal is already aborted', async () => {
  const session = world.destination.open(world.config)
  const before = world.server.calls.length
  expect((await failureIn(world, session.put(push('app'), AbortSignal.abort()))).kind).toBe('external')
  expect(world.server.calls.length).toBe(before)
  await session.close()
})

it('an azureSync session keeps its connections open until the session is closed', async () => {
  const session = world.destination.open(world.config)
  await expect.poll(() => world.server.connections).toBe(0)
  for (let turn = 0; turn < 3; turn++) await session.put(push('kept'), live())
  // One connection to the vault and one to the authority.
  expect(world.server.connections).toBe(2)
  await session.close()
  await session.close()
  await expect.poll(() => world.server.connections).toBe(0)
  expect(await failureIn(world, session.put(push('kept'), live()))).toMatchObject({ kind: 'internal', code: 'closed' })
})

it('azureSync closes the connection of a token request that is aborted', async () => {
  const session = world.destination.open(world.config)
  world.server.trouble({ call: 'Token', manner: 'hangs' })
  const stop = new AbortController()
  const pushed = failureIn(world, session.put(push('app'), stop.signal))
  await expect.poll(() => world.server.calls.at(-1)?.name).toBe('Token')
  stop.abort()
  expect((await pushed).kind).toBe('external')
  await session.close()
  await expect.poll(() => world.server.connections).toBe(0)
})

it.each(['', 'login.example', 'http://login.example'])('azureSync refuses the authority %j', (authority) => {
  expect(() => azureSync({ authority })).toThrow(TypeError)
})

it('aborting an azureSync call at any moment rejects only the promise of the call', async () => {
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

it('closing an azureSync session ends its calls in flight', async () => {
  for (let turns = 0; turns < 20; turns++) {
    const session = world.destination.open(world.config)
    if (turns % 2 === 0) await session.put(push('app'), live())
    const pushed = [1, 2, 3].map((index) => session.put(push(`app-${index}`), live()))
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    await session.close()
    for (const call of pushed) await call.catch((error: unknown) => expect(error).toMatchObject({ kind: 'external' }))
  }
})

it('azureSync omits the error code of an answer if it equals the pushed value', async () => {
  const session = world.destination.open(world.config)
  const value = 'WhatWasSent'
  world.server.answers('SetSecret', { status: 403, body: { error: { code: value } } })
  const failure = await failureIn(world, session.put(push('app', value), live()), value)
  expect(failure).toMatchObject({ kind: 'client' })
  expect(failure.code).toBeUndefined()
  await session.close()
})
