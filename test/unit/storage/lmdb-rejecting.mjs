// Uses a store while the promises of the driver reject, first one at a time and then all of them. Started by lmdb-failures.slow.test.ts.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , library, home] = process.argv
const lmdb = createRequire(import.meta.url)('lmdb')
const { openAsClass } = lmdb

/** The number of the promise that rejects; 0 for all. */
let rejecting = 0
let promised = 0

function met(answer) {
  if (!(answer instanceof Promise) || (++promised !== rejecting && rejecting !== 0)) return answer
  // The operation has succeeded, but its promise rejects.
  return answer.then(() => Promise.reject(new Error('the driver rejects')))
}

const troubled = (target) =>
  new Proxy(target, {
    get(_, name) {
      const member = target[name]
      if (typeof member !== 'function') return member
      if (name === 'openDB') return (options) => troubled(target.openDB(options))
      return (...parameters) => met(member.apply(target, parameters))
    },
  })
lmdb.openAsClass = (options) => new Proxy(openAsClass(options), { construct: (Store, given) => troubled(new Store(...given)) })

const { lmdbStorage } = await import(library)
const aTurn = () => new Promise((resolve) => setTimeout(resolve, 5))

async function use(path, shared) {
  const storage = lmdbStorage({ path, shared })
  const put = (key) => ({ op: 'put', key, value: new Uint8Array(10) })
  const work = [
    storage.commit([put('a'), { op: 'append', log: 'log', value: new Uint8Array(1) }], '1'),
    storage.commit([{ op: 'del', key: 'a' }, put('b')], '2'),
    storage.backup(`${path}-copy`),
    storage.watch('', 0, () => {}),
  ]
  const outcomes = await Promise.allSettled(work)
  outcomes.push(...(await Promise.allSettled([storage.commit([put('c')], '3'), storage.close()])))
  await aTurn()
  return outcomes.filter(({ status }) => status === 'rejected').length
}

for (const shared of [false, true]) {
  let rejectedCount = 0
  let tried = 0
  for (rejecting = 1; rejecting < 200; rejecting++) {
    promised = 0
    rejectedCount += await use(join(home, `${shared}-${rejecting}`), shared)
    if (promised < rejecting) break
    tried++
  }
  rejecting = 0
  rejectedCount += await use(join(home, `${shared}-all`), shared)
  process.send({ tried, rejected: rejectedCount })
}
