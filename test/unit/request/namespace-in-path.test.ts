/**
 * A namespace at the beginning of the request path is equivalent to the namespace header: for every operation, and without access to
 * anything that policies or root-only operations forbid.
 */
import '../../fixtures/loaded-curves.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { fakeClock, seededEntropy } from '../../../src/testing/index.ts'
import { EVERY_OPERATION, type Filled, fill, furnish, furnishedPorts } from '../../fixtures/good-requests.ts'
import { usePreparedRsaKeys } from '../../fixtures/prepared-rsa-keys.ts'

usePreparedRsaKeys()

interface Where {
  readonly token?: string
  readonly namespace?: string
  readonly prefix?: string
}

function ask(kernel: Kernel, { verb, path, body }: Filled, { token, namespace, prefix = '' }: Where) {
  const headers = {
    'X-Service-Token': token ?? kernel.rootToken ?? '',
    'Content-Type': 'application/merge-patch+json',
    ...(namespace === undefined ? {} : { 'X-Service-Namespace': namespace }),
  }
  return kernel.handle({ method: verb, path: `/v1/${prefix}${path}`, headers, body })
}

const get = (path: string): Filled => ({ verb: 'GET', path, body: {} })

/**
 * Two kernels with the same random numbers and clock, so that their answers are identical to the byte. The code of curves is already loaded:
 * a kernel that had to wait for it would draw more random numbers.
 */
async function open(): Promise<Kernel> {
  const kernel = await createDevKernel({ clock: fakeClock(), entropy: seededEntropy('twins'), ports: furnishedPorts() })
  await kernel.namespaces.createNamespace({ name: 'outer' })
  await kernel.namespace('outer/').namespaces.createNamespace({ name: 'ns' })
  await furnish((verb, path, body = {}) => ask(kernel, { verb, path, body: { ...body } }, { namespace: 'outer/ns' }))
  return kernel
}

let byHeader: Kernel
let byPath: Kernel
beforeAll(async () => {
  ;[byHeader, byPath] = await Promise.all([open(), open()])
})
afterAll(() => Promise.all([byHeader.close(), byPath.close()]))

/** A new token for each request, because some requests revoke their token. */
const rootTokenOf = async (kernel: Kernel) => (await kernel.tokens.createToken({ policies: ['root'] })).client_token

/**
 * OpenSSL draws RSA keys from its own random numbers, and each fake cloud draws the keys of its users. A sealed kernel answers no further
 * requests.
 */
const DRAWN_ELSEWHERE = /readWrappingKey|exportWrappedKey|importKey|cloud\.(creds|sts|static|readStatic|writeStatic|rotate)/
const ASKED = EVERY_OPERATION.filter(({ title }) => title !== 'system.seal')
const VERBS = ['GET', 'LIST', 'POST', 'PATCH', 'DELETE', 'HEAD']

describe('a namespace in the request path', () => {
  it.each(ASKED.map((listed) => [listed.title, listed] as const))(
    'causes the same answer as in the header: %s',
    async (title, listed) => {
      const request = fill(listed)
      const [one, other] = await Promise.all([byHeader, byPath].map(rootTokenOf))
      const expected = await ask(byHeader, request, { namespace: 'outer/ns', token: one as string })
      const answer = await ask(byPath, request, { prefix: 'outer/ns/', token: other as string })
      expect(answer.status).toBe(expected.status)
      if (!DRAWN_ELSEWHERE.test(title)) expect(withoutVolatile(answer.body)).toEqual(withoutVolatile(expected.body))
    },
  )

  it.each(ASKED.map((listed) => [listed.title, listed] as const))(
    'causes the same status as in the header for every verb without a valid token: %s',
    async (_, listed) => {
      for (const verb of VERBS) {
        const request = { ...fill(listed), verb }
        const expected = await ask(byHeader, request, { namespace: 'outer/ns', token: 's.nobody' })
        const answer = await ask(byPath, request, { prefix: 'outer/ns/', token: 's.nobody' })
        expect([verb, answer.status]).toEqual([verb, expected.status])
      }
    },
  )

  it('may be split between the header and the path', async () => {
    const where = [
      { prefix: 'outer/ns/' },
      { namespace: 'outer', prefix: 'ns/' },
      { namespace: '/outer/ns/' },
      { namespace: '/', prefix: 'outer/ns/' },
    ]
    for (const each of where) {
      expect((await ask(byPath, get('kv2/data/b'), each)).body).toMatchObject({ data: { metadata: { version: 1 } } })
    }
  })
})

