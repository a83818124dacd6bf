import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { SyncCase } from './sync-bench.ts'

/** The time limit in milliseconds for operations that must not wait for the network. */
const SOON_MS = 1000

export const syncSessionCases: readonly SyncCase[] = [
  {
    name: 'replaces and removes secrets that another session has put',
    async run({ session, open, push, name, read, signal }) {
      const [target, other] = [name(), open()]
      await session.put(push(target, 'first'), signal)
      const { created, externalVersion } = await other.put(push(target, 'second'), signal)
      assert.equal(created, false)
      assert.equal(await read(target), 'second')
      const known = externalVersion === undefined ? {} : { externalVersion }
      assert.deepEqual(await session.remove({ name: target, opId: randomUUID(), ...known }, signal), { existed: true })
      assert.equal(await read(target), undefined)
    },
  },
  {
    name: 'does not send a call whose signal is already aborted',
    async run({ session, push, name, read, fails }) {
      const target = name()
      const aborted = AbortSignal.abort()
      await fails(['external', 'internal'], () => session.put(push(target, 'value-not-put'), aborted), 'value-not-put')
      await fails(['external', 'internal'], () => session.remove({ name: target, opId: randomUUID() }, aborted))
      assert.equal(await read(target), undefined)
    },
  },
  {
    name: 'ends a call within one second after its signal is aborted',
    async run({ session, push, name, signal, read }) {
      const target = name()
      const stop = new AbortController()
      const put = session.put(push(target, 'value'), stop.signal)
      stop.abort()
      const late = setTimeout(() => assert.fail('the call must end after its signal was aborted'), SOON_MS)
      await put.catch((error: unknown) => assert.ok(error instanceof Error))
      clearTimeout(late)
      await session.put(push(target, 'value'), signal)
      assert.equal(await read(target), 'value')
    },
  },
  {
    name: 'refuses calls of a closed session, while other sessions remain open',
    async run({ session, open, push, name, read, signal, fails }) {
      const other = open()
      const target = name()
      await other.put(push(target, 'value'), signal)
      await Promise.all([other.close(), other.close()])
      await other.close()
      await fails(['internal', 'external'], () => other.put(push(target, 'value-after-close'), signal), 'value-after-close')
      await session.put(push(target, 'next'), signal)
      assert.equal(await read(target), 'next')
    },
  },
  {
    name: 'opens a session without waiting for the store',
    async run({ open, config }) {
      const began = performance.now()
      const session = open(config)
      assert.ok(performance.now() - began < SOON_MS)
      await session.close()
    },
  },
]
