import { expect, it } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import { memoryStorage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { settle } from './turns.ts'

const open = () => createConfigService({ storage: memoryStorage(), plaintext: true, clock: fakeClock(), acl: { enabled: false } })

it('watch yields the current list, and the list after each change', async () => {
  await using service = await open()
  const seen: string[][] = []
  const stop = new AbortController()
  const watching = (async () => {
    for await (const policies of service.policies.watch('list', {}, { signal: stop.signal })) {
      seen.push(policies?.map(({ Name }) => Name).filter((name) => name.length === 1) ?? [])
      if (seen.length === 3) stop.abort()
    }
  })()
  await expect.poll(() => seen.length).toBe(1)
  await service.policies.create({ Name: 'a' })
  await expect.poll(() => seen.length).toBe(2)
  await service.policies.create({ Name: 'b' })
  await watching
  expect(seen).toEqual([[], ['a'], ['a', 'b']])
})

it('watch of one record yields undefined while the record does not exist, and the record once it exists', async () => {
  await using service = await open()
  const watching = service.policies.watch('readByName', { Name: 'one' })[Symbol.asyncIterator]()
  expect(await watching.next()).toEqual({ done: false, value: undefined })
  const next = watching.next()
  await service.policies.create({ Name: 'other' })
  const { ID } = await service.policies.create({ Name: 'one' })
  expect(await next).toMatchObject({ value: { ID } })
  const gone = watching.next()
  await service.policies.delete({ ID })
  expect(await gone).toEqual({ done: false, value: undefined })
})

it('watch ends with an error when the service is closed', async () => {
  const service = await open()
  const watching = service.policies.watch('list')[Symbol.asyncIterator]()
  await watching.next()
  const next = watching.next()
  const refused = expect(next).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
  await settle()
  await service.close()
  await refused
})

it('watch refuses every name that is not a read method', async () => {
  await using service = await open()
  for (const name of ['create', 'constructor', 'toString', ''])
    expect(() => service.policies.watch(name as 'list')).toThrow(TypeError)
})
