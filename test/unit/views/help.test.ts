import { validate } from '@readme/openapi-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel, type KernelRequest } from '../../../src/index.ts'

let kernel: Kernel

beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.mounts.createMount({ path: 'deep/er/', type: 'transit', description: 'of  a\ntest' })
})
afterAll(() => kernel.close())

interface Help {
  readonly help: string
  readonly see_also: unknown
  readonly openapi: { readonly paths: object; readonly servers: readonly { readonly url: string }[] }
}

const ask = (path: string, more: Partial<KernelRequest> = {}) =>
  kernel.handle({
    method: 'GET',
    path: `/v1/${path}`,
    query: { help: '1' },
    headers: { 'X-Service-Token': kernel.rootToken as string },
    ...more,
  })

async function help(path: string, more: Partial<KernelRequest> = {}): Promise<Help> {
  const { status, body } = await ask(path, more)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Help
}

const pathsOf = ({ openapi }: Help) => Object.keys(openapi.paths)

describe('help', () => {
  it('at a mount lists all paths of the mount, sorted, with their descriptions', async () => {
    const answer = await help('deep/er')
    expect(Object.keys(answer)).toEqual(['help', 'see_also', 'openapi'])
    expect(answer.see_also).toBe(null)
    expect(answer.help).toMatch(/^## DESCRIPTION\n\n`deep\/er`: the engine `transit` at `deep\/er\/`. of a test\n\n## PATHS\n\n/)
    const listed = [...answer.help.matchAll(/^`(.+)`$/gm)].map(([, path]) => path)
    expect(listed).toEqual([...listed].sort())
    expect(listed).toEqual(expect.arrayContaining(['keys', 'keys/:name', 'random(/:source)(/:count)']))
    expect(answer.help).toContain('- POST: Encrypts data under a named key')
    expect(pathsOf(answer)).toEqual(expect.arrayContaining(['/keys', '/keys/{name}', '/encrypt/{name}']))
    expect(answer.openapi.servers).toEqual([{ url: '/v1/deep/er' }])
    expect(await help('deep/er/')).toEqual(answer)
  })

  it('at a path describes the route, the parameters and the paths below', async () => {
    const answer = await help('transit/keys/orders')
    expect(answer.help).toMatch(/^Request: `transit\/keys\/orders`\\\nMatching route: `keys\/:name`\n\n## PARAMETERS\n\n/)
    expect(answer.help).toContain('`exportable` (boolean)\n: ')
    expect(answer.help).toContain('## DESCRIPTION\n\n- POST: ')
    expect(answer.help).toContain('`keys/:name/config`')
    expect(pathsOf(answer)).toEqual(expect.arrayContaining(['/keys/{name}', '/keys/{name}/config', '/keys/{name}/rotate']))
    expect(pathsOf(answer).filter((path) => !path.startsWith('/keys/{name}'))).toEqual([])
  })

  it('at an incomplete path lists the paths below', async () => {
    expect(pathsOf(await help('transit/export'))).toEqual(['/export/{key_type}/{name}', '/export/{key_type}/{name}/{version}'])
    expect(pathsOf(await help('sys/leases/revoke'))).toEqual(['/leases/revoke', '/leases/revoke/{lease_id}'])
  })

  it('contains a valid OpenAPI document at every path', async () => {
    for (const path of [
      'transit',
      'secret',
      'secret/any/where',
      'cubbyhole',
      'sys',
      'sys/health',
      'auth/token',
      'sys/mounts/x/tune',
    ])
      expect(await validate(structuredClone((await help(path)).openapi) as never), path).toMatchObject({
        valid: true,
        warnings: [],
      })
  })

  it('is returned instead of running the operation, whatever else is in the request', async () => {
    const query = { help: 'yes', list: 'perhaps' }
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'LIST', 'HEAD', 'BREW', 'HELP'])
      await help('transit/keys/byhelp', { method, query, body: '[' })
    await help('transit/keys/byhelp', { method: 'HELP', query: {} })
    expect((await ask('transit/keys/byhelp', { query: {} })).status).toBe(404)
    expect((await ask('transit/keys/byhelp', { query: { help: '' } })).status).toBe(404)
    expect((await ask('transit/../keys')).status).toBe(400)
  })

  it('needs a valid token without any policy, and reduces its use count', async () => {
    const { client_token } = await kernel.tokens.createToken({ policies: ['default'], num_uses: 3 })
    const headers = { 'X-Service-Token': client_token }
    await help('sys/audit', { headers }).catch(() => help('sys/seal', { headers }))
    await help('transit/keys/a', { headers })
    await ask('transit/keys/a', { headers })
    // The help request counted as a use.
    expect((await ask('transit/keys/a', { headers })).status).toBe(403)
    for (const path of ['transit/keys/a', 'nowhere/at/all', 'transit/nothing'])
      expect((await ask(path, { headers: {} })).status).toBe(403)
    await help('sys/health', { headers: {} })
    await help('sys/wrapping/lookup', { headers: {} })
  })

  it('is answered with 404 at an unknown path, and with 503 while the kernel is sealed', async () => {
    for (const path of ['nowhere/at/all', 'transit/nothing', 'transit/keys/a.', 'transit/keys/a/none'])
      expect((await ask(path)).status, path).toBe(404)
    await using otherKernel = await createDevKernel()
    await otherKernel.seal.seal()
    for (const path of ['sys/health', 'transit/keys/a'])
      expect((await otherKernel.handle({ method: 'GET', path: `/v1/${path}`, query: { help: '1' } })).status).toBe(503)
  })

  it('can be requested for a path in a namespace', async () => {
    await kernel.namespaces.createNamespace({ name: 'team' })
    await kernel.namespace('team/').mounts.createMount({ path: 'own/', type: 'kv' })
    expect(pathsOf(await help('team/own'))).toEqual(['/{path}', '/'])
    expect((await ask('own')).status).toBe(404)
  })
})
