/** Token reviews that need a second process: a server that accepts no connection, and a client that keeps a connection. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startChild } from '../../fixtures/child.ts'
import { startTokenReviewApi } from '../../fixtures/token-review-api.ts'
import { impatient, refusal, review } from './asking.ts'
import { authority } from './authorities.ts'

describe('a token review', () => {
  it.skipIf(process.platform !== 'linux')(
    process.platform === 'linux'
      ? 'ends at its deadline if the server accepts no connection'
      : 'ends at its deadline if the server accepts no connection (skipped: needs the bounded accept queue of Linux)',
    async () => {
      const child = startChild('test/adapters/orchestrator-kubernetes/deaf.child.ts', null)
      const [port] = (await child.messages[Symbol.asyncIterator]().next()).value as [number]
      child.pause()
      const waiting = []
      for (let connected = true; connected; ) {
        const socket = connect(port, '127.0.0.1')
        waiting.push(socket)
        socket.on('error', () => {})
        connected = await Promise.race([
          new Promise<true>((resolve) => socket.on('connect', () => resolve(true))),
          sleep(500, false),
        ])
      }
      await refusal(review(impatient(300), { host: `127.0.0.1:${port}` }), 'timeout')
      for (const socket of waiting) socket.destroy()
      child.kill()
      await child.ended
    },
  )
})

describe('a process that reviewed a token', () => {
  it.each(['http', 'https'])('exits while a connection is kept open over %s', async (scheme) => {
    const ca = authority('cluster-ca')
    await using api = await startTokenReviewApi(scheme === 'https' ? { tls: ca.issue() } : {})
    const child = startChild('test/adapters/orchestrator-kubernetes/asking.child.ts', { host: api.url, caCert: ca.cert })
    for await (const message of child.messages) expect(message).toMatchObject({ authenticated: true })
    expect(await child.ended).toBe('done')
  })
})
