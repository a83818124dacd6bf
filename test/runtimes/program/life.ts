import type { Kernel } from '../../../src/index.ts'
import { type Check, refused, same, text, utf8, within } from './library.ts'

const kept = async (kernel: Kernel, ciphertext: string): Promise<string> =>
  text((await kernel.transit.decrypt({ name: 'k', ciphertext })).plaintext)

export const life: Readonly<Record<string, Check>> = {
  'tick runs due work by the given clock': ({ library }) => {
    let ahead = 0
    const clock = { ...library.systemClock, now: () => library.systemClock.now() + ahead }
    return within(library.createDevKernel({ clock }), async (kernel) => {
      await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
      const { client_token } = await kernel.tokens.createToken({ policies: ['default'], ttl: '30m' })
      await kernel.tick()
      same((await kernel.transit.readKey({ name: 'k' })).latest_version, 1)
      ahead = 3_600_001
      same((await kernel.tick()).failed, [])
      same((await kernel.transit.readKey({ name: 'k' })).latest_version, 2)
      await refused(library, 'ERR_PERMISSION_DENIED', kernel.as(client_token).tokens.lookupSelf())
    })
  },

  'background work runs automatically after start': ({ library }) => {
    let ahead = 0
    const clock = { ...library.systemClock, now: () => library.systemClock.now() + ahead }
    return within(library.createDevKernel({ clock }), async (kernel) => {
      await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
      const rotated = new Promise((resolve) => kernel.events.on('key.rotated', ({ name }) => resolve(name)))
      ahead = 3_600_001
      kernel.start()
      same(await rotated, 'k')
    })
  },

  'a sealed kernel refuses requests until it is unsealed': ({ library }) =>
    within(library.createDevKernel(), async (kernel) => {
      await kernel.transit.createKey({ name: 'k' })
      const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: utf8('kept') })
      await kernel.seal.seal()
      await refused(library, 'ERR_SEALED', kernel.transit.readKey({ name: 'k' }))
      same((await kernel.handle({ method: 'GET', path: '/v1/sys/health', headers: {} })).status, 503)
      await kernel.seal.unseal()
      same(await kept(kernel, ciphertext), 'kept')
    }),

  'key shares unseal a store': async ({ library }) => {
    const storage = library.memoryStorage()
    await within(library.createKernel({ storage, seal: library.shamirSeal() }), async (kernel) => {
      const { keys } = await kernel.seal.initialize({ secret_shares: 3, secret_threshold: 2 })
      same(keys?.length, 3)
      for (const key of keys!.slice(1)) await kernel.seal.unseal({ key })
      await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
    })
  },

  'a store can be reopened, copied, backed up and restored, only with its key': async ({ library }) => {
    const { createKernel, keySeal, memoryStorage } = library
    const [storage, copy, restored] = [memoryStorage(), memoryStorage(), memoryStorage()]
    const seal = keySeal(new Uint8Array(32).fill(7))
    const ciphertext = await within(createKernel({ storage, seal, initialize: true }), async (kernel) => {
      await kernel.transit.createKey({ name: 'k' })
      return (await kernel.transit.encrypt({ name: 'k', plaintext: utf8('kept') })).ciphertext
    })
    await library.copyStorage(storage, copy)
    await library.restoreStorage(library.backupStorage(storage), restored)
    for (const candidate of [storage, copy, restored])
      same(await within(createKernel({ storage: candidate, seal }), (kernel) => kept(kernel, ciphertext)), 'kept')
    const stranger = createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(8)) })
    same(await stranger.then(() => 'opened').catch((error) => error instanceof library.KernelError), true)
  },

  'events are sent after the change that they report': ({ library }) =>
    within(library.createDevKernel(), async (kernel) => {
      const eventTypes: string[] = []
      const rotated = new Promise<void>((resolve) => {
        kernel.events.on('*', (event) => {
          eventTypes.push(event.type)
          if (event.type === 'key.rotated') resolve()
        })
      })
      await kernel.transit.createKey({ name: 'k' })
      await kernel.transit.rotateKey({ name: 'k' })
      await rotated
      same(eventTypes, ['key.created', 'key.rotated'])
    }),
}
