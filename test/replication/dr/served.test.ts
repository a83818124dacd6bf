/** The operations that a DR secondary serves, by either view. All others are refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel, KernelResponse } from '../../../src/index.ts'
import { completed, EVERY_OPERATION, methodOf, mountAll, requestOf } from '../../fixtures/every-operation.ts'
import { clusters } from '../clusters/cluster.ts'
import { drPair, ticked } from './pair.ts'

const TEXT = 'path disabled in replication DR secondary mode'

/** The documented operations. */
const SERVED = [
  'GET /health',
  'GET /init',
  'GET /leader',
  'GET /replication/dr/secondary/generate-operation-token/attempt',
  'GET /replication/dr/status',
  'GET /replication/performance/status',
  'GET /replication/status',
  'GET /seal-status',
  'POST /init',
  'POST /replication/dr/secondary/disable',
  'POST /replication/dr/secondary/enable',
  'POST /replication/dr/secondary/generate-operation-token/attempt',
  'POST /replication/dr/secondary/generate-operation-token/update',
  'POST /replication/dr/secondary/generate-public-key',
  'POST /replication/dr/secondary/operation-token/delete',
  'POST /replication/dr/secondary/promote',
  'POST /replication/dr/secondary/update-primary',
  'POST /seal',
  'POST /unseal',
  'DELETE /replication/dr/secondary/generate-operation-token/attempt',
]

let primary: Kernel
let secondary: Kernel
beforeAll(async () => {
  const pair = await drPair(clusters())
  primary = pair[0]
  secondary = pair[1]
  await mountAll(primary, false).catch(() => {})
  await ticked(secondary)
})
afterAll(() => Promise.all([primary.close(), secondary.close()]))

const isServed = ({ verb, path }: { readonly verb: string; readonly path: string }, mount: string) =>
  mount === 'sys/' &&
  (SERVED.includes(`${verb} ${path}`) ||
    /^\/replication\/dr\/secondary\/(reindex|merkle-check|lost-writes(\/delete)?)$/.test(path))

const NOT_SERVED = EVERY_OPERATION.filter(({ operation, mount }) => !isServed(operation, mount))

const errorsOf = ({ body }: KernelResponse) => (body as { errors?: unknown } | undefined)?.errors

describe.each(NOT_SERVED.map((known) => [known.title, known] as const))('%s', (_, known) => {
  it('is refused by path on a DR secondary, whatever the token', async () => {
    for (const token of [primary.rootToken, 's.nobody', undefined]) {
      const headers = token === undefined ? {} : { 'X-Service-Token': token }
      const answer = await secondary.handle(requestOf(known, {}, headers))
      expect([answer.status, errorsOf(answer)]).toEqual([400, [TEXT]])
    }
  })

  it('is refused by a typed call on a DR secondary, by the application or with a token', async () => {
    const ofToken = secondary.as(primary.rootToken as string)
    // Only tokens have cubbyholes.
    const views = known.mount === 'cubbyhole/' ? [ofToken] : [secondary, ofToken]
    for (const view of views) {
      const method = methodOf(view as ReturnType<Kernel['as']>, known)
      await method?.(completed(known, {}, 'typed') as never).then(
        () => expect.unreachable(),
        (error: unknown) => expect(error).toMatchObject({ code: 'ERR_DR_SECONDARY', status: 400, message: TEXT }),
      )
    }
  })
})

it('a request whose path has no operation is refused on a DR secondary with the same error as any other request', async () => {
  for (const path of ['secret/a', 'nowhere/a', 'sys/nowhere', 'inner/secret/a'])
    for (const method of ['GET', 'POST', 'LIST', 'DELETE']) {
      const answer = await secondary.handle({ method, path: `/v1/${path}`, headers: {} })
      expect([path, method, answer.status, errorsOf(answer)]).toEqual([path, method, 400, [TEXT]])
    }
  const headers = { 'Content-Length': '2000000', 'X-Service-Token': primary.rootToken as string }
  const early = await secondary.precheck({ method: 'POST', path: '/v1/secret/a', headers })
  if (early) expect([early.status, errorsOf(early)]).toEqual([400, [TEXT]])
  await expect(secondary.configsvc.policies.list()).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
  await expect(secondary.visibleEverywhere()).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
})

it('a DR secondary serves status, seal and DR operations', async () => {
  expect((await secondary.replication.readStatus()).mode).toBe('disabled')
  expect((await secondary.replication.status()).dr.mode).toBe('secondary')
  expect((await secondary.generateOperationToken.readStatus()).started).toBe(false)
  expect((await secondary.replication.dr.generatePublicKey()).secondary_public_key).toMatch(/=$/)
  for (const [path, status] of [
    ['health', 472],
    ['seal-status', 200],
    ['leader', 200],
    ['init', 200],
    ['replication/status', 200],
    ['replication/dr/status', 200],
    ['replication/performance/status', 200],
    ['replication/dr/secondary/generate-operation-token/attempt', 200],
  ] as const)
    expect([path, (await secondary.handle({ method: 'GET', path: `/v1/sys/${path}`, headers: {} })).status]).toEqual([
      path,
      status,
    ])
  const { body } = await secondary.handle({ method: 'GET', path: '/v1/sys/health', headers: {} })
  expect(body).toMatchObject({ replication_dr_mode: 'secondary', replication_performance_mode: 'disabled' })
})

it('a DR secondary does no background work of engines', async () => {
  await primary.tokens.createToken({ policies: ['default'], ttl: '1s' })
  await ticked(secondary)
  const { done, more } = await secondary.tick()
  expect([done, more]).toEqual([0, false])
})
