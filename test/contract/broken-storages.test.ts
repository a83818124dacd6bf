/**
 * Proves that the conformance suite finds violations: each storage in this file breaks one promise of the port, and the suite must fail for
 * it.
 */
import { expect, it } from 'vitest'
import { type Change, type Commit, type MemoryStorage, memoryStorage, type Op, type Storage } from '../../src/index.ts'
import { storageConformance } from '../../src/testing/index.ts'

type Break = (good: Storage) => Partial<Storage>

const twist =
  (change: (ops: readonly Op[]) => readonly Op[]): Break =>
  (good) => ({ commit: (ops, id) => good.commit(change(ops), id) })

const retell =
  (change: (verdict: Commit, ops: readonly Op[]) => Commit): Break =>
  (good) => ({ commit: async (ops, id) => change(await good.commit(ops, id), ops) })

const rewatch =
  (change: (notification: Change, notify: (change: Change) => void) => void): Break =>
  (good) => ({
    watch: (prefix, from, onChange) => good.watch(prefix, from, (notification) => change(notification, onChange)),
  })

let ids = 0

/**
 * Maps how a storage breaks its promise to a part of the title of the conformance test that must fail, and the change that breaks the
 * storage.
 */
const BROKEN: Readonly<Record<string, readonly [string, Break]>> = {
  'ignores the expectations of puts': [
    '',
    twist((ops) => ops.map((op) => (op.op === 'put' ? { op: 'put', key: op.key, value: op.value } : op))),
  ],
  'ignores the expectation of a del': [
    'a del with an expectation',
    twist((ops) => ops.map((op) => (op.op === 'del' ? { op: 'del', key: op.key } : op))),
  ],
  'ignores checks': ['a check makes the commit conflict', twist((ops) => ops.filter(({ op }) => op !== 'check'))],
  'commits each operation separately': [
    'a commit writes nothing if its last op',
    (good) => ({
      async commit(ops, id) {
        let last: Commit = { ok: true, revision: await good.revision(), appended: [] }
        for (const [i, op] of ops.entries()) {
          last = await good.commit([op], `${id} ${i}`)
          if (!last.ok) return last
        }
        return last
      },
    }),
  ],
  'does not recognize repeated commit ids': [
    'repeated',
    (good) => ({ commit: (ops, id) => good.commit(ops, id === '' ? '' : `${id} ${++ids}`) }),
  ],
  'recognizes only the commit ids of successful commits': [
    'already conflicted',
    (good) => ({
      async commit(ops, id) {
        const verdict = await good.commit(ops, id === '' ? '' : `${id} ${ids}`)
        if (!verdict.ok) ids++
        return verdict
      },
    }),
  ],
  'returns a wrong version in a conflict': [
    '',
    retell((verdict) => (verdict.ok ? verdict : { ...verdict, version: verdict.version + 1 })),
  ],
  'returns no indexes of appends': [
    'the appends to each log',
    retell((verdict) => (verdict.ok ? { ...verdict, appended: [] } : verdict)),
  ],
  'reads the bytes of the caller after commit has returned': [
    'commit copies the bytes of its puts',
    (good) => ({
      async commit(ops, id) {
        await new Promise((resolve) => setImmediate(resolve))
        return good.commit(ops, id)
      },
    }),
  ],
  'returns the same bytes from two reads': [
    'a change to the bytes that a read',
    (good) => {
      const answered = new Map<string, Awaited<ReturnType<Storage['get']>>>()
      return {
        async get(key) {
          const entry = await good.get(key)
          const before = answered.get(key)
          if (entry && before?.version === entry.version) return before
          answered.set(key, entry)
          return entry
        },
      }
    },
  ],
  'lists keys without the latest commits': [
    'sees every commit that resolved before',
    (good) => {
      let before: Promise<readonly string[]> = Promise.resolve([])
      return {
        async list(prefix, page) {
          const stale = before
          before = good.list(prefix, page)
          return prefix === 'k/' ? stale : before
        },
      }
    },
  ],
  'sorts keys by UTF-16 code units': [
    'byte order',
    (good) => ({ scan: async (prefix, page) => [...(await good.scan(prefix, page))].sort((a, b) => (a.key < b.key ? -1 : 1)) }),
  ],
  'compares prefixes without regard to case': [
    'compares the prefix by bytes',
    (good) => ({
      scan: async (prefix, page) =>
        (await good.scan('', page)).filter(({ key }) => key.toLowerCase().startsWith(prefix.toLowerCase())),
    }),
  ],
  'repeats the last key of the previous page': [
    '',
    (good) => ({
      scan: (prefix, { after, ...page } = {}) =>
        good.scan(prefix, after === undefined ? page : { ...page, after: after.slice(0, -1) }),
    }),
  ],
  'truncates large values': [
    'large',
    (good) => ({
      async get(key) {
        const entry = await good.get(key)
        return entry && { ...entry, value: entry.value.slice(0, 65_535) }
      },
    }),
  ],
  'truncates keys at a zero byte': ['keys with special characters', (good) => ({ get: (key) => good.get(key.split('\0')[0]!) })],
  'lists a folder as often as it has children': [
    'fold',
    (good) => ({
      async list(prefix, { delimiter, ...page } = {}) {
        const names = await good.list(prefix, page)
        return delimiter ? names.map((name) => name.split(delimiter)[0] + (name.includes(delimiter) ? delimiter : '')) : names
      },
    }),
  ],
  'accepts more operations than its maxOps': ['maxOps', (good) => ({ caps: { ...good.caps, maxOps: good.caps.maxOps - 1 } })],
  'declares a maxOps that is too low': ['maxOps', (good) => ({ caps: { ...good.caps, maxOps: 100 } })],
  'continues to accept calls after close': ['all calls after close reject', () => ({ close: async () => {} })],
  'does not wait for pending commits on close': [
    'close waits',
    (good) => ({
      async commit(ops, id) {
        await new Promise((resolve) => setTimeout(resolve, 300))
        return good.commit(ops, id)
      },
    }),
  ],
  'notifies of every second commit only': [
    'watch',
    (good) => {
      let n = 0
      return rewatch((change, notify) => void (n++ % 2 === 0 && notify(change)))(good)
    },
  ],
  'notifies of changes under other prefixes': [
    'watch',
    (good) => ({ watch: (_, from, onChange) => good.watch('', from, onChange) }),
  ],
  'notifies of changes out of order': [
    'in the order of their revisions',
    (good) => {
      let held: Change | undefined
      return rewatch((change, notify) => {
        if (held) [notify(change), notify(held)]
        held = held ? undefined : change
      })(good)
    },
  ],
  'ignores the start revision of a watch': [
    'between its start revision',
    (good) => ({ watch: async (prefix, _, onChange) => good.watch(prefix, await good.revision(), onChange) }),
  ],
  'notifies after the watch was stopped': [
    'nothing after it was stopped',
    (good) => ({
      async watch(prefix, from, onChange) {
        await good.watch(prefix, from, onChange)
        return async () => {}
      },
    }),
  ],
  'commits joined writes before their transaction': [
    'take effect together when',
    (good) => ({
      async join(ops) {
        const verdict = await good.commit(ops, `joined ${++ids}`)
        return verdict.ok ? undefined : verdict
      },
    }),
  ],
  'loses the appends of joined writes': [
    'appends that join one transaction',
    (good) => ({
      join: (ops, transaction) =>
        good.join!(
          ops.filter(({ op }) => op !== 'append'),
          transaction,
        ),
    }),
  ],
  'declares that it is durable but is not': ['is not durable', (good) => ({ caps: { ...good.caps, durable: true } })],
}

