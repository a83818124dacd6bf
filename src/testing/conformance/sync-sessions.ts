/**
 * Sessions, and calls that end with their signal.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { SyncCase } from './sync-bench.ts'

/** For a call that may no longer wait for anything. */
const SOON_MS = 1000

export const syncSessionCases: readonly SyncCase[] = [
  {
    name: 'what one session puts another replaces and removes',
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
    name: 'asks nothing for a signal that is aborted',
    async run({ session, push, name, read, fails }) {
      const target = name()
      const aborted = AbortSignal.abort()
      await fails(['external', 'internal'], () => session.put(push(target, 'value-not-put'), aborted), 'value-not-put')
      await fails(['external', 'internal'], () => session.remove({ name: target, opId: randomUUID() }, aborted))
      assert.equal(await read(target), undefined)
    },
  },
  {
    name: 'ends with its signal, whatever became of the call',
    async run({ session, push, name, signal, read }) {
      const target = name()
      const stop = new AbortController()
      const put = session.put(push(target, 'value'), stop.signal)
      stop.abort()
      const late = setTimeout(() => assert.fail('the call goes on'), SOON_MS)
      await put.catch((error: unknown) => assert.ok(error instanceof Error))
      clearTimeout(late)
      await session.put(push(target, 'value'), signal)
      assert.equal(await read(target), 'value')
    },
  },
  {
    name: 'is closed once and for all, and other sessions go on',
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
    name: 'is closed without a call, and asks nobody when it is opened',
    async run({ open, config }) {
      const began = performance.now()
      const session = open(config)
      assert.ok(performance.now() - began < SOON_MS)
      await session.close()
    },
  },
]
