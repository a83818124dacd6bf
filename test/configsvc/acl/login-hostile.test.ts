// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
/**
 * Hostile requests to the endpoints of auth methods, binding rules and logins are refused or processed in bounded time, and never fail with
 * a 5xx.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import fc from '../../fixtures/fast-check.ts'
import { turnsDuring } from '../turns.ts'
import { CONFIG, LoginWorld, MANAGEMENT, mapped } from './login-world.ts'
import { SLOW_TO_READ, worldOfSlowRules } from './slow-rules.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await LoginWorld.open()
  await world.method('m', { ClaimMappings: mapped(['a', 'b']), ListClaimMappings: { l: 'l' } })
  await world.service.bindingRules.create({ AuthMethod: 'm', BindType: 'service', BindName: 'web' })
  return () => world.service.close()
})

const EXPECTED = [200, 400, 403, 404, 413, 429]

const sent = async (method: string, path: string, body: unknown, secret: string | null = MANAGEMENT) => {
  const { status, body: answer } = await world.ask(method, path, body, secret)
  if (!EXPECTED.includes(status)) throw new Error(`${status} ${String(answer)}`)
  // The clock advances, so that the allowances do not turn every response into a 429.
  await world.clock.advance(1000)
  return status
}

const NASTY = [
  '(',
  ')',
  '"',
  '`',
  '${',
  '}',
  '$$',
  'value.a',
  'list.l',
  '==',
  '!=',
  ' in ',
  ' not ',
  ' and ',
  ' or ',
  'matches',
  '[',
  ']',
  '\\',
  '\u0000',
  '\ud800',
  'is empty',
  '1',
  '?',
  ':',
  '-',
]

const soup = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 5 })), { maxLength: 30 })
  .map((parts) => parts.join(''))

const texts = fc.oneof(soup, fc.string(), fc.constant('__proto__'), fc.constant('x'.repeat(20_000)))

const junk = fc.oneof(fc.anything({ withBigInt: false, withNullPrototype: false }), texts)

/** The JSON values from which requests are built. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

describe('endpoints for auth methods and logins return no 5xx for requests with random', () => {
  it('selectors and templates', async () => {
    await fc.assert(
      fc.asyncProperty(
        soup,
        soup,
        soup,
        fc.constantFrom('service', 'role', 'policy', 'templated-policy'),
        async (Selector, BindName, name, BindType) => {
          await sent('PUT', 'binding-rule', { AuthMethod: 'm', Selector, BindType, BindName, BindVars: { name } })
          await sent('PUT', 'binding-rule', {
            AuthMethod: 'm',
            Selector,
            BindType: 'templated-policy',
            BindName: 'builtin/api-gateway',
            BindVars: { name },
          })
        },
      ),
      { numRuns: 150 },
    )
  })

  it('bodies', async () => {
    const members = [
      'Name',
      'Type',
      'Config',
      'MaxTokenTTL',
      'TokenLocality',
      'AuthMethod',
      'BindType',
      'BindName',
      'BindVars',
      'Selector',
      'BearerToken',
      'Meta',
      'ID',
      'Namespace',
      'Partition',
      'NamespaceRules',
      'x',
    ]
    const body = fc.oneof(junk, fc.dictionary(fc.constantFrom(...members), junk))
    const paths = ['auth-method', 'auth-method/m', 'binding-rule', 'binding-rule/00000000-0000-0000-0000-000000000000']
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...paths), async (value, path) => {
        await sent('PUT', path, asJson(value))
        await sent('POST', 'login', asJson(value), null)
        await sent('POST', 'logout', asJson(value))
      }),
      { numRuns: 200 },
    )
    expect(await sent('GET', 'auth-method/m', undefined)).toBe(200)
  })

  it('names in paths', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (name) => {
        for (const path of ['auth-method', 'binding-rule'])
          for (const method of ['GET', 'DELETE'])
            await sent(method, `${path}/x${encodeURIComponent(name.replace(/[\ud800-\udfff]/g, ''))}`, undefined)
      }),
      { numRuns: 100 },
    )
  })

  it('configurations', async () => {
    const members = [
      ...Object.keys(CONFIG),
      'ClaimMappings',
      'ListClaimMappings',
      'BoundAudiences',
      'ClockSkewLeeway',
      'Host',
      'CACert',
      'x',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...members), junk),
        fc.constantFrom('jwt', 'kubernetes', 'oidc'),
        async (Config, Type) => {
          await sent('PUT', 'auth-method', { Name: 'fuzzed', Type, Config: asJson({ ...CONFIG, ...Config }) })
          await sent('DELETE', 'auth-method/fuzzed', undefined)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('bearer tokens', async () => {
    const claims = fc.dictionary(fc.constantFrom('a', 'b', 'l', 'iat', 'exp', 'nbf', 'aud', 'iss', '__proto__'), junk)
    const tokens = fc.oneof(
      texts,
      fc.tuple(soup, soup, soup).map((parts) => parts.map((part) => Buffer.from(part).toString('base64url')).join('.')),
      claims.map((some) => world.bearer(asJson(some) as Record<string, unknown>)),
    )
    await fc.assert(
      fc.asyncProperty(tokens, async (BearerToken) => {
        await sent('POST', 'login', { AuthMethod: 'm', BearerToken }, null)
      }),
      { numRuns: 200 },
    )
  })
})

it('a login yields to the event loop while it evaluates many rules', async () => {
  const { world: many, logIn } = await worldOfSlowRules(100)
  // The patterns were compiled before.
  await logIn()
  const { turns } = await turnsDuring(logIn)
  expect(turns).toBeGreaterThanOrEqual(33)
  await many.service.close()
})

it.each(SLOW_TO_READ)('a binding rule whose selector or template takes too long to parse is refused: %s', async (_, members) => {
  expect(await sent('PUT', 'binding-rule', { AuthMethod: 'm', BindType: 'service', BindName: 'web', ...members })).toBe(400)
})
