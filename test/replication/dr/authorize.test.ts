/** Changes of a DR secondary check first the role, then the token, and then the other parameters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { clusters } from '../clusters/cluster.ts'
import { operationTokenOf, withShares } from './operation-token.ts'
import { drTokenOf, ticked } from './pair.ts'

const BASE = 'sys/replication/dr/secondary'

const PATHS = ['promote', 'disable', 'update-primary'] as const

const all = clusters()
let primary: Kernel
let secondary: Kernel
let operationToken: string
let batch: (policy: string) => Promise<string>

const send = async (kernel: Kernel, path: string, body: object) => {
  const { status, body: answer } = await kernel.handle({ method: 'POST', path: `/v1/${BASE}/${path}`, headers: {}, body })
  return { status, errors: (answer as { errors?: readonly string[] } | undefined)?.errors }
}

beforeAll(async () => {
  primary = await all.make()
  await primary.replication.dr.enablePrimary()
  batch = async (policy) => {
    await primary.policies.writePolicy({ name: `p${policy.length}`, policy })
    const made = await primary.tokens.createToken({
      type: 'batch',
      no_parent: true,
      policies: [`p${policy.length}`],
      ttl: '1h',
    })
    await ticked(secondary)
    return made.client_token
  }
  const made = await withShares(all)
  secondary = made.kernel
  await secondary.replication.dr.enableSecondary({ token: await drTokenOf(primary, 'mirror') })
  await ticked(secondary)
  operationToken = await operationTokenOf(secondary, made.shares, primary)
})
afterAll(() => Promise.all([primary.close(), secondary.close()]))

describe.each(PATHS)('the DR operation %s', (path) => {
  it('is refused with status 400 on a cluster that is not a DR secondary, whatever the token and the parameters', async () => {
    const disabled = await all.make()
    for (const kernel of [primary, disabled])
      for (const body of [{}, { dr_operation_token: 's.none' }, { dr_operation_token: operationToken, force: 'perhaps' }]) {
        const { status, errors } = await send(kernel, path, body)
        expect([status, errors]).toEqual([400, ['the cluster is not a DR secondary']])
      }
    await disabled.close()
  })

  it('is refused without a valid token, before any other parameter is validated', async () => {
    const rest = { force: 'perhaps', token: { a: 1 }, update_primary_addrs: 'a' }
    for (const token of [{}, { dr_operation_token: '' }, { dr_operation_token: null }, { dr_operation_token: [1] }]) {
      const { status, errors } = await send(secondary, path, { ...token, ...rest })
      expect([token, status]).toEqual([token, 400])
      expect(errors?.join()).toContain('dr_operation_token')
    }
    const service = (await primary.tokens.createToken({ policies: ['root'] })).client_token
    await ticked(secondary)
    for (const dr_operation_token of ['s.none', 'b.none', 'x', 'a'.repeat(100_000), service, primary.rootToken])
      expect((await send(secondary, path, { dr_operation_token, ...rest })).status).toBe(403)
    expect((await secondary.replication.dr.readStatus()).mode).toBe('secondary')
  })

  it('is refused for a batch token whose policies do not permit the path', async () => {
    const others = PATHS.filter((candidate) => candidate !== path).map(
      (candidate) => `path "${BASE}/${candidate}" { capabilities = ["update"] }`,
    )
    expect((await send(secondary, path, { dr_operation_token: await batch(others.join('\n')) })).status).toBe(403)
    const reads = `path "${BASE}/${path}" { capabilities = ["read"] }`
    expect((await send(secondary, path, { dr_operation_token: await batch(reads) })).status).toBe(403)
    const bound = await batch(`path "${BASE}/*" { capabilities = ["update"] }`)
    // The token is sufficient, so the error is about the other parameters.
    if (path !== 'disable')
      expect((await send(secondary, path, { dr_operation_token: bound, ca_file: { a: 1 }, force: { a: 1 } })).status).toBe(400)
  })

  it('is refused without a valid token even for the application', async () => {
    const { dr } = secondary.replication
    const call = { promote: dr.promote, disable: dr.disableSecondary, 'update-primary': dr.updatePrimary }[path]
    await expect(call.call(dr, { dr_operation_token: 's.none' })).rejects.toMatchObject({ status: 403 })
    const { dr: ofToken } = secondary.as(primary.rootToken as string).replication
    const asToken = { promote: ofToken.promote, disable: ofToken.disableSecondary, 'update-primary': ofToken.updatePrimary }[path]
    await expect(asToken.call(ofToken)).rejects.toMatchObject({ status: 400 })
  })
})

describe('a request with a valid DR operation token', () => {
  it.each([
    ['update-primary', {}],
    ['update-primary', { token: 'x', update_primary_addrs: ['a'] }],
    ['update-primary', { token: 'x' }],
    ['update-primary', { token: '\u0000' }],
    ['update-primary', { update_primary_addrs: ['a'.repeat(257)] }],
    ['update-primary', { update_primary_addrs: Array(33).fill('a') }],
    ['update-primary', { update_primary_addrs: [{ a: 1 }] }],
    ['update-primary', { token: 'x', primary_api_addr: 'a'.repeat(257) }],
    ['promote', { force: 'perhaps' }],
    ['promote', { force: { a: 1 } }],
    ['promote', { force: true, primary_cluster_addr: 'a'.repeat(257) }],
    ['promote', {}],
  ])('for %s with %j fails with status 400 and changes nothing', async (path, more) => {
    const before = await secondary.replication.dr.readStatus()
    expect((await send(secondary, path, { dr_operation_token: operationToken, ...more })).status).toBe(400)
    expect(await secondary.replication.dr.readStatus()).toMatchObject({
      mode: 'secondary',
      secondary_id: before.secondary_id ?? '',
    })
  })
})

it('a batch token of the primary authorizes only one of two concurrent promotions', async () => {
  const token = await batch(`path "${BASE}/promote" { capabilities = ["update"] }\n`)
  await primary.replication.dr.demotePrimary()
  const [one, other] = await Promise.all([
    send(secondary, 'promote', { dr_operation_token: token }),
    send(secondary, 'promote', { dr_operation_token: token }),
  ])
  expect([one.status, other.status].sort()).toEqual([200, 400])
  expect((await secondary.replication.dr.readStatus()).mode).toBe('primary')
  await primary.replication.dr.updatePrimary({ token: await drTokenOf(secondary, 'back') })
  await ticked(primary)
  await secondary.replication.dr.demotePrimary()
  await ticked(primary)
  const answer = await secondary.handle({
    method: 'POST',
    path: `/v1/${BASE}/promote`,
    headers: {},
    body: { dr_operation_token: operationToken },
  })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    data: { progress: 2, required: 2, complete: true },
    progress: 2,
    required: 2,
    complete: true,
    warnings: [expect.any(String)],
  })
})

it('an operation token can be deleted in any replication role, because a promoted cluster no longer needs it', async () => {
  const { kernel, shares } = await withShares(all)
  const remove = (dr_operation_token: string) => send(kernel, 'operation-token/delete', { dr_operation_token })
  const otherKernel = await all.make()
  const first = await operationTokenOf(kernel, shares, otherKernel)
  expect((await remove(first)).status).toBe(204)
  await otherKernel.replication.dr.enablePrimary()
  await kernel.replication.dr.enableSecondary({ token: await drTokenOf(otherKernel, 'removes') })
  await ticked(kernel)
  const kept = await operationTokenOf(kernel, shares, otherKernel)
  await otherKernel.replication.dr.demotePrimary()
  expect((await send(kernel, 'promote', { dr_operation_token: kept })).status).toBe(200)
  expect((await send(kernel, 'promote', { dr_operation_token: kept })).status).toBe(400)
  expect((await remove('')).status).toBe(400)
  expect((await remove('b.AAAA')).status).toBe(400)
  expect((await remove('s.none')).status).toBe(403)
  expect((await remove(kept)).status).toBe(204)
  expect((await remove(kept)).status).toBe(403)
  await Promise.all([kernel.close(), otherKernel.close()])
})
