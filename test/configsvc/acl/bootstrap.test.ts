import { describe, expect, it } from 'vitest'
import { createConfigService, type OwnServiceOptions } from '../../../src/config-service.ts'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { type Answer, answered, askOf, configWorld, ROOT } from '../../fixtures/configsvc.ts'
import { LMDB } from '../../fixtures/stores.ts'

const SECRET = '2b778dd9-f5f1-4f29-b4b4-9a5fa948757a'

const open = (options: Partial<OwnServiceOptions> = {}) =>
  createConfigService({ storage: memoryStorage(), plaintext: true, clock: fakeClock(), ...options })

const NO_LONGER = { status: 403, body: expect.stringMatching(/^Permission denied.*no longer/) }

describe('bootstrap of the ACL system', () => {
  it('creates a management token once', async () => {
    await using service = await open()
    const ask = askOf(service)
    const made = await answered(ask('PUT', 'acl/bootstrap', undefined, ''))
    const { SecretID } = made
    expect(made).toMatchObject({ ID: SecretID, Policies: [{ Name: 'global-management' }], Local: false })
    expect(await answered(ask('GET', 'acl/token/self', undefined, SecretID))).toEqual({ ...made, ID: undefined })
    expect((await ask('PUT', 'acl/policy', { Name: 'p' }, SecretID)).status).toBe(200)
    for (const token of ['', SecretID]) expect(await ask('PUT', 'acl/bootstrap', undefined, token)).toMatchObject(NO_LONGER)
    await expect(service.acl.bootstrap()).rejects.toMatchObject({ status: 403 })
  })

  it('accepts a chosen secret, and ignores the token of the request', async () => {
    await using service = await open()
    const made = await answered(askOf(service)('PUT', 'acl/bootstrap', { BootstrapSecret: SECRET }, 'some other'))
    expect(made).toMatchObject({ ID: SECRET, SecretID: SECRET })
  })

  it('can be called as a typed method', async () => {
    await using service = await open()
    expect(await service.acl.bootstrap({ BootstrapSecret: SECRET })).toMatchObject({ SecretID: SECRET })
    expect(await service.as(SECRET).tokens.list()).toHaveLength(2)
  })

  it('refuses an invalid secret and unknown members, and can then be called with a valid body', async () => {
    await using service = await open()
    const ask = askOf(service)
    const wrong = [
      { BootstrapSecret: 'short' },
      { BootstrapSecret: '00000000-0000-0000-0000-000000000002' },
      { BootstrapSecret: 7 },
      { Secret: SECRET },
      [],
      'text',
    ]
    for (const body of wrong) {
      const refused: Answer = await ask('PUT', 'acl/bootstrap', body, '')
      expect(refused.status).toBe(400)
      expect(refused.body).not.toContain('short')
    }
    expect((await ask('PUT', 'acl/bootstrap', { BootstrapSecret: null }, '')).status).toBe(200)
  })

  it('succeeds for only one of many concurrent callers, even if two services share the store', async () => {
    const storage = memoryStorage()
    await using firstService = await open({ storage })
    await using two = await open({ storage })
    const asks = [firstService, two].map(askOf)
    const answers = await Promise.all(Array.from({ length: 32 }, (_, i) => asks[i % 2]?.('PUT', 'acl/bootstrap', undefined, '')))
    const statuses = answers.map((answer) => answer?.status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 403)).toHaveLength(31)
    expect(await two.tokens.list()).toHaveLength(2)
  })

  it('stays refused after its token is deleted and the service is reopened', async () => {
    const storage = memoryStorage()
    {
      await using service = await open({ storage })
      const { AccessorID } = await service.acl.bootstrap()
      await service.tokens.delete({ AccessorID })
      expect(await askOf(service)('PUT', 'acl/bootstrap', undefined, '')).toMatchObject(NO_LONGER)
    }
    await using again = await open({ storage })
    expect(await askOf(again)('PUT', 'acl/bootstrap', undefined, '')).toMatchObject(NO_LONGER)
  })

  it('succeeds even if ACLs are disabled', async () => {
    await using service = await open({ acl: { enabled: false } })
    expect(await service.acl.bootstrap()).toMatchObject({ Policies: [{ Name: 'global-management' }] })
    expect((await askOf(service)('PUT', 'acl/bootstrap', undefined, '')).status).toBe(403)
  })
})

describe('the option acl.bootstrapToken', () => {
  it('creates the token when the service starts, and a bootstrap request is then refused', async () => {
    await using world = await configWorld()
    expect(await answered(world.ask('GET', 'acl/token/self'))).toMatchObject({ SecretID: ROOT })
    expect(await world.ask('PUT', 'acl/bootstrap')).toMatchObject(NO_LONGER)
  })

  it('creates the token in an existing store, unless bootstrap was called before', async () => {
    for (const faster of [false, true]) {
      const storage = memoryStorage()
      {
        await using service = await open({ storage })
        if (faster) await service.acl.bootstrap()
      }
      await using again = await open({ storage, acl: { bootstrapToken: ROOT } })
      expect((await askOf(again)('GET', 'acl/tokens')).status).toBe(faster ? 403 : 200)
    }
  })

  it('does not recreate a token that was deleted', async () => {
    const storage = memoryStorage()
    const options = { storage, acl: { bootstrapToken: ROOT } }
    {
      await using service = await open({ storage })
      await service.tokens.create({ SecretID: ROOT })
    }
    {
      await using service = await open(options)
      const { AccessorID } = await answered(askOf(service)('GET', 'acl/token/self'))
      await service.acl.bootstrap()
      await service.tokens.delete({ AccessorID })
    }
    await using again = await open(options)
    expect((await askOf(again)('GET', 'acl/token/self')).status).toBe(403)
  })

  it('creates a single token when many processes open a store concurrently', async () => {
    const storage = memoryStorage()
    const services = await Promise.all(Array.from({ length: 4 }, () => open({ storage, acl: { bootstrapToken: ROOT } })))
    for (const service of services) expect(await service.tokens.list()).toHaveLength(2)
    await Promise.all(services.map((service) => service.close()))
  })

  it('creates a token that the first request of a kernel can use', async () => {
    const { storage, drop } = await LMDB.open()
    const seal = keySeal(new Uint8Array(32).fill(7))
    {
      await using kernel = await createKernel({ storage, seal, initialize: true, configsvc: { acl: { bootstrapToken: ROOT } } })
      const ask = askOf(kernel.configsvc)
      const all = await Promise.all(Array.from({ length: 8 }, () => ask('GET', 'acl/tokens')))
      expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    }
    await drop()
  })
})