type Test = readonly [name: string, run: () => Promise<void>]

function suiteOf(breakIt: Break): Test[] {
  const tests: Test[] = []
  const open = async (): Promise<Storage> => {
    const { getSync: _, ...good } = memoryStorage({ maxOps: 128 })
    return { ...good, ...breakIt(good) }
  }
  const begin = async (storage: Storage) => {
    const transaction = (storage as MemoryStorage).begin()
    return { transaction, commit: async () => (await transaction.commit()).ok, rollback: async () => transaction.rollback() }
  }
  storageConformance({ name: 'it', open, begin, test: (name, run) => tests.push([name, run]) })
  return tests
}

/** The violation of a storage that never notifies is found by a test that waits for a notification. */
const fails = ([, run]: Test): Promise<boolean> =>
  Promise.race([run().then(() => false), new Promise<boolean>((resolve) => setTimeout(resolve, 1000, true).unref())]).catch(
    () => true,
  )

it('the storage conformance suite passes for the memory storage', async () => {
  for (const [, run] of suiteOf(() => ({}))) await run()
})

it.each(Object.keys(BROKEN))('the storage conformance suite fails for a storage that %s', async (name) => {
  const [words, breakIt] = BROKEN[name]!
  const found: string[] = []
  for (const test of suiteOf(breakIt)) {
    if (test[0].includes(words) && (await fails(test))) found.push(test[0])
    if (found.length > 0) break
  }
  expect(found).toHaveLength(1)
})
