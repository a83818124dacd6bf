import { describe, expect, it } from 'vitest'
import { fitsAny } from '../../../src/core/base/glob.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { type Input, TYPED, VIEWS } from './views.ts'
import { EVERYBODY, HOST, jwtOf, KEYS, openWorld, WEB, type World } from './world.ts'

/** The status and the refusal reason of a login, which must be the same for typed calls and calls by path. */
async function ends(world: World, jwt: string): Promise<string> {
  const before = (await world.refusals()).length
  const statuses = []
  for (const view of VIEWS) statuses.push((await world.login(view, jwt)).status)
  expect(new Set(statuses).size).toBe(1)
  const refusal = (await world.refusals())[before]
  return refusal ? `${statuses[0]} ${refusal.reason}` : `${statuses[0]}`
}

/** Only `*` is special: it matches any characters, including none. */
const PATTERNS: readonly (readonly [pattern: string, subject: string, fits: boolean])[] = [
  ['vault-*', 'vault-auth', true],
  ['a*c*e', 'abcde', true],
  ['a*b', 'ab', true],
  ['a*ba', 'aba', true],
  ['a*ba', 'ab', false],
  ['a**b', 'axb', true],
  ['vault?', 'vault1', false],
  ['vault?', 'vault?', true],
  ['*', '', true],
  ['**', 'x', true],
  ['*a', 'ba', true],
  ['*a', 'ab', false],
  ['a*', 'ba', false],
  ['*b*', 'abc', true],
  ['*b*', 'ac', false],
  ['a*a', 'a', false],
  ['ab*ba', 'aba', false],
  ['a*b*c', 'acb', false],
  ['Web', 'web', false],
  ['[ab]', 'a', false],
  ['w.b', 'web', false],
  ['web', 'web\n', false],
  ['w*b', 'w\nb', true],
  ['w\\*', 'w*', false],
  ['w\\*', 'w\\x', true],
]

describe('a name pattern of a role', () => {
  it.each(PATTERNS)('is compared literally except for *: pattern %j, name %j, match %s', async (pattern, subject, fits) => {
    await using world = await openWorld({ role: EVERYBODY })
    const { orchestrator } = world.kernel
    await orchestrator.writeRole({ name: 'web', bound_service_account_names: [pattern] })
    expect(await ends(world, jwtOf({ ...WEB, name: subject }))).toBe(fits ? '200' : '403 name-not-bound')
    await orchestrator.writeRole({ name: 'web', ...EVERYBODY, bound_service_account_namespaces: [pattern] })
    expect(await ends(world, jwtOf({ ...WEB, namespace: subject }))).toBe(fits ? '200' : '403 namespace-not-bound')
  })

  it.each(['bound_service_account_names', 'bound_service_account_namespaces'])(
    'in %s is refused if it is empty',
    async (name) => {
      await using world = await openWorld({ role: EVERYBODY })
      for (const patterns of [[''], ['web', '']])
        await expect(world.kernel.orchestrator.writeRole({ name: 'web', [name]: patterns })).rejects.toMatchObject({
          status: 400,
          message: `${name}: cannot contain an empty name`,
        })
    },
  )

  it('matches like a regular expression in which * is `.*`', () => {
    const text = (characters: string) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 9 })
    fc.assert(
      fc.property(text('ab*'), text('ab'), (pattern, subject) => {
        const meant = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's')
        expect(fitsAny(subject, [pattern])).toBe(meant.test(subject))
      }),
      { numRuns: runs({ quick: 1_000, soak: 20_000 }) },
    )
  })

  it('is accepted with thousands of wildcards and in a list of hundreds of patterns', async () => {
    const name = 'a'.repeat(253)
    const hostile = [`${'a*'.repeat(5_000)}b`, `${'*a'.repeat(5_000)}`, '*'.repeat(10_000), ...Array(900).fill('*a*a*a*b')]
    await using world = await openWorld({ role: EVERYBODY })
    await TYPED.ask(world.kernel, 'writeRole', { name: 'web', bound_service_account_names: hostile.slice(0, 2) })
    expect(await ends(world, jwtOf({ ...WEB, name }))).toBe('403 name-not-bound')
    await TYPED.ask(world.kernel, 'writeRole', { name: 'web', bound_service_account_names: hostile })
    expect(await ends(world, jwtOf({ ...WEB, name }))).toBe('200')
    expect(fitsAny('a'.repeat(10_000), [`${'a*'.repeat(1_000)}b`, '*ab*ab*ab*'])).toBe(false)
  })

  it('must match the account name even if the namespace matches its own pattern', async () => {
    const role = { bound_service_account_names: ['a', 'b-*'], bound_service_account_namespaces: ['x', '*-y'] }
    await using world = await openWorld({ role })
    const end = (name: string, namespace: string) => ends(world, jwtOf({ ...WEB, name, namespace }))
    expect(await end('a', 'z-y')).toBe('200')
    expect(await end('b-1', 'x')).toBe('200')
    expect(await end('b', 'x')).toBe('403 name-not-bound')
    expect(await end('a', 'y')).toBe('403 namespace-not-bound')
  })
})

