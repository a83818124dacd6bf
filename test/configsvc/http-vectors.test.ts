/**
 * The cases of `http.json`: sequences of requests with their statuses, over HTTP and by `handle()`.
 */
import { expect, it } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import { memoryStorage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { type AclCase, describeAcl } from '../fixtures/acl-vectors.ts'
import { ROOT } from '../fixtures/configsvc.ts'
import { send, serveService } from '../fixtures/configsvc-http.ts'
import { P256, spkiPem, token } from '../unit/core/jwt/tokens.ts'

type Members = Readonly<Record<string, unknown>>

interface Step {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly raw?: string
  readonly login?: Members
  readonly token?: string | null
  readonly status: number | readonly number[]
  readonly as?: string
  readonly answer?: Members
  readonly has?: readonly string[]
  readonly list?: readonly Members[]
  readonly length?: number
  readonly same?: readonly [string, string]
}

interface Case extends AclCase {
  readonly bootstrap?: true
  readonly steps: readonly Step[]
}

const METHOD = 'vectors'
const PEM = spkiPem(P256)

/** `{a.ID}` is a member of what a step has kept; `{method}` is the name of a method. */
const filled = (text: string, kept: ReadonlyMap<string, Members>): string =>
  text.replaceAll(/(?<!\$)\{(\w+)(?:\.(\w+))?\}/g, (whole, name: string, member?: string) =>
    name === 'method' ? METHOD : String(kept.get(name)?.[member ?? ''] ?? whole),
  )

function filledIn(value: unknown, kept: ReadonlyMap<string, Members>): unknown {
  if (value === '@pubkey') return PEM
  if (typeof value === 'string') return filled(value, kept)
  if (Array.isArray(value)) return value.map((element) => filledIn(element, kept))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filledIn(member, kept)]))
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly token: string | undefined
  /** A plain text. */
  readonly body: string | undefined
}

interface Got {
  readonly status: number
  readonly body?: unknown
}

const NEEDS_METHOD = /"login"|\{method\}/

async function follow({ steps, bootstrap }: Case, ask: (sent: Sent) => Promise<Got>, now: number): Promise<void> {
  const kept = new Map<string, Members>()
  if (NEEDS_METHOD.test(JSON.stringify(steps))) {
    const Config = { JWTValidationPubKeys: [PEM], JWTSupportedAlgs: ['ES256'], ClaimMappings: { name: 'name' } }
    const body = JSON.stringify({ Name: METHOD, Type: 'jwt', Config })
    const made = await ask({ method: 'PUT', path: '/v1/acl/auth-method', query: {}, token: ROOT, body })
    expect([made.status, made.body]).toEqual([200, expect.anything()])
  }
  for (const step of steps) {
    const named = step.token === undefined ? (bootstrap ? null : 'root') : step.token
    const bearer = step.login && { AuthMethod: METHOD, BearerToken: token('ES256', { iat: now, ...step.login }) }
    const body = step.body === undefined ? bearer : filledIn(step.body, kept)
    const { status, body: answer } = await ask({
      method: step.method,
      path: `/v1/${filled(step.path, kept)}`,
      query: filledIn(step.query ?? {}, kept) as Sent['query'],
      token: named === null ? undefined : named === 'root' ? ROOT : filled(named, kept),
      body: step.raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    })
    expect([step.status].flat(), `${step.method} ${step.path}: ${JSON.stringify(answer)}`).toContain(status)
    if (status !== 200) continue
    if (step.answer) expect(answer).toMatchObject(filledIn(step.answer, kept) as object)
    for (const name of step.has ?? []) expect(answer).toHaveProperty([name])
    if (step.list) expect(answer).toEqual(step.list)
    if (step.length !== undefined) expect(answer).toHaveLength(step.length)
    if (step.same) expect((answer as Members)[step.same[0]]).toBe((answer as Members)[step.same[1]])
    if (step.as) kept.set(step.as, answer as Members)
  }
}

async function worldOf({ bootstrap }: Case) {
  const clock = fakeClock()
  const acl = bootstrap ? {} : { bootstrapToken: ROOT }
  const service = await createConfigService({ storage: memoryStorage(), plaintext: true, clock, acl })
  return { service, now: Math.floor(clock.now() / 1000) }
}

describeAcl<Case>('http.json', 'requests in a row', (cases) => {
  it.each(cases)('a request through handle() has the recorded response, $id: $about', async (testCase) => {
    const { service, now } = await worldOf(testCase)
    await using _ = service
    await follow(
      testCase,
      async ({ method, path, query, token: secret, body }) => {
        const headers = secret === undefined ? {} : { 'X-Config-Token': secret }
        const bytes = body === undefined ? {} : { body: new TextEncoder().encode(body) }
        return service.handle({ method, path, query, headers, ...bytes })
      },
      now,
    )
  })

  it.each(cases)('a request over HTTP has the recorded response, $id: $about', async (testCase) => {
    const { service, now } = await worldOf(testCase)
    await using _ = service
    await using served = await serveService(service)
    await follow(
      testCase,
      ({ method, path, query, token: secret, body }) => {
        const queryString = new URLSearchParams(query).toString()
        const headers = secret === undefined ? {} : { 'X-Config-Token': secret }
        return send(served.endpoint, method, `${path}${queryString === '' ? '' : `?${queryString}`}`, {
          headers,
          ...(body === undefined ? {} : { body }),
        })
      },
      now,
    )
  })
})
