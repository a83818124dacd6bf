/**
 * Writes that survive a crash, on LMDB. `storage` is the adapter's commit of four records; `bare engine` a transaction of LMDB that does what
 * the port asks for by hand: looks at each key, writes it, and counts the commit. `kernel` makes a key, or writes a secret, which the
 * engine's transactions beside it have as many bytes for. Many at a time are measured first, so that one at a time finds code that has run.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { nodeCrypto } from 'strongroom/crypto/node'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { IN_FLIGHT, oneByOne, together } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'
import { openKernel } from '../setup.mjs'

const VALUE = Buffer.alloc(400, 1)
const SECRET = 'kernel, write a secret'
const SECRET_NODE = `${SECRET}, node`

export const title = 'Durable writes on LMDB'

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  const storages = ['kernel', 'onNode', 'alone', 'shared'].map((name) =>
    lmdbStorage({ path: join(folder, name), shared: name === 'shared' }),
  )
  const [under, underNode, alone, shared] = storages
  const bare = open({ path: join(folder, 'bare'), overlappingSync: false, encoding: 'binary' })
  try {
    const { kernel, transit } = await openKernel({ storage: under })
    const { kernel: onNode } = await openKernel({ storage: underNode, crypto: nodeCrypto() })
    let at = 0
    const commit = (storage) => () => {
      const n = at++
      const ops = Array.from({ length: 4 }, (_, i) => ({ op: 'put', key: `r/mount/folder/${n}/${i}`, value: VALUE, expect: 0 }))
      return storage.commit(ops, `commit ${n}`)
    }
    const engine = (records) => () => {
      const n = at++
      return bare.transaction(() => {
        for (let i = 0; i < records; i++) {
          const key = `r/mount/folder/${n}/${i}`
          if (bare.getBinaryFast(key)) throw new Error('it was to be new')
          bare.putSync(key, VALUE)
        }
        bare.putSync('revision', Buffer.from(String(n)))
      })
    }
    const secret = (kernel) => () => kernel.kv.writeSecret({ path: `app/${at++}`, data: { password: 'x'.repeat(300) } })
    const key = () => transit.createKey({ name: `fresh-${at++}` })
    const candidates = (how) => ({
      'bare engine, 4 records': how(engine(4)),
      storage: how(commit(alone)),
      'storage, shared': how(commit(shared)),
      'kernel, create a key': how(key),
      'bare engine, 1 record': how(engine(1)),
      [SECRET]: how(secret(kernel)),
      [SECRET_NODE]: how(secret(onNode)),
    })
    const many = await measure(candidates(together))
    const rounds = await measure(candidates(oneByOne))
    await kernel.close()
    await onNode.close()
    const floor = (name) => (name.startsWith(SECRET) ? 'bare engine, 1 record' : 'bare engine, 4 records')
    const rows = rounds.names.map((name) => [
      name,
      microseconds(rounds.time(name).median),
      name.startsWith('bare') ? '' : ratio(rounds.extra(name, floor(name)).median / rounds.time(floor(name)).median + 1),
      microseconds(many.time(name).median / IN_FLIGHT),
      name.startsWith('bare') ? '' : ratio(many.speed(name, floor(name)).median),
    ])
    const header = [
      '',
      'one at a time',
      'times the bare engine',
      `${IN_FLIGHT} in flight, per write`,
      'as fast as the bare engine',
    ]
    const targets = [
      target(
        'durable commit, one at a time: bare engine : storage',
        rounds.speed('bare engine, 4 records', 'storage'),
        { atMost: 1.25 },
        ratio,
      ),
      target(
        `durable commit, ${IN_FLIGHT} in flight: storage : bare engine`,
        many.speed('storage', 'bare engine, 4 records'),
        { atLeast: 0.6 },
        ratio,
      ),
      ...[
        [SECRET, 'default', 1.9, 0.13],
        [SECRET_NODE, 'node', 1.9, 0.18],
      ].flatMap(([name, backend, atMost, atLeast]) => [
        target(
          `durable secret, ${backend}, one at a time: bare engine : kernel`,
          rounds.speed(floor(name), name),
          { atMost },
          ratio,
        ),
        target(
          `durable secret, ${backend}, ${IN_FLIGHT} in flight: kernel : bare engine`,
          many.speed(name, floor(name)),
          { atLeast },
          ratio,
        ),
      ]),
    ]
    return { targets, text: table(header, rows) }
  } finally {
    for (const storage of storages) await storage.close()
    await bare.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
