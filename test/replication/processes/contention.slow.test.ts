/**
 * Four processes write different records of one store. With replication they must not conflict more often than without it.
 */
import { expect, it } from 'vitest'
import { createKernel } from '../../../src/index.ts'
import { type Child, startChild } from '../../fixtures/child.ts'
import type { StoreAt } from '../../fixtures/store-at.ts'
import { onEachStore } from '../../processes/on-each-store.ts'
import { openStorage, SEAL } from '../../processes/where.ts'
import type { ChildMessage, ParentMessage, WriterArguments } from './writer.child.ts'

const PROGRAM = 'test/replication/processes/writer.child.ts'
const PROCESSES = 4
const LANES = 4
const WRITES = 6

type Done = ChildMessage & { readonly type: 'done' }

interface Writer {
  readonly child: Child
  readonly messages: AsyncIterator<unknown>
}

async function next<K extends ChildMessage['type']>(
  { child, messages }: Writer,
  kind: K,
): Promise<ChildMessage & { readonly type: K }> {
  const { done, value } = await messages.next()
  if (done) await child.ended
  expect(value).toMatchObject({ type: kind })
  return value as ChildMessage & { readonly type: K }
}

async function start(args: WriterArguments): Promise<Writer> {
  const child = startChild(PROGRAM, args)
  const writer = { child, messages: child.messages[Symbol.asyncIterator]() }
  await next(writer, 'open')
  return writer
}

/** Returns the reports of the processes and the number of log entries. */
async function run(where: StoreAt, on: boolean): Promise<{ readonly done: readonly Done[]; readonly logged: number }> {
  const { storage, close } = openStorage(where)
  const kernel = await createKernel({ storage, seal: SEAL, initialize: true })
  if (on) await kernel.replication.enablePrimary({})
  await kernel.kv.writeSecret({ path: 'first', data: { at: 0 } })
  await kernel.tokens.createToken({ policies: ['default'] })
  await kernel.close()
  const names = Array.from({ length: PROCESSES }, (_, nth) => `writer-${nth}`)
  const writers = await Promise.all(names.map((name) => start({ where, name, lanes: LANES, writes: WRITES })))
  for (const { child } of writers) child.send('write' satisfies ParentMessage)
  const done = await Promise.all(writers.map((writer) => next(writer, 'done')))
  for (const { child } of writers) child.send('end' satisfies ParentMessage)
  for (const { child } of writers) expect(await child.ended).toBe('done')
  const logged = (await storage.list('i/replication/log/')).length
  await close()
  return { done, logged }
}

onEachStore('four processes that write different records', (open) => {
  it.each([
    ['off', false],
    ['on', true],
  ])('have no commit conflicts with replication %s', async (_, on) => {
    const { where, remove } = await open()
    try {
      const { done, logged } = await run(where, on)
      const commits = done.reduce((sum, message) => sum + message.commits, 0)
      expect(commits).toBeGreaterThanOrEqual(PROCESSES * LANES * WRITES * 2)
      expect(done.flatMap(({ conflicts }) => conflicts)).toEqual([])
      // Each commit is in the log, so replication was active.
      if (on) expect(logged).toBeGreaterThanOrEqual(commits)
      else expect(logged).toBe(0)
      for (const { ticks } of done) expect(ticks).toBeGreaterThan(0)
    } finally {
      await remove()
    }
  })
})
