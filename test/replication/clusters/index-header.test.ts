import { describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { clusters, pair } from './cluster.ts'

const INDEX = 'X-Service-Index'

const send = (kernel: Kernel, token: string, method: string, path: string, index?: string) =>
  kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': token, ...(index && { [INDEX]: index }) },
    ...(method === 'POST' && { body: { v: 1 } }),
  })

describe('a request with the index header of an earlier answer', () => {
  it('waits until the cluster has applied the write of that answer', async () => {
    const [primary, secondary] = await pair(clusters())
    const root = primary.rootToken as string
    await primary.policies.writePolicy({
      name: 'readers',
      policy: 'path "secret/*" { capabilities = ["read", "create", "update"] }',
    })
    await secondary.tick()
    const { client_token } = await secondary.tokens.createToken({ policies: ['readers'] })
    const written = await send(primary, root, 'POST', 'secret/a')
    const index = written.headers[INDEX] as string
    expect(index).toMatch(/^\d+\.[0-9a-f-]{36}\.1\.\d+$/)
    expect((await send(secondary, client_token, 'GET', 'secret/a')).status).toBe(404)
    expect((await send(secondary, client_token, 'GET', 'secret/a', index)).status).toBe(200)
    const forwarded = await send(secondary, client_token, 'POST', 'secret/b')
    expect((await send(primary, root, 'GET', 'secret/b', forwarded.headers[INDEX])).status).toBe(200)
  })

  it('fails with status 412 if the write was lost in a forced promotion', async () => {
    const [primary, secondary] = await pair(clusters())
    const root = primary.rootToken as string
    const { client_token } = await secondary.tokens.createToken({ policies: ['root'] })
    await secondary.replication.promote({ force: true })
    const lost = (await send(primary, root, 'POST', 'secret/a')).headers[INDEX] as string
    expect((await send(secondary, client_token, 'GET', 'secret/before', lost)).status).toBe(412)
  })

  it('does not fail with status 412 after a promotion without force', async () => {
    const [primary, secondary] = await pair(clusters())
    const { headers } = await send(primary, primary.rootToken as string, 'POST', 'secret/a')
    const { client_token } = await secondary.tokens.createToken({ policies: ['root'] })
    await primary.replication.demotePrimary()
    await secondary.replication.promote()
    expect((await send(secondary, client_token, 'GET', 'secret/a', headers[INDEX])).status).toBe(200)
  })

  it('fails with status 400 if the index is malformed', async () => {
    const [primary] = await pair(clusters())
    for (const index of ['x', '1.2', '1.a.1.1', `1.${'0'.repeat(36)}.x.1`])
      expect((await send(primary, primary.rootToken as string, 'GET', 'secret/before', index)).status).toBe(400)
  })
})
