/**
 * Deleting an auth method also deletes its binding rules and tokens: they are invalid at once, and are removed from the store in bounded
 * commits.
 */
import { expect, it } from 'vitest'
import { createConfigService } from '../../../src/config-service.ts'
import { createDevKernel, memoryStorage, type Storage } from '../../../src/index.ts'
import { crashingStorage, fakeClock } from '../../../src/testing/index.ts'
import { counted } from '../../fixtures/counted-commits.ts'
import { CONFIG, LoginWorld, MANAGEMENT, mapped } from './login-world.ts'

const MANY = 40

const ACL = { bootstrapToken: MANAGEMENT }

async function filled(world: LoginWorld): Promise<readonly string[]> {
  await world.method('doomed')
  for (let i = 0; i < MANY; i++)
    await world.service.bindingRules.create({ AuthMethod: 'doomed', BindType: 'service', BindName: 'web' })
  const secrets: string[] = []
  for (let i = 0; i < MANY; i++)
    secrets.push((await world.service.login({ AuthMethod: 'doomed', BearerToken: world.bearer({}) })).SecretID)
  return secrets
}

/** The contents of a store, without what depends on how it got there. */
async function folders(storage: Storage): Promise<readonly string[]> {
  const all = await storage.scan('l/configsvc/')
  return all.map(({ key }) => key).filter((key) => !key.endsWith('/guard'))
}

it('deleting an auth method makes its rules and tokens invalid immediately, even if a new method gets its name', async () => {
  await using world = await LoginWorld.open()
  const secrets = await filled(world)
  const before = await world.service.tokens.list()
  expect(await world.service.authMethods.delete({ Name: 'doomed' })).toBe(true)
  const nothing = async () => {
    expect(await world.service.bindingRules.list()).toEqual([])
    expect(await world.service.tokens.list()).toHaveLength(before.length - MANY)
    for (const secret of secrets.slice(0, 3))
      expect(await world.ask('GET', 'token/self', undefined, secret)).toMatchObject({ status: 403 })
  }
  await nothing()
  await world.method('doomed')
  await nothing()
  expect(await world.logIn('doomed', {})).toMatchObject({ status: 403 })
  await world.service.tick()
  await nothing()
})

it('deleting an auth method raises the index of rules, tokens and methods once, and the later cleanup does not raise it', async () => {
  await using world = await LoginWorld.open()
  await filled(world)
  const index = async (path: string) => {
    const { headers } = await world.service.handle({
      method: 'GET',
      path: `/v1/acl/${path}`,
      headers: { 'X-Config-Token': MANAGEMENT },
    })
    return headers['X-Config-Index']
  }
  const tables = ['binding-rules', 'tokens', 'auth-methods']
  await world.service.authMethods.delete({ Name: 'doomed' })
  const after = await Promise.all(tables.map(index))
  expect(new Set(after).size).toBe(1)
  await world.service.tick()
  expect(await Promise.all(tables.map(index))).toEqual(after)
})

it('deleting an auth method removes all of its records in commits of bounded size', async () => {
  const storage = counted(memoryStorage({ maxOps: 100 }))
  await using world = await LoginWorld.open({ storage })
  await world.method('stays')
  const start = await folders(storage)
  await filled(world)
  await world.service.authMethods.delete({ Name: 'doomed' })
  storage.commits.length = 0
  expect(await world.service.tick()).toMatchObject({ failed: [], nextDueAt: undefined })
  expect(await folders(storage)).toEqual(start)
  expect(storage.commits.length).toBeGreaterThan(3)
  expect(storage.most).toBeLessThan(90)
})

it('deleting an auth method is completed by the next tick if the process dies at any commit', async () => {
  const start = memoryStorage()
  const clock = fakeClock()
  const open = (storage: Storage) => createConfigService({ storage, plaintext: true, clock, acl: ACL })
  const clean = await (async () => {
    await using world = await LoginWorld.open({ storage: start })
    const before = await folders(start)
    await filled(world)
    return before
  })()
  for (let at = 1, died = true; died; at++) {
    for (const when of ['before', 'after'] as const) {
      const storage = memoryStorage()
      for (const { key, value } of await start.scan('')) await storage.commit([{ op: 'put', key, value }], key)
      const dying = crashingStorage(storage, { crashAt: at, when })
      const first = await open(dying).catch(() => undefined)
      await first?.authMethods.delete({ Name: 'doomed' }).catch(() => {})
      await first?.tick().catch(() => {})
      await first?.close().catch(() => {})
      died = dying.crashed
      await using second = await open(storage)
      const deleted = (await second.authMethods.list()).length === 0
      expect(await second.bindingRules.list()).toHaveLength(deleted ? 0 : MANY)
      expect(await second.tokens.list()).toHaveLength(2 + (deleted ? 0 : MANY))
      if (!deleted) await second.authMethods.delete({ Name: 'doomed' })
      // The claim of the dead process expires only after this time.
      await second.tick()
      await clock.advance(31_000)
      expect(await second.tick()).toMatchObject({ failed: [], nextDueAt: undefined })
      expect(await folders(storage)).toEqual(clean)
    }
    expect(at).toBeLessThan(60)
  }
})

it('deleting an auth method also deletes its expired tokens, but no records of other namespaces', async () => {
  await using world = await LoginWorld.open()
  const more = { MaxTokenTTL: '5m' }
  await world.method('m', { ClaimMappings: mapped(['x']) }, more)
  await world.method('m', { ClaimMappings: mapped(['x']) }, { ...more, Namespace: 'team' })
  for (const ns of ['default', 'team']) {
    await world.service.bindingRules.create({ AuthMethod: 'm', BindType: 'service', BindName: 'web', ns })
    await world.service.login({ AuthMethod: 'm', BearerToken: world.bearer({}), ns })
  }
  await world.service.authMethods.delete({ Name: 'm', ns: 'team' })
  await world.service.tick()
  expect(await world.service.tokens.list({ authmethod: 'm' })).toHaveLength(1)
  expect(await world.service.bindingRules.list({ ns: '*' })).toHaveLength(1)
  await world.clock.advance(300_000)
  expect(await world.service.tick()).toMatchObject({ failed: [], nextDueAt: undefined })
  expect(await world.service.tokens.list({ authmethod: 'm' })).toEqual([])
})

it('a kernel deletes the records of a deleted auth method during its tick', async () => {
  const clock = fakeClock()
  await using kernel = await createDevKernel({ clock })
  const { authMethods, bindingRules } = kernel.configsvc
  await authMethods.create({ Name: 'doomed', Type: 'jwt', Config: CONFIG })
  for (let i = 0; i < 3; i++) await bindingRules.create({ AuthMethod: 'doomed', BindType: 'service', BindName: 'web' })
  await authMethods.delete({ Name: 'doomed' })
  const { done, failed } = await kernel.tick()
  expect(failed).toEqual([])
  expect(done).toBeGreaterThan(0)
})
