import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { SyncCase } from './sync-bench.ts'

const VALUES = [
  'plain',
  '{"n":12345678901234567890,"text":"ü\\n"}',
  ' spaces at both ends ',
  'lines\r\nand\ttabs',
  '"quotes" \'and\' `ticks` $HOME %s {{x}}',
  'emoji \u{1f511}, ünïcode, 漢字',
]

export const syncValueCases: readonly SyncCase[] = [
  {
    name: 'put reports created for the first value, but not for the second value',
    async run({ session, push, name, read, signal }) {
      const target = name()
      const first = await session.put(push(target, 'first'), signal)
      assert.equal(first.created, true)
      assert.equal(await read(target), 'first')
      const previous = first.externalVersion
      const second = await session.put(push(target, 'second', previous === undefined ? {} : { previous }), signal)
      assert.equal(second.created, false)
      assert.equal(await read(target), 'second')
    },
  },
  {
    name: 'a repeated push leaves the value unchanged',
    async run({ session, push, name, read, signal }) {
      const request = push(name(), 'value')
      await session.put(request, signal)
      const again = await session.put(request, signal)
      assert.equal(await read(request.name), 'value')
      const { externalVersion } = again
      await session.put(push(request.name, 'next', externalVersion === undefined ? {} : { previous: externalVersion }), signal)
      assert.equal(await read(request.name), 'next')
      // A push of an earlier value with a new `opId` is a new push, so it must take effect.
      await session.put(push(request.name, 'value'), signal)
      assert.equal(await read(request.name), 'value')
    },
  },
  {
    name: 'pushes values with special characters and of the maximum size unchanged',
    async run({ session, push, name, read, signal, mostBytes }) {
      const target = name()
      for (const value of [...VALUES, 'x'.repeat(mostBytes), `${'é'.repeat(Math.floor(mostBytes / 2))}`]) {
        await session.put(push(target, value), signal)
        assert.ok((await read(target)) === value, `the store changed the value ${value.slice(0, 20)}`)
      }
    },
  },
  {
    name: 'remove reports whether the secret existed',
    async run({ session, push, name, read, signal }) {
      const target = name()
      const opId = randomUUID()
      assert.deepEqual(await session.remove({ name: target, opId }, signal), { existed: false })
      const { externalVersion } = await session.put(push(target, 'value'), signal)
      const known = externalVersion === undefined ? {} : { externalVersion }
      assert.deepEqual(await session.remove({ name: target, opId, ...known }, signal), { existed: true })
      assert.equal(await read(target), undefined)
      assert.deepEqual(await session.remove({ name: target, opId, ...known }, signal), { existed: false })
      await session.put(push(target, 'again'), signal)
      assert.equal(await read(target), 'again')
    },
  },
  {
    name: 'put and remove succeed with an outdated version or without a version',
    async run({ session, push, name, read, signal }) {
      const target = name()
      const { externalVersion } = await session.put(push(target, 'first'), signal)
      await session.remove({ name: target, opId: randomUUID() }, signal)
      assert.equal(await read(target), undefined)
      const old = externalVersion === undefined ? {} : { previous: externalVersion }
      await session.put(push(target, 'second', old), signal)
      assert.equal(await read(target), 'second')
      await session.put(push(target, 'third'), signal)
      const known = externalVersion === undefined ? {} : { externalVersion }
      assert.deepEqual(await session.remove({ name: target, opId: randomUUID(), ...known }, signal), { existed: true })
      assert.equal(await read(target), undefined)
    },
  },
  {
    name: 'pushes 8 secrets with different names concurrently',
    async run({ session, push, name, read, signal }) {
      const targets = Array.from({ length: 8 }, () => name())
      const results = await Promise.all(targets.map((target) => session.put(push(target, `value of ${target}`), signal)))
      assert.ok(results.every(({ created }) => created))
      await session.remove({ name: targets[0]!, opId: randomUUID() }, signal)
      for (const [i, target] of targets.entries())
        assert.equal(await read(target), i === 0 ? undefined : `value of ${target}`, target)
    },
  },
  {
    name: 'describe reports whether a secret exists, without its value',
    async run({ session, push, name, signal }) {
      if (!session.describe) return
      const target = name()
      assert.equal((await session.describe({ name: target }, signal)).exists, false)
      const { externalVersion } = await session.put(push(target, 'value-not-to-be-told'), signal)
      const told = await session.describe({ name: target }, signal)
      assert.equal(told.exists, true)
      if (externalVersion !== undefined) assert.equal(told.externalVersion, externalVersion)
      assert.notEqual(told.managed, false)
      assert.ok(!JSON.stringify(told).includes('value-not-to-be-told'))
      await session.remove({ name: target, opId: randomUUID() }, signal)
      assert.equal((await session.describe({ name: target }, signal)).exists, false)
    },
  },
  {
    name: 'describe reports as managed only a secret with the requested mark',
    async run({ destination, session, push, name, signal }) {
      if (!session.describe || !destination.rules.tags) return
      const target = name()
      const mark = 'conformance-mark'
      await session.put(push(target, 'value', { tags: { [mark]: '' } }), signal)
      assert.notEqual((await session.describe({ name: target, mark }, signal)).managed, false)
      assert.notEqual((await session.describe({ name: target, mark: 'mark-of-nobody' }, signal)).managed, true)
    },
  },
  {
    name: 'put sets the given tags and removes the tags in removeTags',
    async run({ destination, session, push, name, tags, signal }) {
      if (!destination.rules.tags || !tags) return
      const target = name()
      await session.put(push(target, 'value', { tags: { team: 'shop', stage: 'test' } }), signal)
      await session.put(push(target, 'value', { tags: { team: 'cart' }, removeTags: ['stage', 'never-there'] }), signal)
      const kept = await tags(target)
      assert.equal(kept['team'], 'cart')
      assert.equal(kept['stage'], undefined)
    },
  },
]
