/** Roles and policies under random sequences of writes, compared with a model. */
import { expect, it } from 'vitest'
import { configWorld } from '../../fixtures/configsvc.ts'
import fc from '../../fixtures/fast-check.ts'

interface Known {
  readonly ID: string
  readonly Name: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

const NAME = fc.constantFrom('a', 'A', 'b', 'B', 'c')

/** `at` selects one of the existing records. */
const WRITES = fc.array(fc.record({ op: fc.constantFrom('create', 'update', 'delete'), Name: NAME, at: fc.nat({ max: 3 }) }), {
  maxLength: 15,
})

const byName = (a: Known, b: Known): number => (a.Name.toLowerCase() < b.Name.toLowerCase() ? -1 : 1)

const indexes = ({ ID, Name, CreateIndex, ModifyIndex }: Known): Known => ({ ID, Name, CreateIndex, ModifyIndex })

it.each(['roles', 'policies'] as const)('names, IDs and indexes of %s match a model after random writes', async (facade) => {
  await fc.assert(
    fc.asyncProperty(WRITES, async (writes) => {
      await using world = await configWorld()
      const things = world.service[facade]
      const others = (await things.list()).map(indexes)
      let known: readonly Known[] = []
      let last = Math.max(0, ...(await world.service.policies.list()).map(({ ModifyIndex }) => ModifyIndex))
      for (const { op, Name, at } of writes) {
        const drawn = known[at % Math.max(1, known.length)]
        const ID = drawn?.ID ?? '12345678-1234-4234-9234-123456789abc'
        const holder = known.find((operation) => operation.Name.toLowerCase() === Name.toLowerCase())
        if (op === 'delete') {
          expect(await things.delete({ ID })).toBe(drawn !== undefined)
          if (drawn) last++
          known = known.filter((operation) => operation !== drawn)
          continue
        }
        const write = (op === 'create' ? things.create({ Name }) : things.update({ ID, Name })) as Promise<Known>
        if ((op === 'create' && holder) || (op === 'update' && (!drawn || (holder && holder !== drawn)))) {
          await expect(write).rejects.toMatchObject({ status: 400 })
          continue
        }
        const made = indexes(await write)
        expect(made.ModifyIndex).toBeGreaterThan(last)
        expect(made.CreateIndex).toBe(op === 'create' ? made.ModifyIndex : drawn?.CreateIndex)
        if (op === 'update') expect(made.ID).toBe(ID)
        last = made.ModifyIndex
        known = [...known.filter((operation) => op === 'create' || operation !== drawn), made]
      }
      expect((await things.list()).map(indexes)).toEqual([...others, ...known].sort(byName))
    }),
  )
})
