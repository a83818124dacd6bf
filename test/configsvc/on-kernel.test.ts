import { expect, it } from 'vitest'
import { createKernel as createChosenKernel } from '../../src/chosen-kernel.ts'
import { configsvc, transit } from '../../src/engines.ts'
import { createDevKernel, createKernel, keySeal, memoryStorage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { settle } from './turns.ts'

const MANAGEMENT = '0e9b1c52-6f0f-4d0d-9a54-5d3c6a1b7f10'

const headers = { 'X-Config-Token': MANAGEMENT }

it('kernel.configsvc keeps its records in the store of the kernel, and is sealed together with it', async () => {
  const storage = memoryStorage()
  const options = { storage, seal: keySeal(new Uint8Array(32).fill(1)), configsvc: { acl: { bootstrapToken: MANAGEMENT } } }
  {
    await using kernel = await createKernel({ ...options, initialize: true })
    await kernel.configsvc.policies.create({ Name: 'readers', Rules: 'acl = "read"' })
    await kernel.seal.seal()
    await expect(kernel.configsvc.policies.list()).rejects.toMatchObject({ code: 'ERR_SEALED' })
    expect(await kernel.configsvc.handle({ method: 'GET', path: '/v1/acl/policies', headers })).toMatchObject({ status: 503 })
    await kernel.seal.unseal()
    expect(await kernel.configsvc.policies.readByName({ Name: 'READERS' })).toMatchObject({ Name: 'readers' })
  }
  await using again = await createKernel(options)
  expect(await again.configsvc.policies.readByName({ Name: 'readers' })).toMatchObject({ Rules: 'acl = "read"' })
  expect(await again.configsvc.handle({ method: 'GET', path: '/v1/acl/policies', headers })).toMatchObject({ status: 200 })
})

it('blocking reads end with 503 as soon as the kernel is sealed or closed', async () => {
  const clock = fakeClock()
  const kernel = await createDevKernel({ clock, configsvc: { acl: { enabled: false } } })
  const read = () => kernel.configsvc.handle({ method: 'GET', path: '/v1/acl/policies', query: { index: '1', wait: '5m' } })
  const sealed = read()
  await settle()
  await kernel.seal.seal()
  expect(await sealed).toMatchObject({ status: 503, headers: { 'Content-Type': 'text/plain' } })
  await kernel.seal.unseal()
  const closed = read()
  await settle()
  await kernel.close()
  expect(await closed).toMatchObject({ status: 503 })
  expect(await read()).toMatchObject({ status: 503 })
})

it('a kernel with chosen engines has kernel.configsvc only if configsvc() is one of them', async () => {
  const options = { storage: memoryStorage(), seal: keySeal(new Uint8Array(32).fill(2)), initialize: true }
  await using kernel = await createChosenKernel({ ...options, engines: [transit(), configsvc({ datacenter: 'east' })] })
  expect(await kernel.configsvc.policies.list({ dc: 'east' })).toHaveLength(2)
  await expect(kernel.configsvc.policies.list({ dc: 'west' })).rejects.toMatchObject({ status: 400 })
  const without = createChosenKernel({ ...options, storage: memoryStorage(), engines: [transit()], configsvc: {} })
  await expect(without).rejects.toThrow(/unknown option configsvc/)
})

it('invalid options of kernel.configsvc are refused before anything is written', async () => {
  const storage = memoryStorage()
  const options = { storage, seal: keySeal(new Uint8Array(32)), initialize: true }
  for (const wrong of [
    { acl: { enabled: 1 } },
    { acl: { bootstrapToken: 'short' } },
    { naming: { headerPrefix: 'A B' } },
    { datacenter: 'EAST' },
    { tokens: [] },
    7,
  ] as never[])
    await expect(createKernel({ ...options, configsvc: wrong })).rejects.toThrow(TypeError)
  expect(await storage.list('')).toEqual([])
})

it('a view of a token has no kernel.configsvc', async () => {
  await using kernel = await createDevKernel()
  expect('configsvc' in kernel.as(kernel.rootToken as string)).toBe(false)
})

it('a kernel without the configuration service leaves expired tokens to a kernel that has the service', async () => {
  const clock = fakeClock()
  const options = { storage: memoryStorage(), clock, seal: keySeal(new Uint8Array(32).fill(6)) }
  {
    await using kernel = await createKernel({ ...options, initialize: true })
    await kernel.configsvc.tokens.create({ ExpirationTTL: '1m' })
    expect(await kernel.configsvc.tokens.list()).toHaveLength(2)
  }
  await clock.advance(120_000)
  {
    await using without = await createChosenKernel({ ...options, engines: [transit()] })
    expect(await without.tick()).toMatchObject({ failed: [] })
  }
  await clock.advance(3_600_000)
  await using kernel = await createKernel(options)
  expect(await kernel.tick()).toMatchObject({ failed: [] })
  expect(await kernel.configsvc.tokens.list()).toHaveLength(1)
})
