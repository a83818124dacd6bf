import assert from 'node:assert/strict'
import { logKey, type Storage } from '../../core/storage/port.ts'
import { append, check, del, put, type StorageBench, textOf, until } from './storage-bench.ts'

/** An open transaction of the application, in the database that the storage uses. */
export interface ApplicationTransaction {
  /** The argument to pass to `join`. */
  readonly transaction: unknown
  /** Commits the transaction. Resolves to whether the transaction took effect. */
  commit(): Promise<boolean>
  rollback(): Promise<void>
}

export interface JoinCase {
  readonly name: string
  readonly needs?: 'logs' | 'watch'
  run(bench: StorageBench, begin: () => Promise<ApplicationTransaction>): Promise<void>
}

type Joining = Required<Pick<Storage, 'join'>>

/** Calls `storage.join` with the ops and asserts that it reports no conflict. */
async function join({ storage }: StorageBench, transaction: unknown, ...ops: Parameters<Joining['join']>[0]): Promise<void> {
  assert.equal(await (storage as Storage & Joining).join(ops, transaction), undefined)
}

export const joinCases: readonly JoinCase[] = [
  {
    name: 'joined writes take effect together when the transaction commits',
    async run(bench, begin) {
      const first = await bench.write(put('a', 'before'), put('b', 'before'))
      const { transaction, commit } = await begin()
      await join(bench, transaction, put('a', 'after', first.revision), put('c', 'new', 0))
      await join(bench, transaction, del('b', first.revision), check('d', 0))
      assert.equal(await bench.text('a'), 'before')
      assert.equal(await commit(), true)
      const entries = await bench.storage.getMany(['a', 'b', 'c', 'd'])
      assert.deepEqual(entries.map(textOf), ['after', undefined, 'new', undefined])
    },
  },
  {
    name: 'joined writes have no effect if the transaction is rolled back',
    async run(bench, begin) {
      const { transaction, rollback } = await begin()
      await join(bench, transaction, put('a', 'x'))
      await rollback()
      assert.deepEqual(await bench.storage.list(''), [])
    },
  },
  {
    name: 'a transaction does not take effect if an expectation of a joined write fails',
    async run(bench, begin) {
      await bench.write(put('a', 'x'))
      const { transaction, commit, rollback } = await begin()
      const conflict = await (bench.storage as Storage & Joining).join([put('b', 'x'), check('a', 0)], transaction)
      if (conflict) await rollback()
      else assert.equal(await commit(), false)
      assert.equal(await bench.text('b'), undefined)
    },
  },
  {
    name: 'join rejects a second write of the same key in one transaction',
    async run(bench, begin) {
      const { transaction, commit } = await begin()
      await join(bench, transaction, put('a', 'x'), check('b', 0))
      await join(bench, transaction, put('c', 'x'), check('b', 0))
      const again = (bench.storage as Storage & Joining).join([put('a', 'y')], transaction)
      await assert.rejects(Promise.resolve(again), TypeError)
      assert.equal(await commit(), true)
      assert.equal(await bench.text('a'), 'x')
    },
  },
  {
    name: 'appends that join one transaction get consecutive indexes when it commits',
    needs: 'logs',
    async run(bench, begin) {
      await bench.write(append('log', 'before'))
      const { transaction, commit } = await begin()
      await join(bench, transaction, put('a', 'x'), append('log', 'first'), append('other', 'alone'))
      await join(bench, transaction, append('log', 'second'), append('log', 'third'))
      assert.equal((await bench.storage.scan('log/')).length, 1)
      assert.equal(await commit(), true)
      assert.deepEqual((await bench.storage.scan('log/')).map(textOf), ['before', 'first', 'second', 'third'])
      assert.equal(await bench.text(logKey('log', 4)), 'third')
      assert.equal(await bench.text(logKey('other', 1)), 'alone')
      assert.deepEqual((await bench.write(append('log', 'after'))).appended, [5])
    },
  },
  {
    name: 'a transaction that is rolled back does not use up log indexes',
    needs: 'logs',
    async run(bench, begin) {
      const { transaction, rollback } = await begin()
      await join(bench, transaction, append('log', 'lost'))
      await rollback()
      assert.deepEqual((await bench.write(append('log', 'kept'))).appended, [1])
      assert.equal((await bench.storage.scan('log/')).length, 1)
    },
  },
  {
    name: 'watchers receive the keys of writes and appends in a transaction of the application when it commits',
    needs: 'watch',
    async run(bench, begin) {
      const told = new Set<string>()
      const unwatch = await bench.storage.watch('', await bench.storage.revision(true), ({ keys }) => {
        for (const key of keys ?? []) told.add(key)
      })
      const { transaction, commit } = await begin()
      await join(bench, transaction, put('a', 'x'), append('log', 'y'))
      assert.deepEqual([...told], [])
      assert.equal(await commit(), true)
      await until(() => told.size === 2, 'the keys of a joined commit')
      assert.deepEqual([...told].toSorted(), ['a', logKey('log', 1)])
      await unwatch()
    },
  },
]
