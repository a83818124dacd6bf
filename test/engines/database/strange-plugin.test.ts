/** A plugin that was not written by us: whatever its members throw or return, requests are answered below 500 or as the plugin's fault, and nothing of its errors shows. */
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
  ['throws a text', () => throwText()],
  ['returns nothing', () => undefined],
  ['returns null', () => null],
  ['returns a number', () => 7],
  ['returns a promise that is refused', () => Promise.reject(new Error(SECRET))],
  ['returns a circle', circle],
  ['returns what no JSON holds', () => ({ a: 1n, b: () => 1, c: Symbol('c') })],
  ['returns a list of it', () => [circle(), 1n, Symbol('d'), null]],
  ['returns an object that throws when it is read', () => new Proxy({}, { get: throwing, ownKeys: throwing })],
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

it('asks the plugin by all of them', async () => {
  const kernel = await createDevKernel({ ports: { databases: { fake: fakeDatabasePlugin() } } })
  expect((await answers(kernel)).map(([, status]) => status)).toEqual([204, 200, 204, 200, 204, 204, 204])
  await kernel.close()
})

const MEMBERS = ['configure', 'shown', 'warnings', 'connect'] as const

describe.each(MEMBERS)('%s of a plugin', (member) => {
  it.each(NONSENSE)('%s', async (_, answer) => {
    const strange = { ...fakeDatabasePlugin(), [member]: answer }
    const kernel = await createDevKernel({ ports: { databases: { fake: strange } } })
    try {
      const all = await answers(kernel)
      expect(all.filter(([, status]) => status >= 500 && status !== 502)).toEqual([])
      expect(all.filter(([, , text]) => text.includes(SECRET))).toEqual([])
      // The kernel serves on.
      expect((await kernel.transit.createKey({ name: 'k' })).name).toBe('k')
    } finally {
      await kernel.close()
    }
  })
})

describe.each(['credential_types', 'username_template'])('%s of a plugin', (member) => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', {}],
  ])('is %s', async (_, value) => {
    const strange = { ...fakeDatabasePlugin(), [member]: value }
    const kernel = await createDevKernel({ ports: { databases: { fake: strange } } })
    const [[, status, text] = ['', 0, '']] = await answers(kernel)
    expect(status).toBe(502)
    expect(text).toContain('must have credential_types and username_template')
    await kernel.close()
  })
})
