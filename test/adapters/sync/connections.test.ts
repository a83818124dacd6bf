/** The adapters over fetch with abort signals, silent servers, broken connections and endless answers. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { OVER_FETCH, push, soon, TOKEN, thrownBy, VALUE } from './over-fetch.ts'

const cleanup: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanup.splice(0)) await end()
})

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each(OVER_FETCH)('the $type adapter', ({ config, start, destination, putCalls, decisive, removeCall }) => {
  const opened = async () => {
    const server = await start()
    cleanup.push(() => server.stop())
    return { server, session: destination({ endpoint: server.url }).open(config) }
  }

  it('reaches the requested state when a push or removal is repeated after a failure of any call', async () => {
    for (const manner of ['fails', 'throttles', 'drops', 'drops-after', 'hangs'] as const)
      for (const call of [...putCalls, removeCall]) {
        const { server, session } = await opened()
        await session.put(push('MATRIX', 'before'), soon())
        const label = `${manner} at ${call}`
        // A new session, which has cached nothing of the store.
        const otherSession = destination({ endpoint: server.url }).open(config)
        server.trouble({ call, manner })
        const failed = await otherSession.put(push('MATRIX', VALUE), AbortSignal.timeout(manner === 'hangs' ? 60 : 60_000)).then(
          () => undefined,
          (error: { kind?: string }) => error.kind,
        )
        if (failed !== undefined) expect(failed, label).toBe(manner === 'throttles' ? 'throttled' : 'external')
        const { externalVersion } = await otherSession.put(push('MATRIX', VALUE), soon())
        expect(server.values().get('MATRIX'), label).toBe(VALUE)
        const known = externalVersion === undefined ? {} : { externalVersion }
        server.trouble({ call: removeCall, manner })
        await otherSession
          .remove({ name: 'MATRIX', opId: 'a', ...known }, AbortSignal.timeout(manner === 'hangs' ? 60 : 60_000))
          .catch(() => {})
        await otherSession.remove({ name: 'MATRIX', opId: 'a', ...known }, soon())
        expect([...server.values()], label).toEqual([])
        await otherSession.close()
      }
  })

  it('ends a call when its signal is aborted, before or during an answer', async () => {
    const { server, session } = await opened()
    server.trouble({ call: decisive, manner: 'hangs', times: 1 })
    await expect(session.put(push('HANGS', VALUE), soon(50))).rejects.toMatchObject({ kind: 'external' })
    // A silent server after the head of an answer.
    const silent = await listen(createServer((_, response) => void response.writeHead(200).write('{"key')))
    const otherSession = destination({ endpoint: silent }).open(config)
    const { kind, code, text } = await thrownBy(otherSession.put(push('HANGS', VALUE), soon(50)))
    expect({ kind, code }).toEqual({ kind: 'external', code: 'aborted' })
    expect(text).not.toContain(TOKEN)
  })

  it('ends a call when its signal is aborted, even if fetch ignores the signal', async () => {
    const deaf = destination({ fetch: () => new Promise(() => {}) }).open(config)
    expect(await thrownBy(deaf.put(push('DEAF', VALUE), soon(30)))).toMatchObject({ kind: 'external', code: 'aborted' })
    expect(await thrownBy(deaf.remove({ name: 'DEAF', opId: 'a' }, soon(30)))).toMatchObject({ kind: 'external' })
    expect(await thrownBy(deaf.describe!({ name: 'DEAF' }, soon(30)))).toMatchObject({ kind: 'external' })
  })

  it('ends all calls in flight when it is closed, and rejects later calls', async () => {
    const { server, session } = await opened()
    server.trouble({ manner: 'hangs', times: 9 })
    // Only closing ends these calls.
    const { signal } = new AbortController()
    const before = server.calls.length
    const under = [1, 2, 3].map((i) => thrownBy(session.put(push(`CLOSED_${i}`, VALUE), signal)))
    await expect.poll(() => server.calls.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before)
    await session.close()
    for (const { kind } of await Promise.all(under)) expect(kind).toBe('external')
    expect(await thrownBy(session.put(push('CLOSED', VALUE), soon()))).toMatchObject({ kind: 'internal', code: 'closed' })
  })

  it('removes its listeners from the signal after each call', async () => {
    const { session } = await opened()
    const { signal } = new AbortController()
    let listening = 0
    const { addEventListener: add, removeEventListener: remove } = signal
    signal.addEventListener = (...call: Parameters<typeof add>) => {
      listening++
      add.apply(signal, call)
    }
    signal.removeEventListener = (...call: Parameters<typeof remove>) => {
      listening--
      remove.apply(signal, call)
    }
    for (let i = 0; i < 5; i++) await session.put(push('LISTENERS', `${VALUE}${i}`), signal)
    expect(listening).toBe(0)
  })

  it('stops reading an endless answer after a bounded number of bytes', async () => {
    let sent = 0
    const flood = await listen(
      createServer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const chunk = Buffer.alloc(65_536, 0x20)
        const more = (): void => {
          while (!response.destroyed && sent < 1e9) {
            sent += chunk.length
            if (!response.write(chunk)) return void response.once('drain', more)
          }
        }
        more()
      }),
    )
    const session = destination({ endpoint: flood }).open(config)
    const { kind, code } = await thrownBy(session.put(push('FLOOD', VALUE), soon(20_000)))
    expect({ kind, code }).toEqual({ kind: 'external', code: 'answer_too_long' })
    expect(sent).toBeLessThan(1e8)
  })

  it('reports an unreachable server with the error kind external and the error code of the platform', async () => {
    const closedServer = createServer()
    const url = await listen(closedServer)
    await new Promise((resolve) => closedServer.close(resolve))
    const session = destination({ endpoint: url }).open(config)
    expect(await thrownBy(session.put(push('NOBODY', VALUE), soon()))).toMatchObject({ kind: 'external', code: 'ECONNREFUSED' })
  })

  it('reveals nothing of the text of an error that fetch throws', async () => {
    const errors = [
      new TypeError(`fetch failed ${TOKEN}`, { cause: new Error(VALUE) }),
      VALUE,
      null,
      { code: `${TOKEN} ${VALUE}` },
    ]
    for (const error of errors) {
      const session = destination({ fetch: () => Promise.reject(error) }).open(config)
      const { kind, text } = await thrownBy(session.put(push('THROWN', VALUE), soon()))
      expect(kind).toBe('external')
      expect(text).not.toContain(VALUE)
      expect(text).not.toContain(TOKEN)
    }
  })

  it('sends requests below the path of its endpoint', async () => {
    const urls: string[] = []
    const fetch = (url: unknown) => {
      urls.push(String(url))
      return Promise.resolve(new Response(null, { status: 404 }))
    }
    const session = destination({ endpoint: 'https://store.example/api/v3/', fetch }).open(config)
    await thrownBy(session.put(push('PATH', VALUE), soon()))
    expect(urls[0]).toMatch(/^https:\/\/store\.example\/api\/v3\/[a-z0-9]/)
    for (const endpoint of ['', 'store.example', 'ftp://store.example', 'file:///etc'])
      expect(() => destination({ endpoint })).toThrow(TypeError)
  })
})
