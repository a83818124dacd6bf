import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { refusalOf } from '../../../property/support.ts'
import { asker } from './support.ts'

let kernel: Kernel
let ask: ReturnType<typeof asker>

beforeAll(async () => {
  kernel = await createDevKernel()
  ask = asker(kernel)
})
afterAll(() => kernel.close())

describe('a mount path', () => {
  it.each([
    'plain',
    'a/b/c',
    'c++',
    'a+b/x',
    '-dash',
    'in side',
    'Sys',
    '__proto__',
    'constructor',
    'größe/日本',
    "it's",
    'a.b',
    'tune',
  ])('may be %j', async (path) => {
    const at = encodeURIComponent(path).replaceAll('%2F', '/')
    expect(await ask('POST', `sys/mounts/${at}`, { type: 'kv' })).toMatchObject({ status: 204 })
    expect(await ask('POST', `${at}/secret`, { v: 1 })).toMatchObject({ status: 204 })
    expect(await ask('GET', `${at}/secret`)).toMatchObject({ status: 200, data: { v: 1 } })
    expect(await ask('GET', `sys/mounts/${at}`)).toMatchObject({ status: 200, data: { type: 'kv' } })
    const all = await ask('GET', 'sys/mounts')
    expect(Object.keys(all.data ?? {})).toContain(`${path}/`)
    expect(await ask('DELETE', `sys/mounts/${at}`)).toMatchObject({ status: 204 })
    expect(await ask('GET', `${at}/secret`)).toMatchObject({ status: 404 })
  })

  it.each([
    ['dot.', 404],
    ['in/dot.', 404],
    ['a*', 400],
    ['*', 400],
    ['+', 400],
    ['a/+/b', 400],
    ['a\u200bb', 400],
    ['a\u2028b', 400],
    ['x'.repeat(513), 400],
    ['sys', 400],
    ['auth/x', 400],
  ])('must not be %j', async (path, status) => {
    const at = encodeURIComponent(path).replaceAll('%2F', '/')
    expect(await ask('POST', `sys/mounts/${at}`, { type: 'kv' })).toMatchObject({ status })
    expect(await ask('POST', 'sys/remount', { from: 'secret', to: path })).toMatchObject({ status })
    expect((await refusalOf(kernel.mounts.createMount({ path, type: 'kv' }))).status).toBe(status)
  })

  it.each(['a//b', 'a/../b', './a', '\ud800', 'a\nb', 'a/tune', '//'])('must not be %j in the typed API', async (path) => {
    expect((await refusalOf(kernel.mounts.createMount({ path, type: 'kv' }))).status).toBe(400)
    expect((await refusalOf(kernel.mounts.moveMount({ from: 'secret', to: path }))).status).toBe(400)
  })

  it('may end with a slash, but must not begin with one', async () => {
    expect((await refusalOf(kernel.mounts.createMount({ path: '/ends/', type: 'kv' }))).status).toBe(400)
    await kernel.mounts.createMount({ path: 'ends/', type: 'kv' })
    expect((await kernel.mounts.readMount({ path: 'ends' })).type).toBe('kv')
    expect(await ask('GET', 'sys/mounts/ends/')).toMatchObject({ status: 200 })
    await kernel.mounts.deleteMount({ path: 'ends/' })
    expect((await refusalOf(kernel.mounts.readMount({ path: 'ends' }))).status).toBe(400)
  })

  it('must not be above or below the path of another mount or namespace', async () => {
    await kernel.namespaces.createNamespace({ name: 'ns' })
    await kernel.mounts.createMount({ path: 'over/lap', type: 'kv' })
    for (const path of ['over', 'over/lap', 'over/lap/below', 'ns', 'ns/below'])
      expect((await refusalOf(kernel.mounts.createMount({ path, type: 'kv' }))).message).toContain('already in use')
    for (const path of ['over/la', 'over/lapp', 'nss']) await kernel.mounts.createMount({ path, type: 'kv' })
    expect((await refusalOf(kernel.mounts.moveMount({ from: 'nss', to: 'ns/inside' }))).status).toBe(400)
    for (const path of ['over/lap', 'over/la', 'over/lapp', 'nss']) await kernel.mounts.deleteMount({ path })
    await kernel.namespaces.deleteNamespace({ name: 'ns' })
    await kernel.mounts.createMount({ path: 'ns', type: 'kv' })
    await kernel.mounts.deleteMount({ path: 'ns' })
  })

  it('may be the same as the path of a mount in another namespace', async () => {
    await kernel.namespaces.createNamespace({ name: 'team' })
    const { mounts } = kernel.namespace('team/')
    await mounts.createMount({ path: 'payments', type: 'kv' })
    await kernel.mounts.createMount({ path: 'payments', type: 'kv', description: 'of the root' })
    expect((await mounts.readMount({ path: 'payments' })).description).toBe('')
    expect(Object.keys((await mounts.listMounts()).mounts)).toEqual(['cubbyhole/', 'identity/', 'payments/', 'sys/'])
    await mounts.deleteMount({ path: 'payments' })
    expect((await kernel.mounts.readMount({ path: 'payments' })).description).toBe('of the root')
    expect((await refusalOf(mounts.deleteMount({ path: 'cubbyhole' }))).status).toBe(400)
  })
})