function withoutVolatile(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body ?? null, (name, value: unknown) => (name === 'request_id' || name === 'encryptions' ? '' : value)),
  )
}

describe('access control for a namespace in the request path', () => {
  beforeAll(async () => {
    for (const path of ['kv2/data/a', 'kv2/data/b'])
      await ask(byPath, { verb: 'POST', path, body: { data: { v: 1 } } }, { namespace: 'outer/ns' })
  })

  const tokenWith = async (policy: string): Promise<string> => {
    await byPath.policies.writePolicy({ name: 'narrow', policy })
    return (await byPath.tokens.createToken({ policies: ['narrow'] })).client_token
  }

  it('applies the policies of an outer token to the whole path, including the namespace', async () => {
    const token = await tokenWith(
      'path "outer/ns/kv2/*" { capabilities = ["read"] } path "outer/ns/kv2/data/a" { capabilities = ["deny"] } path "kv2/*" { capabilities = ["read"] }',
    )
    for (const where of [{ prefix: 'outer/ns/' }, { namespace: 'outer/ns' }, { namespace: 'outer', prefix: 'ns/' }]) {
      expect((await ask(byPath, get('kv2/data/b'), { ...where, token })).status).toBe(200)
      expect((await ask(byPath, get('kv2/data/a'), { ...where, token })).status).toBe(403)
      expect((await ask(byPath, get('secret/a'), { ...where, token })).status).toBe(403)
    }
  })

  it('accepts a token of the namespace only inside the namespace', async () => {
    const inner = byPath.namespace('outer/ns/')
    await inner.policies.writePolicy({ name: 'all', policy: 'path "*" { capabilities = ["read", "list", "sudo"] }' })
    const { client_token: token } = await inner.tokens.createToken({ policies: ['all'] })
    expect((await ask(byPath, get('kv2/data/b'), { prefix: 'outer/ns/', token })).status).toBe(200)
    expect((await ask(byPath, get('sys/mounts'), { prefix: 'outer/', token })).status).toBe(403)
    expect((await ask(byPath, get('sys/mounts'), { token })).status).toBe(403)
  })

  it.each(ASKED.filter(({ operation }) => operation.rootOnly).map((listed) => [listed.title, listed] as const))(
    'refuses operations of the root namespace: %s',
    async (_, listed) => {
      const { status } = await ask(byPath, fill(listed), { prefix: 'outer/ns/' })
      expect(status).toBe(400)
    },
  )

  it.each([
    ['leading slashes', '/outer/ns/kv2/data/b', 400],
    ['doubled slashes', 'outer//ns/kv2/data/b', 400],
    ['a dot segment', 'outer/./ns/kv2/data/b', 400],
    ['a parent segment', 'outer/ns/../ns/kv2/data/b', 400],
    ['an encoded parent segment', 'outer/ns/%2e%2e/ns/kv2/data/b', 400],
    ['another case of the namespace', 'Outer/ns/kv2/data/b', 404],
    ['only the beginning of the namespace', 'outer/n/kv2/data/b', 404],
    ['a longer name than the namespace', 'outer/nss/kv2/data/b', 404],
    ['only the namespace', 'outer/ns', 404],
    ['only the namespace and a slash', 'outer/ns/', 404],
    ['encoded slashes', 'outer%2Fns%2Fkv2%2Fdata%2Fb', 200],
    ['encoded letters', '%6futer/n%73/kv2/data/b', 200],
  ])('for a path with %s (%s) answers %i', async (_, path, status) => {
    expect((await ask(byPath, get(path), {})).status).toBe(status)
  })

  it('refuses a mount at or below the path of a namespace, and a namespace at the path of a mount', async () => {
    const mount = (path: string, where: Where = {}) =>
      ask(byPath, { verb: 'POST', path: `sys/mounts/${path}`, body: { type: 'kv' } }, where)
    expect((await mount('outer')).status).toBe(400)
    expect((await mount('outer/ns')).status).toBe(400)
    expect((await mount('outer/ns/kv3')).status).toBe(400)
    expect((await mount('ns/kv3', { prefix: 'outer/' })).status).toBe(400)
    const move = { verb: 'POST', path: 'sys/remount', body: { from: 'secret', to: 'outer/secret2' } }
    expect((await ask(byPath, move, {})).status).toBe(400)
    expect((await ask(byPath, { verb: 'POST', path: 'sys/namespaces/secret', body: {} }, {})).status).toBe(400)
  })

  it('returns 404 for a deleted namespace', async () => {
    await byPath.namespaces.createNamespace({ name: 'gone' })
    expect((await ask(byPath, get('sys/mounts'), { prefix: 'gone/' })).status).toBe(200)
    await byPath.namespaces.deleteNamespace({ name: 'gone' })
    expect((await ask(byPath, get('sys/mounts'), { prefix: 'gone/' })).status).toBe(404)
    expect((await ask(byPath, get('sys/seal-status'), { prefix: 'gone/' })).status).toBe(404)
  })
})

