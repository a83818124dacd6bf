/**
 * Blocking reads of config entries: a read of an entry wakes for that entry alone, a list wakes for its own content, and no index
 * decreases.
 */
import { expect, it } from 'vitest'
import { createConfigService, type OwnConfigService } from '../../../src/config-service.ts'
import type { ConfigEntryInput } from '../../../src/configsvc/entries/operations/fields.ts'
import { type KernelResponse, memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { settle } from '../turns.ts'

const MANY = runs({ quick: 1000, soak: 10_000 })
const THERE = 100

const open = (storage: Storage = memoryStorage(), clock = fakeClock()) =>
  createConfigService({ storage, plaintext: true, clock, acl: { enabled: false } })

const web = (Name = 'web', Protocol = 'tcp'): ConfigEntryInput => ({ Kind: 'service-defaults', Name, Protocol })

const get = (service: OwnConfigService, path: string, query: Record<string, string> = {}, signal?: AbortSignal) =>
  service.handle({ method: 'GET', path: `/v1/config/${path}`, query, ...(signal && { signal }) })

const indexOf = ({ headers }: KernelResponse): number => Number(headers['X-Config-Index'])

/** A read that waits for changes after the index, and whether it was answered. */
function waiting(service: OwnConfigService, path: string, index: number) {
  const state = { answered: false, answer: get(service, path, { index: String(index), wait: '5m' }) }
  void state.answer.finally(() => {
    state.answered = true
  })
  return state
}

it(`a change of one entry wakes only one of ${MANY} blocking reads of different entries`, async () => {
  await using service = await open()
  const names = Array.from({ length: MANY }, (_, i) => `s${i}`)
  // The others wait for entries that do not exist yet.
  await service.entries.apply(names.slice(0, THERE).map((name) => web(name)))
  const index = indexOf(await get(service, 'service-defaults/s0'))
  const answers = new Map<string, KernelResponse>()
  const all = names.map(async (name) => {
    const answer = await get(service, `service-defaults/${name}`, { index: String(index), wait: '5m' })
    answers.set(name, answer)
    return answer
  })
  await settle()
  expect(answers.size).toBe(0)
  for (const [i, name] of ['s17', `s${MANY - 1}`, 's0'].entries()) {
    await service.entries.apply(web(name, 'http'))
    await all[names.indexOf(name)]
    await settle()
    expect([...answers.keys()]).toHaveLength(i + 1)
    expect(answers.get(name)).toMatchObject({ status: 200, body: { Name: name, Protocol: 'http', ModifyIndex: index + i + 1 } })
    expect(indexOf(answers.get(name) as KernelResponse)).toBe(index + i + 1)
  }
  await service.close()
  expect((await Promise.all(all)).filter(({ status }) => status === 503)).toHaveLength(MANY - 3)
})

it('a blocking read of an entry returns when the entry is created, and a later one when it is deleted', async () => {
  await using service = await open()
  await service.entries.apply(web('other'))
  const absent = await get(service, 'service-defaults/web')
  expect([absent.status, indexOf(absent)]).toEqual([404, 2])
  const made = waiting(service, 'service-defaults/web', indexOf(absent))
  await settle()
  await service.entries.apply([web('other', 'http'), web('third')])
  await service.entries.apply({ Kind: 'service-resolver', Name: 'web' })
  await service.entries.delete({ Kind: 'service-defaults', Name: 'third' })
  await settle()
  expect(made.answered).toBe(false)
  await service.entries.apply(web('WEB'))
  expect(await made.answer).toMatchObject({ status: 200, body: { Name: 'WEB' } })
  const gone = waiting(service, 'service-defaults/web', indexOf(await made.answer))
  await settle()
  await service.entries.delete({ Kind: 'service-defaults', Name: 'web' })
  expect(await gone.answer).toMatchObject({ status: 404 })
  expect(indexOf(await gone.answer)).toBeGreaterThan(indexOf(await made.answer))
})

it('a blocking read of a list continues to wait until the content of the list changes', async () => {
  await using service = await open()
  await service.entries.apply([web('a'), web('b', 'http')])
  const index = indexOf(await get(service, 'service-defaults'))
  const list = waiting(service, 'service-defaults', index)
  const filter = { filter: 'Protocol == http', index: String(index), wait: '5m' }
  let narrowed = false
  const narrow = get(service, 'service-defaults', filter).finally(() => {
    narrowed = true
  })
  const otherKind = waiting(service, 'service-resolver', index)
  await settle()
  await service.entries.apply({ Kind: 'mesh' })
  await service.entries.apply(web('a'))
  await service.entries.apply([web('x')], { ns: 'team-a' })
  await settle()
  expect([list.answered, narrowed, otherKind.answered]).toEqual([false, false, false])
  await service.entries.apply(web('a', 'grpc'))
  expect(await list.answer).toMatchObject({ status: 200, body: [{ Protocol: 'grpc' }, { Protocol: 'http' }] })
  await settle()
  expect([narrowed, otherKind.answered]).toEqual([false, false])
  await service.entries.apply(web('c', 'http'))
  expect((await narrow).body).toMatchObject([{ Name: 'b' }, { Name: 'c' }])
  await service.entries.apply({ Kind: 'service-resolver', Name: 'a' })
  expect((await otherKind.answer).body).toMatchObject([{ Name: 'a' }])
})

it('watch of an entry yields its states: missing, created, changed and deleted', async () => {
  await using service = await open()
  const watching = service.entries.watch('get', { Kind: 'service-defaults', Name: 'web' })[Symbol.asyncIterator]()
  expect(await watching.next()).toEqual({ done: false, value: undefined })
  const step = async (change: Promise<unknown>, notification: Promise<IteratorResult<unknown>>) => {
    await change
    return (await notification).value
  }
  const next = watching.next()
  await service.entries.apply(web('other'))
  expect(await step(service.entries.apply(web()), next)).toMatchObject({ Name: 'web', Protocol: 'tcp' })
  expect(await step(service.entries.apply(web('web', 'http')), watching.next())).toMatchObject({ Protocol: 'http' })
  expect(await step(service.entries.delete({ Kind: 'service-defaults', Name: 'web' }), watching.next())).toBeUndefined()
  await watching.return?.()
})

it('watch of a list yields the list after each change until its signal is aborted', async () => {
  await using service = await open()
  const stop = new AbortController()
  const seen: string[][] = []
  for await (const all of service.entries.watch('list', { Kind: 'service-defaults' }, { signal: stop.signal })) {
    seen.push(all.map(({ Name }) => Name))
    if (seen.length === 4) stop.abort()
    else if (seen.length === 3) await service.entries.delete({ Kind: 'service-defaults', Name: 'a' })
    else await service.entries.apply(web(seen.length === 1 ? 'b' : 'a'))
  }
  expect(seen).toEqual([[], ['b'], ['a', 'b'], ['b']])
})

it('blocking reads of entries miss no change, and the index never decreases, in any order of writes', async () => {
  const move = fc.constantFrom('own', 'other', 'delete', 'elsewhere', 'pause')
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 20 }), async (moves) => {
      const storage = memoryStorage()
      await using here = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })
      await using there = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })
      const END = 'the end'
      let last = ''
      let index = 1
      const reader = (async () => {
        while (last !== END) {
          const answer = await get(here, 'service-defaults/web', { index: String(index), wait: '1m' })
          expect(indexOf(answer)).toBeGreaterThanOrEqual(index)
          index = indexOf(answer)
          last = answer.status === 404 ? '' : (answer.body as { Meta: { text: string } }).Meta.text
        }
      })()
      const write = (service: OwnConfigService, text: string) => service.entries.apply({ ...web(), Meta: { text } })
      for (const [i, one] of moves.entries()) {
        if (one === 'own') await write(here, String(i))
        else if (one === 'elsewhere') await write(there, String(i))
        else if (one === 'other') await here.entries.apply(web('other', i % 2 ? 'tcp' : 'http'))
        else if (one === 'delete') await there.entries.delete({ Kind: 'service-defaults', Name: 'web' })
        else await new Promise((resolve) => setImmediate(resolve))
      }
      await write(there, END)
      await reader
      expect(last).toBe(END)
    }),
    { numRuns: 30 },
  )
})