describe('an unusual mount request', () => {
  const HUGE = 'x'.repeat(3_000_000)
  const SLASHES = `${'/'.repeat(3_000_000)}x`
  it.each([
    ['a type named constructor', { type: 'constructor' }],
    ['a type named __proto__', { type: '__proto__' }],
    ['a huge type', { type: HUGE }],
    ['a type in upper case', { type: 'KV' }],
    ['no type', { description: 'x' }],
    ['a type that is null', { type: null }],
    ['a config that is a list', { type: 'kv', config: ['a'] }],
    ['a config that is text', { type: 'kv', config: 'x' }],
    ['a duration that is a list', { type: 'kv', config: { default_lease_ttl: [1] } }],
    ['a duration with a fraction', { type: 'kv', config: { max_lease_ttl: 1.5 } }],
    ['a negative duration', { type: 'kv', config: { max_lease_ttl: '-1h' } }],
    ['an invalid flag', { type: 'kv', local: 'perhaps' }],
    ['nested options', { type: 'kv', options: { a: { b: 1 } } }],
    ['an unknown engine version', { type: 'kv', options: { version: 3 } }],
    ['a type with an unknown version', { type: 'kv-v3' }],
    ['a huge description', { type: 'kv', description: HUGE }],
    ['huge lists', { type: 'kv', config: { allowed_response_headers: [HUGE] } }],
    ['an auth method as a secrets engine', { type: 'token' }],
  ])('with %s is refused and creates no mount', async (_, body) => {
    const answer = await ask('POST', 'sys/mounts/odd', body)
    expect(answer.status).toBe(400)
    expect(answer.errors?.join('').length).toBeLessThan(1000)
    expect(await ask('GET', 'sys/mounts/odd')).toMatchObject({ status: 400 })
  })

  it('with a path of three million characters is refused with 400', async () => {
    // A quadratic trim would take hours.
    for (const body of [
      { from: SLASHES, to: 'y' },
      { from: 'secret', to: HUGE },
    ])
      expect(await ask('POST', 'sys/remount', body)).toMatchObject({ status: 400 })
  })

  it('with an option called __proto__ stores it as an ordinary option', async () => {
    const body = '{"type":"kv","options":{"__proto__":"x","toString":"y"},"config":{"__proto__":{"force_no_cache":true}}}'
    expect((await ask('POST', 'sys/mounts/proto', body)).status).toBe(204)
    const { options, config } = await kernel.mounts.readMount({ path: 'proto' })
    expect(Object.entries(options ?? {})).toEqual([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ])
    expect(config.force_no_cache).toBe(false)
    expect(({} as Record<string, unknown>)['force_no_cache']).toBeUndefined()
    await kernel.mounts.deleteMount({ path: 'proto' })
  })

  it.each(['none', '../../x', 'x'.repeat(5000), '00000000-0000-4000-8000-000000000000'])(
    'for an unknown move id (%#) gets a 404',
    async (id) => {
      expect((await refusalOf(kernel.mounts.readMove({ migration_id: id }))).status).toBe(404)
    },
  )

  it('in a typed call throws a TypeError for a value of a wrong JavaScript type', async () => {
    const { mounts } = kernel
    const wrong = [
      { path: 5, type: 'kv' },
      { path: 'x', type: 5 },
      { path: 'x', type: 'kv', config: [] },
      { path: 'x', type: 'kv', config: { nope: 1 } },
      { path: 'x', type: 'kv', config: { force_no_cache: 'true' } },
      { path: 'x', type: 'kv', options: { version: 1 } },
    ]
    for (const args of wrong) await expect(mounts.createMount(args as never)).rejects.toBeInstanceOf(TypeError)
  })
})

describe('auth methods', () => {
  it('are not listed as mounts, and cannot be removed through sys/mounts', async () => {
    expect(await ask('DELETE', 'sys/mounts/auth/token')).toMatchObject({ status: 400 })
    expect(Object.keys((await kernel.mounts.listMounts()).mounts).some((path) => path.startsWith('auth/'))).toBe(false)
    expect(Object.keys((await kernel.mounts.listAuthMethods()).mounts)).toEqual(['orchestrator/', 'token/'])
  })

  it('cannot be created from a secrets engine, by its type or by a move below auth/', async () => {
    expect(await ask('POST', 'sys/auth/x', { type: 'kv' })).toMatchObject({ status: 400 })
    expect((await refusalOf(kernel.mounts.moveMount({ from: 'secret', to: 'auth/secret' }))).status).toBe(400)
    expect((await refusalOf(kernel.mounts.deleteAuthMethod({ path: 'token' }))).status).toBe(400)
  })
})
