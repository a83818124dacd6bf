/** How the adapters over fetch map unsuccessful answers. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { HttpStore, StoreAnswer } from '../../fixtures/sync/http-store.ts'
import { OVER_FETCH, push, soon, TOKEN, thrownBy, VALUE } from './over-fetch.ts'

const DATE = 'Mon, 23 Nov 2026 12:00:00 GMT'
const reset = `${Date.parse(DATE) / 1000 + 90}`

const CLASSES: readonly (StoreAnswer & { readonly kind: string; readonly retryAfterMs?: number })[] = [
  { status: 400, kind: 'client' },
  { status: 401, kind: 'client' },
  { status: 402, kind: 'client' },
  { status: 403, kind: 'client' },
  { status: 403, headers: { 'x-ratelimit-remaining': '17', 'x-ratelimit-reset': reset }, kind: 'client' },
  { status: 403, headers: { 'retry-after': '7' }, kind: 'throttled', retryAfterMs: 7000 },
  {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset, date: DATE },
    kind: 'throttled',
    retryAfterMs: 90_000,
  },
  { status: 404, kind: 'client' },
  { status: 408, kind: 'external' },
  { status: 409, kind: 'conflict' },
  { status: 410, kind: 'client' },
  { status: 413, kind: 'client' },
  { status: 422, kind: 'client' },
  { status: 429, headers: { 'retry-after': '0' }, kind: 'throttled', retryAfterMs: 0 },
  { status: 429, headers: { 'retry-after': '99999999' }, kind: 'throttled', retryAfterMs: 86_400_000 },
  {
    status: 429,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset, date: DATE },
    kind: 'throttled',
    retryAfterMs: 90_000,
  },
  { status: 500, kind: 'external' },
  { status: 502, body: '<html>', kind: 'external' },
  { status: 503, headers: { 'retry-after': '120' }, kind: 'external', retryAfterMs: 120_000 },
  { status: 504, kind: 'external' },
  { status: 206, body: 'garbage', kind: 'external' },
]

describe.each(OVER_FETCH)('the $type adapter', ({ type, config, start, destination, decisive, removeCall, putCalls }) => {
  let server: HttpStore
  beforeAll(async () => {
    server = await start()
  })
  afterEach(() => server.calm())
  afterAll(() => server.stop())

  const open = () => destination({ endpoint: server.url }).open(config)

  it.each(CLASSES)(
    'reports the status $status with the headers $headers as the error kind $kind',
    async ({ kind, retryAfterMs, ...answer }) => {
      server.answers(decisive, answer)
      const failure = await thrownBy(open().put(push('CLASSES', VALUE), soon()))
      expect(failure).toMatchObject({ kind, retryAfterMs })
      // A 404 for a known version succeeds as a removal.
      if (answer.status === 404) return
      server.answers(removeCall, answer)
      const { error } = await thrownBy(open().remove({ name: 'CLASSES', externalVersion: 'env1', opId: 'a' }, soon()))
      expect(error).toMatchObject({ kind, ...(retryAfterMs !== undefined && { retryAfterMs }) })
      expect(server.values().has('CLASSES')).toBe(false)
    },
  )

  it('converts a Retry-After date to milliseconds', async () => {
    const at = new Date(Date.now() + 60_000).toUTCString()
    server.answers(decisive, { status: 429, headers: { 'retry-after': at } })
    const { retryAfterMs } = await thrownBy(open().put(push('DATES', VALUE), soon()))
    expect(retryAfterMs).toBeGreaterThan(50_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
    server.answers(decisive, { status: 429, headers: { 'retry-after': 'Mon, 01 Jan 2024 00:00:00 GMT' } })
    expect((await thrownBy(open().put(push('DATES', VALUE), soon()))).retryAfterMs).toBe(0)
    server.answers(decisive, { status: 429, headers: { 'retry-after': 'soon' } })
    expect(['undefined', '60000']).toContain(`${(await thrownBy(open().put(push('DATES', VALUE), soon()))).retryAfterMs}`)
  })

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with the status %i', async (status) => {
    const callsBefore = server.calls.length
    server.answers(decisive, { status, headers: { location: `${server.url}/elsewhere` } })
    expect(await thrownBy(open().put(push('REDIRECT', VALUE), soon()))).toMatchObject({ kind: 'client', code: 'redirected' })
    expect(server.calls.slice(callsBefore).map(({ name }) => name)).toEqual(putCalls.slice(0, putCalls.indexOf(decisive) + 1))
  })

  it('reveals no pushed value, no credential and no text of the store in its errors', async () => {
    for (const code of [VALUE, TOKEN, VALUE.slice(0, 8), `x_${VALUE}`, 'a'.repeat(200), '<script>', 7, null])
      for (const status of [400, 403, 409, 422, 429, 500]) {
        const body = { error: { code, message: `${VALUE} ${TOKEN}` }, message: `${VALUE} ${TOKEN}`, code, value: VALUE }
        server.answers(decisive, { status, body, headers: { 'x-echo': VALUE } })
        const { text } = await thrownBy(open().put(push('ECHO', VALUE), soon()))
        expect(text).not.toContain(VALUE)
        expect(text).not.toContain(VALUE.slice(0, 8))
        expect(text).not.toContain(TOKEN)
      }
  })

  it('reports a malformed answer with the error kind external', async () => {
    const first = putCalls[0] as string
    for (const body of [
      '',
      'garbage',
      '[',
      '"text"',
      '[]',
      '{}',
      '{"key_id":7,"key":8}',
      '{"created":{"id":"../..","key":"X"}}',
      '\u0000',
    ]) {
      server.answers(first, { status: type === 'repohost' ? 200 : 201, body })
      expect(await thrownBy(open().put(push('GARBAGE', VALUE), soon())), body).toMatchObject({ kind: 'external' })
    }
  })

  it('succeeds after repeated throttling', async () => {
    server.trouble({ call: decisive, manner: 'throttles', times: 3, retryAfter: 2 })
    const session = open()
    for (let i = 0; i < 3; i++)
      expect(await thrownBy(session.put(push('AGAIN', VALUE), soon()))).toMatchObject({ kind: 'throttled', retryAfterMs: 2000 })
    await session.put(push('AGAIN', VALUE), soon())
    expect(server.values().get('AGAIN')).toBe(VALUE)
  })
})
