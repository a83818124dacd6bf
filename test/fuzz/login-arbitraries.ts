/**
 * Valid and invalid login tokens, and a kernel that accepts some of them. `signed` has all tokens with valid signatures, so that a test can
 * check each successful login.
 */

import { expect } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { claims, HOST, WEB } from '../engines/orchestrator/world.ts'
import fc from '../fixtures/fast-check.ts'
import { certificatePem, encode, NINE, P256, P384, RSA, signature, spkiPem, token } from '../unit/core/jwt/tokens.ts'

export const KEYS: readonly string[] = [spkiPem(P256), certificatePem(RSA), spkiPem(P384)]

/** Tokens signed with one of these keys; successful logins may differ from them only in white space and padding. */
export const signed = new Set<string>()
export const canonical = (text: string): string => text.replaceAll(/\s+/g, '').replace(/={1,2}$/, '')

function signedBy(alg: (typeof NINE)[number][0], header: unknown, payload: unknown): string {
  const made = token(alg, payload, header)
  // The ES512 key is not configured.
  const says = typeof header === 'object' && header !== null ? Reflect.get(header, 'alg') : undefined
  if (says === alg && alg !== 'ES512') signed.add(made)
  return made
}

/** A token that every role accepts. */
export const GOOD = signedBy('ES256', { alg: 'ES256' }, claims())

const alg = fc.constantFrom(...NINE.map(([name]) => name))
const header = fc.oneof(
  { weight: 6, arbitrary: alg.map((name): unknown => ({ alg: name, typ: 'JWT', kid: 'a' })) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        alg: fc.oneof(alg, fc.constantFrom('none', 'HS256', 'EdDSA', 'es256', 'constructor', '', null, 7), fc.string()),
        crit: fc.constantFrom<unknown>(['exp'], [], null),
        b64: fc.boolean(),
        jwk: fc.jsonValue(),
        jku: fc.webUrl(),
        zip: fc.constant('DEF'),
      },
      { requiredKeys: ['alg'] },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
)

const text = fc.oneof(
  fc.constantFrom<unknown>(WEB.name, WEB.namespace, WEB.uid, '', '*', 'x'.repeat(254), '__proto__'),
  fc.string(),
)
const odd = fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() })
const time = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 4_102_444_800 }) },
  fc.constantFrom<unknown>(null, '1', -1, 1e300, Number.MAX_SAFE_INTEGER, [], true),
)
const payload = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ aud: odd, iss: odd, sub: odd }, { requiredKeys: [] }).map((more): unknown => claims(WEB, more)),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        'kubernetes.io': fc.oneof(
          {
            weight: 4,
            arbitrary: fc.record({ namespace: odd, serviceaccount: fc.oneof(fc.record({ name: odd, uid: odd }), odd) }),
          },
          fc.jsonValue(),
        ),
        'kubernetes.io/serviceaccount/service-account.name': odd,
        'kubernetes.io/serviceaccount/namespace': odd,
        'kubernetes.io/serviceaccount/service-account.uid': odd,
        exp: time,
        nbf: time,
        iat: time,
        aud: fc.oneof(odd, fc.array(odd, { maxLength: 3 })),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>('{', '{"a":1,"a":2}', '[['.repeat(5_000), '{"a":'.repeat(2_000), new Uint8Array([0xff])),
  },
)

/** Tokens signed with a configured key or another one. */
const whole = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(alg, payload).map(([name, said]) => signedBy(name, { alg: name }, said)) },
  { weight: 3, arbitrary: fc.tuple(alg, header, payload).map(([name, head, said]) => signedBy(name, head, said)) },
  {
    weight: 2,
    arbitrary: fc.tuple(header, payload, fc.uint8Array({ maxLength: 80 })).map((parts) => parts.map(encode).join('.')),
  },
  { weight: 2, arbitrary: payload.map((said) => token('ES512', said)) },
  {
    weight: 2,
    arbitrary: payload.map((said) => `${encode({ alg: 'ES256' })}.${encode(said)}.${encode(signature('ES256', 'other'))}`),
  },
)
/** A token with a random change. */
const bent = fc.tuple(whole, fc.nat(), fc.nat(200), fc.string({ maxLength: 4 })).map(([good, at, much, put]) => {
  const from = at % good.length
  return good.slice(0, from) + put + good.slice(from + (much % 7))
})
const other = fc.oneof(
  fc.string(),
  fc.constantFrom<unknown>('', '.', '..', '...', '.'.repeat(20_000), 'a.b.c', 'x'.repeat(100_000), null, 7, true, [], {}, ['a']),
)
export const jwt = fc.oneof(
  { weight: 6, arbitrary: whole as fc.Arbitrary<unknown> },
  { weight: 4, arbitrary: bent as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: whole.map((good): unknown => `\n ${good.replaceAll('.', ' . ')}=\r\n`) },
  { weight: 1, arbitrary: other },
)
export const role = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<unknown>('web', 'WEB', 'any') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>('', 'nobody', 'a/b', '../web', 'x'.repeat(10_000), null, 7, [], {}, '\ud800'),
  },
)

/** Without a reviewer in the options, only the keys decide. */
export async function open(options: Parameters<typeof createDevKernel>[0]): Promise<Kernel> {
  const kernel = await createDevKernel(options)
  const any = { bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] }
  const web = { bound_service_account_names: [WEB.name], bound_service_account_namespaces: [WEB.namespace] }
  await kernel.orchestrator.configure({ orchestrator_host: HOST, pem_keys: KEYS })
  await kernel.orchestrator.writeRole({ name: 'any', ...any })
  await kernel.orchestrator.writeRole({ name: 'web', ...web })
  return kernel
}

export interface Answer {
  readonly auth?: { readonly metadata: Readonly<Record<string, string>> } | null
  readonly errors?: readonly string[]
}

/** Sends a request, checks that the answer is valid, and returns it. */
export async function ask(kernel: Kernel, method: string, path: string, body: unknown): Promise<{ status: number } & Answer> {
  const headers = { 'X-Service-Token': kernel.rootToken ?? '' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const { status, body: answer } = await kernel.handle({ method, path: `/v1/auth/${path}`, headers, ...sent })
  expect(status).toBeGreaterThanOrEqual(200)
  expect(status).toBeLessThan(500)
  if (answer !== undefined) expect(JSON.parse(JSON.stringify(answer))).toEqual(answer)
  if (status >= 400) expect((answer as Answer).errors).toBeInstanceOf(Array)
  return { status, ...(answer as Answer) }
}
