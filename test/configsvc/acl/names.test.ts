/** Unique names under concurrency: several services on one store. */
import { expect, it } from 'vitest'
import { memoryStorage } from '../../../src/index.ts'
import { configWorld } from '../../fixtures/configsvc.ts'

const CASES = ['web', 'Web', 'wEB', 'WEB']

it('only one of many concurrent writers can create a name, regardless of case, on two services that share a store', async () => {
  const storage = memoryStorage()
  await using firstWorld = await configWorld({ storage })
  await using secondWorld = await configWorld({ storage })
  for (const facade of ['roles', 'policies'] as const) {
    const tries = Array.from({ length: 64 }, (_, at) => {
      const { service } = at % 2 === 0 ? firstWorld : secondWorld
      return service[facade].create({ Name: CASES[at % CASES.length] as string })
    })
    const ends = await Promise.allSettled(tries)
    const [made, ...more] = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
    expect(more).toEqual([])
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ status: 400 })
    for (const { service } of [firstWorld, secondWorld])
      expect((await service[facade].readByName({ Name: 'web' })).ID).toBe(made?.ID)
  }
  expect(await firstWorld.service.roles.list()).toHaveLength(1)
  await storage.close()
})

it('concurrent writes of two services on one store get consecutive indexes', async () => {
  const storage = memoryStorage()
  await using firstWorld = await configWorld({ storage })
  await using secondWorld = await configWorld({ storage })
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? firstWorld : secondWorld).service.roles.create({ Name: `r${at}` })),
  )
  const indexes = made.map(({ CreateIndex }) => CreateIndex).sort((a, b) => a - b)
  expect(indexes).toEqual(Array.from({ length: 40 }, (_, at) => (indexes[0] as number) + at))
  await storage.close()
})
