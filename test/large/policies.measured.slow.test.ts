/**
 * Compiling, evaluating and listing very large policies does not block the process for long.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { runs } from '../fixtures/runs.ts'
import { watched } from './watched.ts'

const POLICIES = runs({ quick: 10, soak: 50 })
const RULES = 2000

const rulesOf = (policy: number, count: number): string =>
  Array.from({ length: count }, (_, i) => {
    const pattern = [
      `kv/team-${policy}/app-${i}/*`,
      `kv/team-${policy}/+/app-${i}`,
      `kv/shared/app-${i}`,
      `{{identity.entity.id}}/${i}`,
    ][i % 4]
    return `path "${pattern}" { capabilities = ["read", "list"] }`
  }).join('\n')

/** The largest possible policies: many rules, rules that all match one path, and values of one parameter. */
const LARGEST: Readonly<Record<string, string>> = {
  rules: Array.from({ length: 10_000 }, (_, i) => `path "a${i}" {}`).join('\n'),
  mixtures: Array.from({ length: 4096 }, (_, bits) => {
    const segments = Array.from({ length: 12 }, (_, i) => ((bits >> i) & 1 ? '+' : 'a'))
    return `path "${segments.join('/')}/*" { policy = "read" }`
  }).join('\n'),
  values: `path "a" { policy = "read" allowed_parameters = { x = [[${'{},'.repeat(87_000)}]] } }`,
  names: `path "a" { denied_parameters = { ${Array.from({ length: 20_000 }, (_, i) => `"${i}" = [],`).join('')} } }`,
  JSON: JSON.stringify({ path: Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`b${i}`, { policy: 'read' }])) }),
}

describe('very large policies', () => {
  let kernel: Kernel
  let token: string
  const names = Array.from({ length: POLICIES }, (_, i) => `p${i}`)

  async function send(method: string, path: string, body?: unknown, as = kernel.rootToken) {
    const request = { method, path: `/v1/${path}`, headers: { 'X-Service-Token': as } }
    const { status, body: answer } = await kernel.handle(
      body === undefined ? request : { ...request, body: Buffer.from(JSON.stringify(body)) },
    )
    return { status, token: (answer as { auth?: { client_token: string } } | undefined)?.auth?.client_token ?? '' }
  }

  /** Checks that neither `before` nor `work` blocks the process, and that `work` succeeds. */
  const check = (work: () => Promise<{ readonly status: number }>, before?: () => Promise<unknown>): Promise<void> =>
    watched(async () => {
      await before?.()
      expect((await work()).status).toBeLessThan(300)
    })

  beforeAll(async () => {
    kernel = await createDevKernel()
    await send('POST', 'sys/mounts/kv', { type: 'kv' })
    for (const [i, name] of names.entries()) await send('POST', `sys/policies/acl/${name}`, { policy: rulesOf(i, RULES) })
    token = (await send('POST', 'auth/token/create', { policies: names })).token
  })
  afterAll(() => kernel.close())

  it.each(Object.entries(LARGEST))('are written and used without blocking the event loop: %s', async (name, policy) => {
    await check(() => send('POST', `sys/policies/acl/large-${name}`, { policy }))
    const own = (await send('POST', 'auth/token/create', { policies: [`large-${name}`] })).token
    let written = 0
    const change = () => send('POST', `sys/policies/acl/large-${name}`, { policy: `${policy} #${written++}` })
    await check(() => send('GET', 'auth/token/lookup-self', undefined, own), change)
  })

  it('are compiled at their first use and after a change without blocking the event loop', async () => {
    let changes = 0
    const change = () => send('POST', 'sys/policies/acl/p7', { policy: `${rulesOf(7, RULES)} #${changes++}` })
    const use = () => send('GET', 'auth/token/lookup-self', undefined, token)
    await check(use)
    await check(use, change)
  })

  it.each<[string, string, string, unknown]>([
    [
      'capabilities of many paths',
      'POST',
      'sys/capabilities-self',
      { paths: Array.from({ length: 10_000 }, (_, i) => `kv/team-${i % POLICIES}/app-${i}/x`) },
    ],
    ['all rules', 'GET', 'sys/internal/ui/resultant-acl', undefined],
    ['the reachable mounts', 'GET', 'sys/internal/ui/mounts', undefined],
    ['the OpenAPI description of the reachable paths', 'GET', 'sys/internal/specs/openapi', undefined],
  ])('are evaluated for %s without blocking the event loop', async (_, method, path, body) => {
    await check(() => send(method, path, body, token))
  })

  it('are evaluated by policies.explain without blocking the event loop', async () => {
    const body = { token, operation: 'list', path: 'kv/team-3/app-0/x' }
    await check(() => send('POST', 'sys/policies/explain', body))
  })

  it('are compiled without blocking the event loop when many requests arrive at the same time', async () => {
    let changes = 0
    const change = () =>
      Promise.all(
        names.map((name, i) => send('POST', `sys/policies/acl/${name}`, { policy: `${rulesOf(i, 200)} #${changes++}` })),
      )
    const all = async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => send('GET', 'auth/token/lookup-self', undefined, token)))
      return replies[0] as { status: number }
    }
    await check(all, change)
  })
})
