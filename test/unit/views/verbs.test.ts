/** Unsupported verbs, with the order of checks that Vault has, and trailing slashes of lists. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { EVERY_OPERATION, fill, furnish, furnishedPorts } from '../../fixtures/good-requests.ts'

let kernel: Kernel
let sealed: Kernel
beforeAll(async () => {
  kernel = await createDevKernel({ ports: furnishedPorts() })
  sealed = await createDevKernel()
  await sealed.seal.seal()
  await furnish((method, path, body) => ask(kernel, method, path, { body }))
})
afterAll(() => Promise.all([kernel.close(), sealed.close()]))

const ask = (to: Kernel, method: string, path: string, more: { body?: unknown; headers?: object } = {}) =>
  to.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': kernel.rootToken, ...more.headers }, body: more.body })

/** Operations that answer in every state, and operations that are authorized by key shares. */
const FIRST = EVERY_OPERATION.filter(
  ({ operation }) =>
    operation.inAnyState !== undefined || (operation.unauthenticated && !operation.batch && operation.control !== undefined),
)
const PATHS = [...new Set(FIRST.map((listed) => fill(listed).path))]
const servedAt = (path: string) => FIRST.filter((listed) => fill(listed).path === path).map(({ operation }) => operation)

describe.each(PATHS)('the path %s', (path) => {
  const verbs = new Set<string>(servedAt(path).map(({ verb }) => verb))
  const lacking = ['PATCH', 'DELETE', 'POST', 'GET', 'LIST'].filter((verb) => !verbs.has(verb))

  it.each(lacking)('answers 405 to %s before it checks anything else in the request', async (verb) => {
    const broken = { body: '{"broken', headers: { 'X-Service-Wrap-TTL': 'soon', 'X-Service-Token': '' } }
    expect((await ask(kernel, verb, path, broken)).status).toBe(405)
    const everywhere = servedAt(path).some(({ inAnyState: always }) => always !== undefined)
    const { status } = await ask(sealed, verb, path)
    // The media type of a PATCH is checked first if the sealed kernel does not know the path.
    expect(status).toBe(everywhere ? 405 : verb === 'PATCH' ? 415 : 503)
  })
})

it('a PATCH with the wrong media type is refused with 415, even at a path that does not exist', async () => {
  for (const path of ['secret/a', 'sys/mounts/secret', 'sys/wrapping/lookup', 'nowhere/a', 'auth/token/create'])
    expect([path, (await ask(kernel, 'PATCH', path)).status]).toEqual([path, 415])
})

const LISTS = EVERY_OPERATION.filter(({ operation }) => operation.verb === 'LIST' && !operation.path.includes('*'))
const verbsAt = (template: string, place: string) =>
  new Set(
    EVERY_OPERATION.filter(({ operation, place: at }) => at === place && operation.path === template).map(
      ({ operation }) => operation.verb,
    ),
  )

describe.each(LISTS.map((listed) => [listed.title, listed] as const))('the path of the list operation %s', (_, listed) => {
  it('returns the same status for a request with a trailing slash', async () => {
    const { path } = fill(listed)
    for (const verb of ['GET', 'DELETE', 'LIST'] as const) {
      const plain = await ask(kernel, verb, path)
      const slashed = await ask(kernel, verb, `${path}/`)
      expect([verb, slashed.status]).toEqual([verb, plain.status])
      if (!verbsAt(listed.operation.path, listed.place).has(verb)) expect([verb, slashed.status]).toEqual([verb, 405])
    }
  })
})

describe('sys/step-down', () => {
  it('answers 204 and has no effect', async () => {
    expect((await ask(kernel, 'PUT', 'sys/step-down')).status).toBe(204)
    expect((await ask(kernel, 'POST', 'sys/step-down', { body: { ignored: 1 } })).status).toBe(204)
    expect((await ask(kernel, 'GET', 'secret/a')).status).toBe(200)
  })

  it('requires update and sudo in the root namespace', async () => {
    const token = async (name: string, capabilities: string) => {
      await kernel.policies.writePolicy({ name, policy: `path "sys/step-down" { capabilities = [${capabilities}] }` })
      return { 'X-Service-Token': (await kernel.tokens.createToken({ policies: [name] })).client_token }
    }
    expect((await ask(kernel, 'PUT', 'sys/step-down', { headers: await token('one', '"update"') })).status).toBe(403)
    expect((await ask(kernel, 'PUT', 'sys/step-down', { headers: await token('both', '"update", "sudo"') })).status).toBe(204)
    expect((await ask(kernel, 'PUT', 'sys/step-down', { headers: { 'X-Service-Token': '' } })).status).toBe(403)
    expect((await ask(kernel, 'PUT', 'sys/step-down', { headers: { 'X-Service-Namespace': 'inner' } })).status).toBe(400)
    expect((await ask(kernel, 'PUT', 'inner/sys/step-down')).status).toBe(400)
  })

  it('answers 204 while the kernel is sealed', async () => {
    expect((await ask(sealed, 'PUT', 'sys/step-down')).status).toBe(204)
  })
})
