import { expect, it } from 'vitest'
import { createDevKernel, memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock, fakeTokenReviewer } from '../../../src/testing/index.ts'
import { jwtOf, openWorld } from '../../engines/orchestrator/world.ts'

/** Records every call of the storage. */
function counted(inner: Storage): { storage: Storage; calls: string[] } {
  const calls: string[] = []
  const storage = new Proxy(inner, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(String(name))
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { storage, calls }
}

it('using a transit key again makes no storage calls', async () => {
  const { storage, calls } = counted(memoryStorage())
  await using kernel = await createDevKernel({ storage, clock: fakeClock() })
  const input = new Uint8Array(32)
  await kernel.transit.createKey({ name: 'sealing' })
  await kernel.transit.createKey({ name: 'signing', type: 'ed25519' })
  const use = async () => {
    const { ciphertext } = await kernel.transit.encrypt({ name: 'sealing', plaintext: input })
    await kernel.transit.decrypt({ name: 'sealing', ciphertext })
    await kernel.transit.rewrap({ name: 'sealing', ciphertext })
    await kernel.transit.hmac({ name: 'sealing', input })
    const { signature } = await kernel.transit.sign({ name: 'signing', input })
    await kernel.transit.verify({ name: 'signing', input, signature })
    await kernel.transit.encryptBatch({ name: 'sealing', batch_input: [{ plaintext: input }, { plaintext: input }] })
    const headers = { 'X-Service-Token': kernel.rootToken }
    await kernel.handle({ method: 'POST', path: '/v1/transit/encrypt/sealing', headers, body: { plaintext: 'eA==' } })
    await kernel.handle({ method: 'GET', path: '/v1/transit/keys/sealing', headers })
  }
  await use()
  calls.length = 0
  await use()
  expect(calls).toEqual([])
})

it('a repeated login makes no storage calls except the commit', async () => {
  const { storage, calls } = counted(memoryStorage())
  const reviewer = fakeTokenReviewer()
  await using world = await openWorld({ storage, reviewer })
  const login = { role: 'web', jwt: jwtOf() }
  await world.kernel.orchestrator.login(login)
  calls.length = 0
  await world.kernel.orchestrator.login(login)
  await world.kernel.handle({ method: 'POST', path: '/v1/auth/orchestrator/login', body: login })
  expect(calls).toEqual(['commit', 'commit'])
  expect(reviewer.requests.length).toBe(3)
})

it('transit.encrypt is not affected if the caller overwrites the plaintext after the call', async () => {
  await using kernel = await createDevKernel()
  const plaintext = new TextEncoder().encode('as it was when encrypt was called')
  const expected = plaintext.slice()
  // The first call has to create the key, so it cannot finish synchronously.
  const sealing = kernel.transit.encrypt({ name: 'k', plaintext })
  plaintext.fill(0)
  const opened = await kernel.transit.decrypt({ name: 'k', ciphertext: (await sealing).ciphertext })
  expect(opened.plaintext).toEqual(expected)
})

it('a kernel with a cache of one key and one record decrypts with three keys concurrently', async () => {
  await using kernel = await createDevKernel({ cache: { keys: 1, records: 1 } })
  const names = ['a', 'b', 'c']
  const input = new Uint8Array([1, 2, 3])
  const texts = new Map<string, string>()
  for (const name of names) texts.set(name, (await kernel.transit.encrypt({ name, plaintext: input })).ciphertext)
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      names.map(async (name) => {
        const { plaintext } = await kernel.transit.decrypt({ name, ciphertext: texts.get(name) as string })
        expect(plaintext).toEqual(input)
      }),
    )
  }
})
