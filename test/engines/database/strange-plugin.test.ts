/**
 * Requests fail with a 4xx or 502 if a member of a third-party plugin throws or returns an invalid value, and the plugin's error text is
 * not shown.
 */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { fakeDatabasePlugin } from '../../../src/testing/index.ts'

const SECRET = 'hunter2-in-an-error'
const ROOT = { username: 'root', password: 'root-password', connection_url: 'there' }

const throwing = (): never => {
  throw new Error(SECRET)
}

const NONSENSE: readonly (readonly [what: string, answer: () => unknown])[] = [
  ['throws', throwing],
  ['throws a string', () => throwText()],
  ['returns undefined', () => undefined],
  ['returns null', () => null],
  ['returns a number', () => 7],
  ['returns a rejected promise', () => Promise.reject(new Error(SECRET))],
  ['returns a circular object', circle],
  ['returns values that JSON does not support', () => ({ a: 1n, b: () => 1, c: Symbol('c') })],
  ['returns a list of circular and unsupported values', () => [circle(), 1n, Symbol('d'), null]],
  ['returns an object that throws on access', () => new Proxy({}, { get: throwing, ownKeys: throwing })],
]

function throwText(): never {
  throw SECRET
}

function circle(): unknown {
  const one: Record<string, unknown> = {}
  one['self'] = one
  return one
}

const REQUESTS = [
  {
    method: 'POST',
    path: '/v1/database/config/db',
    body: { plugin_name: 'fake', verify_connection: false, allowed_roles: ['*'], ...ROOT },
  },
  { method: 'GET', path: '/v1/database/config/db' },
  { method: 'POST', path: '/v1/database/roles/r', body: { db_name: 'db', creation_statements: ['CREATE'] } },
  { method: 'GET', path: '/v1/database/creds/r' },
  { method: 'POST', path: '/v1/database/rotate-root/db' },
  { method: 'POST', path: '/v1/database/reset/db' },
  { method: 'DELETE', path: '/v1/database/config/db' },
] as const

async function answers(kernel: Kernel): Promise<readonly (readonly [string, number, string])[]> {
  const all: (readonly [string, number, string])[] = []
  const headers = { 'X-Service-Token': kernel.rootToken }
  for (const request of REQUESTS) {
    const { status, body } = await kernel.handle({ ...request, headers })
    all.push([`${request.method} ${request.path}`, status, JSON.stringify(body ?? null)])
  }
  return all
}

it('all requests of this test succeed with the fake database plugin', async () => {
  const kernel = await createDevKernel({ ports: { databases: { fake: fakeDatabasePlugin() } } })
  expect((await answers(kernel)).map(([, status]) => status)).toEqual([204, 200, 204, 200, 204, 204, 204])
  await kernel.close()
})

const MEMBERS = ['configure', 'shown', 'warnings', 'connect'] as const

describe.each(MEMBERS)('the %s member of a database plugin', (member) => {
  it.each(NONSENSE)('causes no server error except 502, and no answer with its error text, if it %s', async (_, answer) => {
    const strange = { ...fakeDatabasePlugin(), [member]: answer }
    const kernel = await createDevKernel({ ports: { databases: { fake: strange } } })
    try {
      const all = await answers(kernel)
      expect(all.filter(([, status]) => status >= 500 && status !== 502)).toEqual([])
      expect(all.filter(([, , text]) => text.includes(SECRET))).toEqual([])
      // The kernel still works.
      expect((await kernel.transit.createKey({ name: 'k' })).name).toBe('k')
    } finally {
      await kernel.close()
    }
  })
})

describe.each(['credential_types', 'username_template'])('the %s member of a database plugin', (member) => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', {}],
  ])('makes requests fail with 502 if it is %s', async (_, value) => {
    const strange = { ...fakeDatabasePlugin(), [member]: value }
    const kernel = await createDevKernel({ ports: { databases: { fake: strange } } })
    const [[, status, text] = ['', 0, '']] = await answers(kernel)
    expect(status).toBe(502)
    expect(text).toContain('must have credential_types and username_template')
    await kernel.close()
  })
})