describe('sys/internal/ui/mounts/<path>', () => {
  const mountOf = async (path: string, where: Where = {}) => {
    const { status, body } = await ask(byPath, get(`sys/internal/ui/mounts/${path}`), where)
    return [status, (body as { data?: { path: string; options: { version: string } } }).data] as const
  }

  it('returns the mount of the namespace with which the path begins, as the Vault CLI requires', async () => {
    for (const [path, where, shown] of [
      ['outer/ns/kv2/b', {}, 'outer/ns/kv2/'],
      ['ns/kv2/b', { namespace: 'outer' }, 'ns/kv2/'],
      ['ns/kv2/b', { prefix: 'outer/' }, 'ns/kv2/'],
      ['kv2/b', { namespace: 'outer/ns' }, 'kv2/'],
    ] as const) {
      expect(await mountOf(path, where)).toMatchObject([200, { path: shown, options: { version: '2' } }])
    }
  })

  it('returns 403 unless the policies of the token reach the mount', async () => {
    const tokenFor = async (name: string, policy: string) => {
      await byPath.policies.writePolicy({ name, policy })
      return (await byPath.tokens.createToken({ policies: [name] })).client_token
    }
    const reaching = await tokenFor('reaching', 'path "outer/ns/kv2/data/b" { capabilities = ["read"] }')
    const elsewhere = await tokenFor('elsewhere', 'path "kv2/*" { capabilities = ["read"] }')
    expect((await mountOf('outer/ns/kv2/b', { token: reaching }))[0]).toBe(200)
    expect((await mountOf('outer/ns/kv2/b', { token: elsewhere }))[0]).toBe(403)
    expect((await mountOf('outer/ns/none/b', { token: reaching }))[0]).toBe(403)
    expect((await mountOf('outer/ns/kv2/b', { token: '' }))[0]).toBe(403)
    const inner = byPath.namespace('outer/ns/')
    const { client_token: own } = await inner.tokens.createToken({ policies: ['all'] })
    expect((await mountOf('outer/ns/kv2/b', { token: own }))[0]).toBe(200)
    expect((await mountOf('secret/a', { token: own }))[0]).toBe(403)
  })
})