describe('the audience check of a login', () => {
  const CASES: readonly (readonly [role: string, aud: unknown, ends: string])[] = [
    ['', undefined, '200'],
    ['', 'a', '200'],
    ['', [], '200'],
    ['', 7, '403 claims-malformed'],
    ['', ['a', null], '403 claims-malformed'],
    ['', { 0: 'a' }, '403 claims-malformed'],
    ['a', 'a', '200'],
    ['a', ['b', 'a'], '200'],
    ['a', undefined, '403 audience-mismatch'],
    ['a', [], '403 audience-mismatch'],
    ['a', 'ab', '403 audience-mismatch'],
    ['a', ['A', ' a', 'a,b'], '403 audience-mismatch'],
    ['*', 'a', '403 audience-mismatch'],
    ['a,b', 'a', '403 audience-mismatch'],
  ]
  it.each(CASES)('with the role audience %j and the token audience %j ends with %s', async (audience, aud, outcome) => {
    await using world = await openWorld({ role: { audience } })
    expect(await ends(world, jwtOf(WEB, { aud }))).toBe(outcome)
  })
})

describe('the issuer check of a login', () => {
  const looked = { disable_iss_validation: false }
  const CASES: readonly (readonly [config: Input, iss: unknown, ends: string])[] = [
    [{}, 'anybody', '200'],
    [{ issuer: 'cluster' }, 'anybody', '200'],
    [{ issuer: 'cluster', disable_iss_validation: true }, undefined, '200'],
    [looked, 'kubernetes/serviceaccount', '200'],
    [looked, 'kubernetes.io/serviceaccount', '403 issuer-mismatch'],
    [looked, undefined, '403 issuer-mismatch'],
    [looked, '', '403 issuer-mismatch'],
    [{ ...looked, issuer: 'cluster' }, 'cluster', '200'],
    [{ ...looked, issuer: 'cluster' }, 'kubernetes/serviceaccount', '403 issuer-mismatch'],
    [{ ...looked, issuer: 'cluster' }, 'Cluster', '403 issuer-mismatch'],
    [{ ...looked, issuer: 'cluster' }, 'cluster/', '403 issuer-mismatch'],
    [{ ...looked, issuer: 'cluster' }, ['cluster'], '403 issuer-mismatch'],
    [{ ...looked, issuer: 'cluster' }, null, '403 issuer-mismatch'],
  ]
  it.each(CASES)('with the configuration %j and the token issuer %j ends with %s', async (config, iss, outcome) => {
    await using world = await openWorld({ config: { orchestrator_host: HOST, pem_keys: KEYS, ...config } })
    expect(await ends(world, jwtOf(WEB, { iss }))).toBe(outcome)
  })
})

describe('account names in a token', () => {
  const SECRET = 'kubernetes.io/serviceaccount/secret.name'
  const MAX_BYTES = 253

  it.each(['a', '\u65e5', '\u{1f511}'])('made of %j can have at most 253 characters', async (character) => {
    const long = character.repeat(Math.floor(MAX_BYTES / character.length)).padEnd(MAX_BYTES, 'x')
    await using world = await openWorld({ role: { ...EVERYBODY, alias_name_source: 'serviceaccount_name' } })
    const all = { namespace: long, name: long, uid: long }
    expect(await ends(world, jwtOf(all, { [SECRET]: long }))).toBe('200')
    for (const part of ['namespace', 'name', 'uid'])
      expect(await ends(world, jwtOf({ ...all, [part]: `${long}x` }))).toBe('403 claims-malformed')
    expect(await ends(world, jwtOf(all, { [SECRET]: `${long}x` }))).toBe('403 claims-malformed')
  })

  it('can be empty unless they are the alias, but the UID is always required', async () => {
    const [noName, noSpace, noUid] = [
      { ...WEB, name: '' },
      { ...WEB, namespace: '' },
      { ...WEB, uid: '' },
    ].map((account) => jwtOf(account)) as [string, string, string]
    await using world = await openWorld({ role: EVERYBODY })
    expect(await ends(world, noName)).toBe('200')
    expect(await ends(world, noSpace)).toBe('200')
    expect(await ends(world, noUid)).toBe('403 uid-missing')
    await world.kernel.orchestrator.writeRole({ name: 'web', alias_name_source: 'serviceaccount_name' })
    expect(await ends(world, noName)).toBe('403 claims-malformed')
    expect(await ends(world, noSpace)).toBe('403 claims-malformed')
    // The UID is required by design, whatever the alias source is.
    expect(await ends(world, noUid)).toBe('403 uid-missing')
    expect(await ends(world, jwtOf())).toBe('200')
  })
})
