import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { kubernetesTokenReviewer } from '../../../src/adapters/orchestrator-kubernetes/index.ts'
import { startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { untilReached } from '../../fixtures/until-reached.ts'
import { impatient, refusal, review } from './asking.ts'
import { rawServer, WHOLE } from './raw-server.ts'

/** Expects that the work takes at least `ms` milliseconds. The timeout of the test bounds it from above. */
async function takes(ms: number, work: () => Promise<unknown>): Promise<void> {
  const begin = performance.now()
  await work()
  // Timers may fire a little early.
  expect(performance.now() - begin).toBeGreaterThan(ms - 20)
}

// Concurrently, because these tests only wait.
describe.concurrent('a token review', () => {
  it('ends at its deadline if the server accepts the connection and sends nothing', async () => {
    await using server = await rawServer(() => {})
    await takes(300, () => refusal(review(impatient(300), { host: server.url }), 'timeout'))
    await takes(300, () => refusal(review(impatient(300), { host: server.url.replace('http:', 'https:') }), 'timeout'))
  })

  it('ends at its deadline if the answer is never complete', async () => {
    // Interrupted in the head, then in the body.
    for (const text of [`${WHOLE.slice(0, 20)}${'x'.repeat(1000)}`, WHOLE.replace(/Length: \d+/, 'Length: 1000')])
      await untilReached(async (timeoutMs) => {
        await using server = await rawServer(async (socket) => {
          for (const byte of text) {
            if (socket.destroyed) return
            socket.write(byte)
            await sleep(timeoutMs / 100)
          }
        })
        await takes(timeoutMs, () => refusal(review(impatient(timeoutMs), { host: server.url }), 'timeout'))
        return server.requests === 1
      })
  })

  it('ends at its deadline if the server sends interim responses without end', async () => {
    await using server = await rawServer(async (socket) => {
      while (!socket.destroyed) {
        socket.write('HTTP/1.1 102 Processing\r\n\r\n')
        await sleep(10)
      }
    })
    await takes(300, () => refusal(review(impatient(300), { host: server.url }), 'timeout'))
  })

  it('ends at its deadline if its two attempts together exceed it', async () => {
    await untilReached(async (timeoutMs) => {
      await using server = await rawServer((socket, nth) => {
        if (nth === 1) socket.write(WHOLE)
        if (nth === 2) setTimeout(() => socket.destroy(), timeoutMs / 3)
      })
      const reviewer = impatient(timeoutMs)
      const isFirstAnswered = await review(reviewer, { host: server.url }).then(
        () => true,
        () => false,
      )
      if (!isFirstAnswered) return false
      await takes(timeoutMs, () => refusal(review(reviewer, { host: server.url }), 'timeout'))
      return server.requests === 3
    })
  })

  it('ends at its deadline if all connections are in use', async () => {
    await untilReached(async (timeoutMs) => {
      await using server = await rawServer(() => {})
      const reviewer = impatient(timeoutMs)
      await Promise.all(Array.from({ length: 70 }, () => refusal(review(reviewer, { host: server.url }), 'timeout')))
      expect(server.mostConnections).toBeLessThanOrEqual(64)
      return server.mostConnections === 64
    })
  })

  it.each([0, -1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])(
    'cannot be configured with a deadline of %s ms',
    (timeoutMs) => {
      expect(() => kubernetesTokenReviewer({ timeoutMs })).toThrow(TypeError)
    },
  )
})

describe('an aborted token review', () => {
  const reason = new Error('closing')

  it('sends nothing if the signal is already aborted', async () => {
    await using api = await startTokenReviewApi()
    const error = await refusal(review(kubernetesTokenReviewer(), { host: api.url }, AbortSignal.abort(reason)), 'transport')
    expect(error.cause).toBe(reason)
    expect(api.requests).toEqual([])
  })

  it.each([
    ['while it waits for an answer', ''],
    ['in the middle of an answer', WHOLE.slice(0, -5)],
  ])('ends %s', async (_, bytes) => {
    const stop = new AbortController()
    await using server = await rawServer((socket) => {
      socket.write(bytes)
      setTimeout(() => stop.abort(reason), 50)
    })
    const error = await refusal(review(kubernetesTokenReviewer(), { host: server.url }, stop.signal), 'transport')
    expect(error.cause).toBe(reason)
    expect(server.requests).toBe(1)
  })

  it('does not end another review over the same connections', async () => {
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
