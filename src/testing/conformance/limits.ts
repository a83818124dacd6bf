import assert from 'node:assert/strict'
import { MAX_KEY_BYTES, type Op } from '../../core/storage/port.ts'
import { append, bytes, check, del, freshId, put, type StorageBench, type StorageCase } from './storage-bench.ts'

/** If a storage allows larger values, the suite does not test its `maxValueBytes`. */
const MAX_TESTED_BYTES = 128 * 1024 * 1024

/** If a storage allows more ops in a commit, the suite does not test its `maxOps`. */
const MAX_TESTED_OPS = 10_000

async function assertRefused({ storage }: StorageBench, ops: readonly Op[], id = freshId()): Promise<void> {
  const revision = await storage.revision()
  await assert.rejects(storage.commit(ops, id), TypeError)
  assert.equal(await storage.revision(), revision)
}

export const limitCases: readonly StorageCase[] = [
  {
    name: 'refuses a commit with two ops for the same key',
    async run(bench) {
      await assertRefused(bench, [put('a', 'x'), put('a', 'y')])
      await assertRefused(bench, [put('a', 'x'), del('a')])
      await assertRefused(bench, [check('a', 0), put('a', 'x')])
      assert.equal(await bench.storage.get('a'), undefined)
    },
  },
  {
    name: 'refuses to write a key that is empty, too large or not well-formed',
    async run(bench) {
      for (const key of ['', 'k'.repeat(MAX_KEY_BYTES + 1), '\u{1f511}'.repeat(MAX_KEY_BYTES / 4 + 1), 'half \ud83d pair']) {
        await assertRefused(bench, [put('a', 'x'), put(key, 'x')])
        await assertRefused(bench, [check(key, 0)])
        assert.equal(await bench.storage.get(key), undefined)
      }
      assert.equal(await bench.storage.get('a'), undefined)
    },
  },
  {
    name: 'accepts a key of the maximum size',
    async run({ fill, text, storage }) {
      const keys = ['k'.repeat(MAX_KEY_BYTES), 'é'.repeat(MAX_KEY_BYTES / 2), '\u{1f511}'.repeat(MAX_KEY_BYTES / 4)]
      await fill(keys)
      for (const key of keys) {
        assert.equal(await text(key), key)
        assert.equal((await storage.scan(key)).length, 1)
        assert.deepEqual(await storage.list(key.slice(0, -2)), [key.slice(-2)])
      }
    },
  },
  {
    name: 'refuses a commit without an id or with an invalid expectation',
    async run(bench) {
      await assertRefused(bench, [put('a', 'x')], '')
      await assertRefused(bench, [put('a', 'x', -1)])
      await assertRefused(bench, [put('a', 'x', 1.5)])
      assert.equal(await bench.storage.get('a'), undefined)
    },
  },
  {
    name: 'refuses a commit with more than maxOps ops',
    async run(bench) {
      const { maxOps } = bench.storage.caps
      const ops = Array.from({ length: Math.min(maxOps, MAX_TESTED_OPS) }, (_, i) => put(`k/${i}`, 'x'))
      await bench.write(...ops)
      assert.equal((await bench.storage.list('k/')).length, ops.length)
      if (maxOps <= MAX_TESTED_OPS) await assertRefused(bench, [...ops, put('one more', 'x')])
      assert.ok(maxOps >= 128, 'caps.maxOps must be at least 128, because the kernel makes such commits')
    },
  },
  {
    name: 'refuses a value larger than maxValueBytes',
    async run(bench) {
      const { maxValueBytes } = bench.storage.caps
      if (maxValueBytes > MAX_TESTED_BYTES) return
      await assertRefused(bench, [{ op: 'put', key: 'a', value: new Uint8Array(maxValueBytes + 1) }])
    },
  },
  {
    name: 'refuses a commit with a value that is not bytes or with an unknown op',
    async run(bench) {
      await assertRefused(bench, [{ op: 'put', key: 'a', value: 'text' as never }])
      await assertRefused(bench, [{ op: 'merge', key: 'a', value: bytes('x') } as never])
    },
  },
  {
    name: 'refuses an append whose record keys would be too large',
    async run(bench) {
      await assertRefused(bench, [append('l'.repeat(MAX_KEY_BYTES), 'x')])
    },
  },
]
