import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { impatient, refusal, review } from './asking.ts'
import { rawServer, WHOLE } from './raw-server.ts'

/** Expects that the work does not end earlier. That it ends at all is expected by the timeout of the test. */
async function takes(ms: number, work: () => Promise<unknown>): Promise<void> {
  const begin = performance.now()
  await work()
  // Timers may fire a little early.
  expect(performance.now() - begin).toBeGreaterThan(ms - 20)
}

describe('a review ends by its deadline', () => {
  it('when the server takes the connection and says nothing', async () => {
    await using server = await rawServer(() => {})
    await takes(300, () => refusal(review(impatient(300), { host: server.url }), 'timeout'))
    await takes(300, () => refusal(review(impatient(300), { host: server.url.replace('http:', 'https:') }), 'timeout'))
  })

  it('when the answer never becomes whole, however much of it comes', async () => {
    await using server = await rawServer(async (socket, nth) => {
      const text = nth === 1 ? `${WHOLE.slice(0, 20)}${'x'.repeat(1000)}` : WHOLE.replace(/Length: \d+/, 'Length: 1000')
      for (const byte of text) {
        if (socket.destroyed) return
        socket.write(byte)
        await sleep(nth === 1 ? 10 : 2)
      }
    })
    // In its head, then in its body.
    await takes(1500, () => refusal(review(impatient(1500), { host: server.url }), 'timeout'))
    await takes(1500, () => refusal(review(impatient(1500), { host: server.url }), 'timeout'))
    expect(server.requests).toBe(2)
  })

  it('when interim answers go on and on', async () => {
    await using server = await rawServer(async (socket) => {
      while (!socket.destroyed) {
        socket.write('HTTP/1.1 102 Processing\r\n\r\n')
        await sleep(10)
      }
    })
    await takes(300, () => refusal(review(impatient(300), { host: server.url }), 'timeout'))
  })

  it('when both tries together take too long', async () => {
    await using server = await rawServer((socket, nth) => {
      if (nth === 1) socket.write(WHOLE)
      if (nth === 2) setTimeout(() => socket.destroy(), 1000)
    })
    const reviewer = impatient(3000)
    await review(reviewer, { host: server.url })
    await takes(3000, () => refusal(review(reviewer, { host: server.url }), 'timeout'))
    expect(server.requests).toBe(3)
  })

  it('when all connections are taken', async () => {
    await using server = await rawServer(() => {})
    const reviewer = impatient(5000)
    const asked = Array.from({ length: 70 }, () => refusal(review(reviewer, { host: server.url }), 'timeout'))
    while (server.connections < 64) await sleep(5)
    await sleep(100)
    expect(server.connections).toBe(64)
    await Promise.all(asked)
  })

  it.each([0, -1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])('but not after %s ms', (timeoutMs) => {
    expect(() => kubernetesTokenReviewer({ timeoutMs })).toThrow(TypeError)
  })
})

describe('a review is called off', () => {
  const reason = new Error('closing')

  it('before it began', async () => {
    await using api = await startTokenReviewApi()
    const error = await refusal(review(kubernetesTokenReviewer(), { host: api.url }, AbortSignal.abort(reason)), 'transport')
    expect(error.cause).toBe(reason)
    expect(api.requests).toEqual([])
  })

  it.each([
    ['while it waits for an answer', ''],
    ['in the middle of one', WHOLE.slice(0, -5)],
  ])('%s', async (_, bytes) => {
    const stop = new AbortController()
    await using server = await rawServer((socket) => {
      socket.write(bytes)
      setTimeout(() => stop.abort(reason), 50)
    })
    const error = await refusal(review(kubernetesTokenReviewer(), { host: server.url }, stop.signal), 'transport')
    expect(error.cause).toBe(reason)
    expect(server.requests).toBe(1)
  })

  it('without harm to another over the same connections', async () => {
    await using server = await rawServer((socket, nth) => {
      if (nth > 1) socket.write(WHOLE)
    })
    const reviewer = kubernetesTokenReviewer()
    const stop = new AbortController()
    const first = refusal(review(reviewer, { host: server.url }, stop.signal), 'transport')
    while (server.requests === 0) await sleep(5)
    const second = review(reviewer, { host: server.url })
    stop.abort()
    await first
    expect(await second).toEqual({ authenticated: false })
    expect(await review(reviewer, { host: server.url })).toEqual({ authenticated: false })
  })
})
