import { once } from 'node:events'
import type { ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, createSecureContext } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { startTokenReviewApi, type TokenReviewApi } from '../../fixtures/token-review-api.ts'
import { refusal, review, titled } from './asking.ts'
import { authority, type CertificateWishes, selfSigned } from './authorities.ts'

const ca = authority('cluster-ca')
const otherCa = authority('another-ca')
const good = ca.issue()

const serve = (tls: ServerOptions = good): Promise<TokenReviewApi> => startTokenReviewApi({ tls })
const ask = ({ url }: TokenReviewApi, caCert: string | null, reviewer = kubernetesTokenReviewer()) =>
  review(reviewer, { host: url, caCert })

afterEach(() => vi.unstubAllEnvs())

describe('the certificate of an API server', () => {
  it.each([
    ['chains to the given certificate', ca.cert],
    ['chains to one of several given certificates', `${otherCa.cert}\n# the cluster's\n${ca.cert}${otherCa.cert}`],
    [
      'chains to the readable one of two given certificates',
      `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${ca.cert}`,
    ],
    ['is the given certificate', good.cert],
  ])('is trusted if it %s', async (_, caCert) => {
    await using api = await serve()
    expect(await ask(api, caCert)).toMatchObject({ authenticated: true, audiences: ['a'] })
    const byName = { url: api.url.replace('127.0.0.1', 'localhost') }
    expect(await ask({ ...api, ...byName }, caCert)).toMatchObject({ authenticated: true })
  })

  it('is trusted if it is self-signed and given as the authority', async () => {
    const self = selfSigned()
    await using api = await serve(self)
    expect(await ask(api, self.cert)).toMatchObject({ authenticated: true })
    await refusal(ask(api, ca.cert), 'transport')
  })

  it('is trusted through an intermediate authority that the server sends or the caller configures', async () => {
    const between = ca.intermediate('between-ca')
    const { key, cert } = between.issue()
    await using whole = await serve({ key, cert: cert + between.cert })
    expect(await ask(whole, ca.cert)).toMatchObject({ authenticated: true })
    await using alone = await serve({ key, cert })
    expect(await ask(alone, between.cert)).toMatchObject({ authenticated: true })
    await refusal(ask(alone, ca.cert), 'transport')
  })

  it.each([
    ['comes from another authority', otherCa.cert, 'is not issued by a trusted CA'],
    ['comes from an authority that the platform does not know', null, 'is not issued by a trusted CA'],
  ])('is refused if it %s', async (_, caCert, why) => {
    await using api = await serve()
    const error = await refusal(ask(api, caCert), 'transport')
    expect(error.message).toContain(why)
    expect(error.cause).toBeInstanceOf(Error)
    expect(api.requests).toEqual([])
  })

  it.each<[string, CertificateWishes, string]>([
    ['names another host', { names: ['DNS:elsewhere.example', 'IP:127.0.0.2'] }, 'does not contain the host name'],
    ['has expired', { days: [-2, -1] }, 'has expired'],
    ['is not valid yet', { days: [1, 2] }, 'is not valid yet'],
    ['is for clients', { purpose: 'client' }, 'INVALID_PURPOSE'],
  ])('is refused if it %s', async (_, wishes, why) => {
    await using api = await serve(ca.issue(wishes))
    const error = await refusal(ask(api, ca.cert), 'transport')
    expect(error.message).toContain(why)
    expect(api.requests).toEqual([])
  })

  it('is refused if only its subject names the host', async () => {
    await using api = await serve(ca.issue({ names: [], commonName: 'localhost' }))
    await refusal(ask({ ...api, url: api.url.replace('127.0.0.1', 'localhost') }, ca.cert), 'transport')
  })

  it.each(titled(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', good.key]))(
    'is refused if the configured authority is invalid, without a check by the platform’s authorities: %j',
    async (_, caCert) => {
      await using api = await serve()
      expect((await refusal(ask(api, caCert), 'transport')).message).toContain('CA certificates')
    },
  )

  it('is verified even if the environment variable NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    await using api = await serve()
    await refusal(ask(api, otherCa.cert), 'transport')
    await refusal(ask(api, null), 'transport')
  })

  it('is verified again if the next review trusts another authority', async () => {
    await using api = await serve()
    const reviewer = kubernetesTokenReviewer()
    await ask(api, ca.cert, reviewer)
    await refusal(ask(api, otherCa.cert, reviewer), 'transport')
    expect(await ask(api, ca.cert + otherCa.cert, reviewer)).toMatchObject({ authenticated: true })
    await refusal(ask(api, null, reviewer), 'transport')
    expect(await ask(api, ca.cert, reviewer)).toMatchObject({ authenticated: true })
    expect(api.requests).toHaveLength(3)
  })

  it('is verified for every new connection', async () => {
    const expired = ca.issue({ days: [-2, -1] })
    let certificate = good
    await using api = await serve({ ...good, SNICallback: (_, done) => done(null, createSecureContext(certificate)) })
    const host = api.url.replace('127.0.0.1', 'localhost')
    const reviewer = kubernetesTokenReviewer()
    await review(reviewer, { host: `${host}/refuse`, caCert: ca.cert })
    certificate = expired
    // The first connection is busy, so the second review needs a new connection.
    const both = await Promise.allSettled([1, 2].map(() => review(reviewer, { host, caCert: ca.cert })))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('token reviews over TLS', () => {
  const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const

  it('refuse TLS version 1.1', async () => {
    await using api = await serve({ ...good, ...OLD })
    // A client that accepts TLS 1.1 can connect to this server.
    const socket = connect({ port: Number(new URL(api.url).port), ca: ca.cert, ...OLD })
    await once(socket, 'secureConnect')
    expect(socket.getProtocol()).toBe('TLSv1.1')
    socket.destroy()
    expect((await refusal(ask(api, ca.cert), 'transport')).message).toContain('TLS 1.2 or later')
    expect(api.requests).toEqual([])
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('accept TLS version %s', async (version) => {
    await using api = await serve({ ...good, minVersion: version, maxVersion: version })
    expect(await ask(api, ca.cert)).toMatchObject({ authenticated: true })
  })

  it('send no token to a server without TLS', async () => {
    await using api = await startTokenReviewApi()
    await refusal(review(kubernetesTokenReviewer(), { host: api.url.replace('http:', 'https:'), caCert: ca.cert }), 'transport')
    await refusal(review(kubernetesTokenReviewer(), { host: api.url.replace('http://', ''), caCert: null }), 'transport')
    expect(api.requests).toEqual([])
  })

  it('use plain HTTP if the host begins with http:', async () => {
    await using api = await serve()
    await refusal(review(kubernetesTokenReviewer(), { host: api.url.replace('https:', 'http:'), caCert: ca.cert }), 'transport')
    expect(api.requests).toEqual([])
  })

  it('keep connections for at most 32 authorities', async () => {
    await using api = await serve()
    const held = new Set<Socket>()
    const reviewer = kubernetesTokenReviewer()
    const trust = (i: number): string => ca.cert + '\n'.repeat(i)
    api.server.on('secureConnection', (socket: Socket) => {
      held.add(socket)
      socket.on('close', () => held.delete(socket))
    })
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(api, trust(i), reviewer)))
    expect(all.every(({ authenticated }) => authenticated)).toBe(true)
    while (held.size > 32) await sleep(5)
    // The oldest connections were closed, and the newest are still open.
    await ask(api, trust(39), reviewer)
    expect(held.size).toBe(32)
    await ask(api, trust(0), reviewer)
    while (held.size > 32) await sleep(5)
    expect(new Set(api.requests.map(({ connection }) => connection)).size).toBe(41)
  })

  it('reuse the connection of the previous review', async () => {
    await using api = await serve()
    const reviewer = kubernetesTokenReviewer()
    for (let i = 0; i < 3; i++) await ask(api, ca.cert, reviewer)
    expect(api.requests).toHaveLength(3)
    expect(new Set(api.requests.map(({ connection }) => connection)).size).toBe(1)
  })
})
