import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import type { ReviewFailure } from '../../../src/core/jwt/token-reviewer.ts'
import { startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { BEARER, impatient, refusal, review, TOKEN, titled } from './asking.ts'
import { rawServer, WHOLE } from './raw-server.ts'

const UNREVIEWED = { authenticated: false }
const head = (status: string, ...headers: readonly string[]): string =>
  `${[`HTTP/1.1 ${status}`, ...headers].join('\r\n')}\r\n\r\n`

describe('the HTTP request of a token review', () => {
  it('contains both tokens without surrounding white space', async () => {
    await using api = await startTokenReviewApi()
    const answer = await review(kubernetesTokenReviewer(), { host: api.url, bearer: ` ${BEARER}\r\n`, token: `\n${TOKEN} ` })
    expect(answer.authenticated).toBe(true)
    expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${BEARER}`)
    expect(api.requests[0]?.body).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: TOKEN, audiences: ['a'] },
    })
  })

  it('contains no audiences if none are configured', async () => {
    await using api = await startTokenReviewApi()
    await review(kubernetesTokenReviewer(), { host: api.url, audiences: [] })
    expect(api.requests[0]?.body.spec).toEqual({ token: TOKEN })
  })

  it.each(['', ' \n', 'two words', `${BEARER}\r\nX-Injected: 1`, 'tab\tbed', 'ü', '\u{1f600}', 'nul\0'])(
    'is not sent at all if the bearer token cannot be the value of a header: %j',
    async (bearer) => {
      await using api = await startTokenReviewApi()
      await refusal(review(kubernetesTokenReviewer(), { host: api.url, bearer }), 'reviewer-unauthorized')
      expect(api.requests).toEqual([])
    },
  )

  it.each(titled(['', 'two words', 'a\r\nb', 'ü', '\ud800', 'nul\0', '"}]'.repeat(1000), 'x'.repeat(1_000_000)]))(
    'can contain any token to be reviewed: %j',
    async (_, token) => {
      await using api = await startTokenReviewApi()
      expect(await review(kubernetesTokenReviewer(), { host: api.url, token })).toMatchObject({ authenticated: false })
      expect(api.requests[0]?.body.spec.token).toBe(token)
    },
  )

  it('fails with a reason that corresponds to the answer of the server', async () => {
    await using api = await startTokenReviewApi()
    const modes: readonly (readonly [string, ReviewFailure])[] = [
      ['unauthorized', 'reviewer-unauthorized'],
      ['forbidden', 'reviewer-forbidden'],
      ['broken', 'protocol'],
      ['not-modified-304', 'protocol'],
      ['status-object', 'protocol'],
      ['not-json', 'protocol'],
      ['empty', 'protocol'],
      ['null', 'protocol'],
      ['no-such-mode', 'protocol'],
    ]
    const reviewer = kubernetesTokenReviewer()
    for (const [mode, reason] of modes) await refusal(review(reviewer, { host: `${api.url}/${mode}` }), reason)
    // Refusals do not close the connection.
    expect(new Set(api.requests.map(({ connection }) => connection)).size).toBe(1)
  })
})

describe('the HTTP answer to a token review', () => {
  it.each<[string, string, ReviewFailure]>([
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
    ['repeats the tokens instead of a status', `${BEARER} ${TOKEN}\r\n\r\n`, 'protocol'],
    ['has endless headers', `${head('200 OK').trimEnd()}\r\nX: ${'x'.repeat(100_000)}`, 'protocol'],
    ['has a broken chunk', `${head('200 OK', 'Transfer-Encoding: chunked')}zz\r\n${TOKEN}`, 'protocol'],
    ['is an upgrade', head('101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'), 'protocol'],
    ['is longer than 1 MiB', `${head('200 OK', 'Content-Length: 2000000')}${' '.repeat(2_000_000)}`, 'protocol'],
    [
      'is longer than 1 MiB in chunks',
      head('200 OK', 'Transfer-Encoding: chunked') + `10000\r\n${' '.repeat(65_536)}\r\n`.repeat(17),
      'protocol',
    ],
    ['is not UTF-8', `${head('200 OK', 'Content-Length: 2')}\xff\xfe`, 'protocol'],
    ['is a redirect without a body', head('302 Found', 'Location: /', 'Content-Length: 0'), 'protocol'],
  ])('is refused if it %s', async (_, bytes, reason) => {
    await using server = await rawServer((socket) => socket.write(bytes, 'latin1'))
    await refusal(review(impatient(5000), { host: server.url }), reason)
    expect(server.requests).toBe(1)
  })

  it.each([
    ['before the first byte', ''],
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['in the body', WHOLE.slice(0, -5)],
  ])('is refused if the connection ends %s', async (_, bytes) => {
    await using server = await rawServer((socket) => socket.end(bytes))
    await refusal(review(impatient(5000), { host: server.url }), 'transport')
    expect(server.requests).toBe(1)
  })

  it.each(['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent'])(
    'is not followed if it is a redirect: %s',
    async (status) => {
      await using elsewhere = await startTokenReviewApi()
      const location = `Location: ${elsewhere.url}/apis/authentication.k8s.io/v1/tokenreviews`
      await using server = await rawServer((socket) => socket.write(head(status, location, 'Content-Length: 0')))
      expect((await refusal(review(impatient(5000), { host: server.url }), 'protocol')).message).toContain('redirects')
      expect(elsewhere.requests).toEqual([])
    },
  )

  it('can arrive byte by byte after interim responses', async () => {
    await using server = await rawServer(async (socket) => {
      socket.setNoDelay(true)
      for (const byte of `HTTP/1.1 100 Continue\r\n\r\n${WHOLE}`) {
        socket.write(byte)
        await sleep(1)
      }
    })
    expect(await review(kubernetesTokenReviewer(), { host: server.url })).toEqual(UNREVIEWED)
  })
})

describe('a kept connection of kubernetesTokenReviewer', () => {
  it('is replaced once if the server closes it when the next request arrives', async () => {
    await using server = await rawServer((socket, nth) => (nth === 2 ? socket.destroy() : socket.write(WHOLE)))
    const reviewer = kubernetesTokenReviewer()
    await review(reviewer, { host: server.url })
    expect(await review(reviewer, { host: server.url })).toEqual(UNREVIEWED)
    expect(server).toMatchObject({ requests: 3, connections: 2 })
  })

  it('is not replaced again if the new connection fails, too', async () => {
    await using server = await rawServer((socket, nth) => (nth > 2 ? socket.destroy() : socket.write(WHOLE)))
    const reviewer = kubernetesTokenReviewer()
    // There are two kept connections, and the second must not be tried.
    await Promise.all([1, 2].map(() => review(reviewer, { host: server.url })))
    expect(server.connections).toBe(2)
    await refusal(review(reviewer, { host: server.url }), 'transport')
    expect(server).toMatchObject({ requests: 4, connections: 3 })
  })

  it.each<[string, ReviewFailure, string]>([
    ['ends early', 'transport', WHOLE.slice(0, -5)],
    ['breaks the protocol', 'protocol', `${head('200 OK', 'Transfer-Encoding: chunked')}zz\r\n`],
  ])('is not replaced after an answer that %s', async (_, reason, bytes) => {
    await using server = await rawServer((socket, nth) => (nth === 2 ? socket.end(bytes) : socket.write(WHOLE)))
    const reviewer = kubernetesTokenReviewer()
    await review(reviewer, { host: server.url })
    await refusal(review(reviewer, { host: server.url }), reason)
    expect(server.requests).toBe(2)
  })

  it('does not make the next review fail if the server closed it before', async () => {
    await using server = await rawServer((socket) => socket.write(WHOLE))
    const reviewer = kubernetesTokenReviewer()
    await Promise.all([1, 2, 3].map(() => review(reviewer, { host: server.url })))
    server.drop()
    await sleep(50)
    expect(await review(reviewer, { host: server.url })).toEqual(UNREVIEWED)
  })
})

describe('a token review at an unreachable server', () => {
  it('fails with the host and the error code of Node', async () => {
    const { url } = await startTokenReviewApi().then(async (api) => {
      await api.close()
      return api
    })
    const error = await refusal(review(kubernetesTokenReviewer(), { host: url }), 'transport')
    expect(error.message).toContain('no server listens on this port (ECONNREFUSED)')
    expect(error.message).toContain(url.replace('http://', ''))
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('reports an unknown host name', async () => {
    // RFC 6761 reserves the domain, so the name does not resolve. Without a resolver the error is EAI_AGAIN.
    const error = await refusal(review(kubernetesTokenReviewer(), { host: 'https://cluster.invalid' }), 'transport')
    expect(error.message).toMatch(/ENOTFOUND|EAI_AGAIN/)
  })
})

it('kubernetesTokenReviewer reviews 200 tokens concurrently over at most 64 connections, without warnings', async () => {
  const warnings: Error[] = []
  const note = (warning: Error): number => warnings.push(warning)
  process.on('warning', note)
  await using api = await startTokenReviewApi()
  const reviewer = kubernetesTokenReviewer()
  const { signal } = new AbortController()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => review(reviewer, { host: i % 2 === 0 ? api.url : `${api.url}/refuse` }, signal)),
  )
  expect(answers.map(({ authenticated }) => authenticated)).toEqual(answers.map((_, i) => i % 2 === 0))
  expect(new Set(api.requests.map(({ connection }) => connection)).size).toBeLessThanOrEqual(64)
  await sleep(0)
  process.off('warning', note)
  expect(warnings).toEqual([])
})
