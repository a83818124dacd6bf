import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { asker } from './support.ts'

let kernel: Kernel
const as = (token: string, namespace?: string) =>
  asker(kernel, { 'X-Service-Token': token, ...(namespace === undefined ? {} : { 'X-Service-Namespace': namespace }) })

async function tokenFor(policy: string, view: Pick<Kernel, 'policies' | 'tokens'> = kernel): Promise<string> {
  const name = `p${policy.length}-${Math.abs([...policy].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) | 0, 7))}`
  await view.policies.writePolicy({ name, policy })
  return (await view.tokens.createToken({ policies: [name] })).client_token
}

beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.mounts.createMount({ path: 'open', type: 'kv', description: 'for all', config: { listing_visibility: 'unauth' } })
  await kernel.mounts.createMount({ path: 'closed', type: 'kv', description: 'for some' })
  await kernel.namespaces.createNamespace({ name: 'team' })
  await kernel.namespaces.createNamespace({ name: 'rest' })
  const team = kernel.namespace('team/')
  await team.namespaces.createNamespace({ name: 'sub' })
  await team.mounts.createMount({ path: 'mine', type: 'kv' })
})
afterAll(() => kernel.close())

const ALL = '["create", "read", "update", "delete", "list"]'

describe('mount operations that require sudo', () => {
  const PROTECTED = [
    ['GET', 'sys/auth/token'],
    ['POST', 'sys/auth/x'],
    ['DELETE', 'sys/auth/x'],
    ['GET', 'sys/auth/token/tune'],
    ['POST', 'sys/auth/token/tune'],
    ['POST', 'sys/remount'],
  ] as const

  it.each(PROTECTED)('include %s %s', async (method, path) => {
    const without = await tokenFor(`path "*" { capabilities = ${ALL} }`)
    expect(await as(without)(method, path, {})).toMatchObject({ status: 403 })
    const sudo = await tokenFor(`path "*" { capabilities = ${ALL.replace(']', ', "sudo"]')} }`)
    expect((await as(sudo)(method, path, {})).status).not.toBe(403)
  })

  it('include neither lists of mounts nor operations on secrets engines', async () => {
    const ask = as(await tokenFor(`path "*" { capabilities = ${ALL} }`))
    for (const [method, path, status] of [
      ['GET', 'sys/auth', 200],
      ['GET', 'sys/mounts', 200],
      ['POST', 'sys/mounts/made', 204],
      ['POST', 'sys/mounts/made/tune', 204],
      ['GET', 'sys/mounts/auth/token/tune', 200],
      ['DELETE', 'sys/mounts/made', 204],
    ] as const)
      expect(await ask(method, path, { type: 'kv' })).toMatchObject({ status })
  })

  it('require sudo in typed calls, too', async () => {
    const view = kernel.as(await tokenFor(`path "sys/*" { capabilities = ${ALL} }`))
    await expect(view.mounts.moveMount({ from: 'open', to: 'elsewhere' })).rejects.toMatchObject({ status: 403 })
    await expect(view.mounts.readAuthMethod({ path: 'token' })).rejects.toMatchObject({ status: 403 })
    expect((await view.mounts.readMount({ path: 'open' })).type).toBe('kv')
  })
})

describe('sys/internal/ui/mounts and sys/internal/ui/namespaces', () => {
  it('show a caller without a token only mounts with listing_visibility unauth', async () => {
    const seen = { secret: { 'open/': { type: 'kv', description: 'for all', options: {} } }, auth: {} }
    expect(await asker(kernel, {})('GET', 'sys/internal/ui/mounts')).toMatchObject({ status: 200, data: seen })
    expect((await asker(kernel, {})('GET', 'sys/internal/ui/mounts')).data).toEqual(seen)
    for (const path of ['mounts/open', 'mounts/none', 'namespaces'])
      expect(await asker(kernel, {})('GET', `sys/internal/ui/${path}`)).toMatchObject({ status: 403 })
  })

  it('answer 403 to a caller with an unknown token', async () => {
    for (const path of ['mounts', 'mounts/open', 'namespaces'])
      expect(await as('s.wrong')('GET', `sys/internal/ui/${path}`)).toMatchObject({ status: 403 })
  })

  it('show a token only mounts that its policies reach or that have listing_visibility unauth', async () => {
    const ask = as(await tokenFor('path "closed/app/*" { capabilities = ["read"] }'))
    const { data } = await ask('GET', 'sys/internal/ui/mounts')
    expect(data?.['secret']).toMatchObject({ 'open/': { accessor: expect.any(String) }, 'closed/': { uuid: expect.any(String) } })
    expect(data?.['secret']).not.toHaveProperty(['transit/'])
    expect((await ask('GET', 'sys/internal/ui/mounts/closed/app/x')).data).toMatchObject({ path: 'closed/', type: 'kv' })
    for (const path of ['transit', 'open/x', 'none/x'])
      expect(await ask('GET', `sys/internal/ui/mounts/${path}`)).toMatchObject({ status: 403 })
    expect((await ask('GET', 'sys/internal/ui/namespaces')).data).toEqual({ keys: [] })
  })

  it('show the mounts and children of a namespace only to tokens of that namespace or a parent namespace', async () => {
    const team = kernel.namespace('team/')
    const inside = await tokenFor('path "mine/*" { capabilities = ["read"] }', team)
    expect((await as(inside, 'team')('GET', 'sys/internal/ui/mounts/mine/x')).data).toMatchObject({ path: 'mine/' })
    for (const namespace of [undefined, 'rest'])
      for (const path of ['mounts', 'mounts/open', 'namespaces'])
        expect(await as(inside, namespace)('GET', `sys/internal/ui/${path}`)).toMatchObject({ status: 403 })
    const above = await tokenFor('path "team/sub/*" { capabilities = ["read"] }')
    expect((await as(above)('GET', 'sys/internal/ui/namespaces')).data).toEqual({ keys: ['team/', 'team/sub/'] })
    expect(await as(above, 'team')('GET', 'sys/internal/ui/mounts/mine')).toMatchObject({ status: 403 })
    const root = as(kernel.rootToken ?? '')
    expect((await root('GET', 'sys/internal/ui/namespaces')).data).toEqual({ keys: ['rest/', 'team/', 'team/sub/'] })
    const rootOfTeam = as(kernel.rootToken ?? '', 'team')
    expect((await rootOfTeam('GET', 'sys/internal/ui/namespaces')).data).toEqual({ keys: ['sub/'] })
  })
})
