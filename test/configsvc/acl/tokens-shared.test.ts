/** Services on one store see each other's new and deleted tokens at once. */
import { expect, it } from 'vitest'
import { createConfigService } from '../../../src/config-service.ts'
import { memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { answered, askOf } from '../../fixtures/configsvc.ts'
import { PLACES } from '../../fixtures/places.ts'
import { openStoreAt } from '../../fixtures/store-at.ts'

/** Two services on one store. */
const STORES: readonly { readonly name: string; readonly open: () => Promise<[Storage, Storage, () => Promise<void>]> }[] = [
  {
    name: 'memory',
    open: async () => {
      const storage = memoryStorage()
      return [storage, storage, () => storage.close()]
    },
  },
  ...PLACES.filter(({ missing }) => missing === undefined).map(({ name, open }) => ({
    name,
    open: async (): Promise<[Storage, Storage, () => Promise<void>]> => {
      const { where, remove } = await open()
      const [firstStore, two] = [openStoreAt(where, { shared: true }), openStoreAt(where, { shared: true })]
      const drop = async (): Promise<void> => {
        await firstStore.close()
        await two.close()
        await remove()
      }
      return [firstStore.storage, two.storage, drop]
    },
  })),
]

it.each(STORES)(
  'a token that one service creates or deletes is accepted or refused by another service on $name',
  async ({ open }) => {
    const [first, second, drop] = await open()
    const options = { plaintext: true, clock: fakeClock(), cache: { stalenessMs: 0 } } as const
    {
      await using firstService = await createConfigService({ storage: first, ...options })
      await using two = await createConfigService({ storage: second, ...options })
      const [here, there] = [askOf(firstService), askOf(two)]
      const { SecretID: root } = await answered(here('PUT', 'acl/bootstrap', undefined, ''))
      for (let i = 0; i < 20; i++) {
        const body = { Policies: [{ Name: 'builtin/global-read-only' }] }
        const { AccessorID, SecretID } = await answered(here('PUT', 'acl/token', body, root))
        const read = () => there('GET', 'acl/tokens', undefined, SecretID)
        expect((await read()).status).toBe(200)
        // The token is in the cache now.
        expect((await read()).status).toBe(200)
        if (i % 2) {
          await answered(here('PUT', `acl/token/${AccessorID}`, {}, root))
          expect(await read()).toMatchObject({ status: 403, body: expect.stringMatching(/acl:read/) })
        }
        await answered(here('DELETE', `acl/token/${AccessorID}`, undefined, root))
        expect(await read()).toMatchObject({ status: 403, body: 'ACL not found' })
      }
    }
    await drop()
  },
)

it('a token is accepted exactly if a list shows it, after concurrent creations and deletions by two services', async () => {
  const storage = memoryStorage()
  const options = { storage, plaintext: true, clock: fakeClock() } as const
  await using firstService = await createConfigService(options)
  await using two = await createConfigService(options)
  const secrets = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const { tokens } = i % 2 ? firstService : two
      const { AccessorID, SecretID } = await tokens.create({ Description: `${i}` })
      const gone = i % 3 === 0 && (await (i % 2 ? two : firstService).tokens.delete({ AccessorID }))
      return { AccessorID, SecretID, gone }
    }),
  )
  for (const service of [firstService, two]) {
    const listed = new Set((await service.tokens.list()).map(({ AccessorID }) => AccessorID))
    for (const { AccessorID, SecretID, gone } of secrets) {
      expect(listed.has(AccessorID)).toBe(!gone)
      expect((await askOf(service)('GET', 'acl/token/self', undefined, SecretID)).status).toBe(gone ? 403 : 200)
    }
  }
  const indexes = (await firstService.tokens.list()).map(({ CreateIndex }) => CreateIndex)
  expect(new Set(indexes).size).toBe(indexes.length)
})
