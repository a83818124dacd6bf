/** The mounts of a new kernel have every member that a mount created by request has, in every answer that contains mounts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { FRESH_MOUNTS } from '../../../fixtures/all-engines.ts'
import { asker, type Reply } from './support.ts'

let kernel: Kernel
let ask: (method: string, path: string, body?: unknown) => Promise<Reply>
beforeAll(async () => {
  kernel = await createDevKernel()
  ask = asker(kernel)
})
afterAll(() => kernel.close())

/** Members that differ between any two mounts. */
const OWN = ['accessor', 'uuid']

const shared = (record: unknown) => Object.fromEntries(Object.entries(record as object).filter(([name]) => !OWN.includes(name)))

describe.each(FRESH_MOUNTS.map((mount) => [mount.path, mount] as const))(
  'the mount %s that a new kernel has',
  (path, { type, description, options }) => {
    const [kind, own] = path.startsWith('auth/') ? ['auth', path.slice('auth/'.length)] : ['mounts', path]
    const other = `made-${own}`
    beforeAll(async () => {
      const { status } = await ask('POST', `sys/${kind}/${other.slice(0, -1)}`, { type, description, options })
      expect(status).toBe(204)
    })

    it.each([
      ['the list of mounts', `sys/${kind}`],
      ['sys/internal/ui/mounts', 'sys/internal/ui/mounts'],
    ])('is shown like a mount created by request: %s', async (_, list) => {
      const { data } = await ask('GET', list)
      const mounts = (list.endsWith('ui/mounts') ? data?.[kind === 'auth' ? 'auth' : 'secret'] : data) as Record<string, unknown>
      expect(shared(mounts[own])).toEqual(shared(mounts[other]))
    })

    const places = kind === 'auth' ? ['sys/auth/', 'sys/mounts/auth/'] : ['sys/mounts/']
    it.each(places.flatMap((place) => ['', '/tune'].map((end) => [place, end] as const)))(
      'is read like a mount created by request: GET %s{mount}%s',
      async (place, end) => {
        const [fresh, made] = [
          await ask('GET', place + own.slice(0, -1) + end),
          await ask('GET', place + other.slice(0, -1) + end),
        ]
        expect([fresh.status, made.status]).toEqual([200, 200])
        expect(shared(fresh.data)).toEqual(shared(made.data))
      },
    )

    it('is shown like a mount created by request: typed list calls', async () => {
      const { mounts } = kind === 'auth' ? await kernel.mounts.listAuthMethods() : await kernel.mounts.listMounts()
      expect(shared(mounts[own])).toEqual(shared(mounts[other]))
    })
  },
)

it('sys/mounts/auth/token returns the same as sys/auth/token', async () => {
  const { data } = await ask('GET', 'sys/mounts/auth/token')
  expect(data).toEqual((await ask('GET', 'sys/auth/token')).data)
  expect(await ask('GET', 'sys/mounts/auth/none')).toMatchObject({ status: 400 })
})
