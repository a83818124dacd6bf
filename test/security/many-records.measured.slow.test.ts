/** Operations that read or list very many records must give way to the event loop. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { watched } from '../large/watched.ts'
import { type ManyRecords, manyRecords, READERS } from './many-records.ts'

let many: ManyRecords
beforeAll(async () => {
  many = await manyRecords(60_000)
})
afterAll(() => many.kernel.close())

describe('with 60,000 names below every prefix', () => {
  it.each(READERS.map((listed) => [listed.title, listed] as const))(
    'the operation %s does not block the event loop',
    async (_, listed) => {
      await watched(async () => expect((await many.read(listed)).status).toBeLessThan(500))
    },
  )
})

it('a password policy that hardly any password satisfies does not block the event loop', async () => {
  await using kernel = await createDevKernel()
  const rules = Array.from(
    { length: 100 },
    (_, i) => `rule "charset" { charset = "${String.fromCodePoint(0x4e00 + i)}" min-chars = 1 }`,
  )
  await kernel.policies.writePasswordPolicy({ name: 'never', policy: `length = 100\n${rules.join('\n')}` })
  await watched(() => kernel.policies.generatePassword({ name: 'never' }).catch(() => {}))
})
