/** A policy with a path that no request can match is stored with a warning. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

const UNMATCHED: readonly (readonly [pattern: string, why: RegExp])[] = [
  ...['a/*/b', '*/config', 'secret/*-prod', 'secret/**', 'a/*/*', 'secret/*/+/x', 'a*b*'].map(
    (pattern) => [pattern, /only at the end/] as const,
  ),
  ...['a//b', '//a', 'a//', 'a//*', '+//b'].map((pattern) => [pattern, /cannot contain empty segments/] as const),
  ...['a/./b', '../a', 'a/..', '.', './*'].map((pattern) => [pattern, /cannot contain the segments \. and \.\./] as const),
  ...['a/b\u0007', 'a\tb/*', 'a/\u007f'].map((pattern) => [pattern, /cannot contain control characters/] as const),
  ...[
    '{{identity.entity.nme}}/*',
    'a/{{identity.entity}}',
    'a/{{ entity.name }}',
    'a/{{}}',
    '{{identity.groups.ids.g1.id}}/a',
    '{{identity.groups.names.g.name}}/a',
    '{{identity.entity.aliases.auth_x.nme}}',
    '{{identity.entity.metadata}}/a',
  ].map((pattern) => [pattern, /there is no template/] as const),
]

const MATCHED = [
  ...['*', '', '+', 'a', 'a/', 'a/b', '/a/b', 'a/*', 'a/b*', '+/config', 'a/+/b', 'a/+', 'a/+/*', 'a/+/b*', 'a+b', 'a/+b'],
  ...['a/.b', 'a/b.', 'a/..b', 'a/.*', 'a/...', 'a b/c', 'ü/☃', 'a/?', 'a/{b}', 'a/"b"'],
  ...['a/{{identity.entity.name}}/*', '{{ identity.entity.id }}', '{{identity.entity.metadata.a.b}}'],
  ...['{{identity.entity.aliases.auth_x.name}}', '{{identity.entity.aliases.auth_x.custom_metadata.k}}'],
  ...['{{identity.groups.ids.g1.name}}', '{{identity.groups.names.g.id}}', '{{identity.groups.names.g.metadata.k}}/x*'],
]

const textOf = (pattern: string) => JSON.stringify({ path: { [pattern]: { capabilities: ['read'] } } })

const write = (policy: string) => kernel.policies.writePolicy({ name: 'p', policy })

describe('policy paths', () => {
  it.each(UNMATCHED)('that match no request cause a warning: %j', async (pattern, why) => {
    const { warnings } = await write(textOf(pattern))
    expect(warnings).toEqual([expect.stringMatching(why)])
    expect(warnings?.[0]).toMatch(/^path ".*" matches no request: /s)
    expect((await kernel.policies.readPolicy({ name: 'p' })).policy).toBe(textOf(pattern))
  })

  it.each(MATCHED)('that match requests cause no warning: %j', async (pattern) => {
    expect((await write(textOf(pattern))).warnings).toBeUndefined()
  })

  // Requests are refused for the same reasons: a request with the text of such a rule as its path gets a 400.
  it.each(UNMATCHED.filter(([pattern]) => !pattern.includes('{{') && !pattern.includes('*')))(
    'that match no request are refused as request paths: %j',
    async (pattern) => {
      const headers = { 'X-Service-Token': kernel.rootToken }
      const path = `/v1/${pattern.replace(/^\//, '').replaceAll('+', 'x').split('/').map(encodeURIComponent).join('/')}`
      expect((await kernel.handle({ method: 'GET', path, headers })).status).toBe(400)
    },
  )
})

describe('warnings about policy paths', () => {
  it('are given once per path, and for at most twenty paths', async () => {
    const rule = (pattern: string) => `path "${pattern}" { capabilities = ["read"] }`
    expect((await write([rule('a/*/b'), rule('a/*/b'), rule('c')].join('\n'))).warnings).toHaveLength(1)
    const rules = Array.from({ length: 3000 }, (_, index) => rule(`a/*/${index}`))
    expect((await write(rules.join('\n'))).warnings).toHaveLength(20)
  })

  it('are also part of the answer to a call by path', async () => {
    const headers = { 'X-Service-Token': kernel.rootToken }
    const body = { policy: 'path "a/*/b" { capabilities = ["read"] }' }
    const answer = await kernel.handle({ method: 'POST', path: '/v1/sys/policies/acl/q', headers, body })
    expect([answer.status, (answer.body as { warnings: unknown }).warnings]).toEqual([
      200,
      ['path "a/*/b" matches no request: a * is a wildcard only at the end of a path; + stands for one segment'],
    ])
  })
})
