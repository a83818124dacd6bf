/**
 * Writes on a cluster: on the etcd that ETCD_HOSTS names (with commas between them), or on one member that is started for it. `storage` is the
 * adapter's commit of one record; `bare` a transaction of one put and one condition by the adapter's own client; `JSON` the same by the JSON
 * gateway, `driver` by the package `etcd3` where it is installed, and `PostgreSQL` the commit of that adapter where DATABASE_URL names one.
 */
import pg from 'pg'
import { etcdStorage } from 'strongroom/storage/etcd'
import { postgresqlStorage } from 'strongroom/storage/postgresql'
import { EtcdClient } from '../../dist/adapters/storage-etcd/client.js'
import { jsonClient } from '../etcd/json-client.mjs'
import { kernelTable } from '../etcd/kernel.mjs'
import { missing, startMembers } from '../etcd/members.mjs'
import { IN_FLIGHT, oneByOne, together } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, ratioCell, table, target } from '../report.mjs'

const VALUE = Buffer.alloc(400, 1)

export const title = 'Durable writes on etcd'

const base64 = (text) => Buffer.from(text).toString('base64')

/** No dependency of the project: measured where somebody has installed it. */
async function driver(hosts) {
  const name = 'etcd3'
  try {
    const { Etcd3 } = await import(name)
    return new Etcd3({ hosts })
  } catch {
    return undefined
  }
}

const commits = (storage) => {
  let at = 0
  return () => {
    const n = at++
    return storage.commit([{ op: 'put', key: `app/${n}`, value: VALUE, expect: 0 }], `commit ${n}`)
  }
}

function bareClient(hosts, prefix) {
  const client = new EtcdClient({
    hosts: hosts.map((host) => new URL(host)),
    tls: {},
    login: undefined,
    timeoutMs: 10_000,
    signal: undefined,
  })
  let at = 0
  const write = () => {
    const key = Buffer.from(`${prefix}bare/${at++}`)
    return client.txn({ compare: [{ key, modified: 0 }], success: [{ put: key, value: VALUE }], failure: [] })
  }
  return { write, close: () => client.close() }
}

function onPostgresql() {
  const connectionString = process.env.DATABASE_URL
  if (!connectionString) return undefined
  const schema = `strongroom_bench_${process.pid}`
  const pool = new pg.Pool({ connectionString, max: 10 })
  const storage = postgresqlStorage({ pool, schema })
  const close = async () => {
    await storage.close()
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  }
  return { write: commits(storage), close }
}

export async function run() {
  const configuredHosts = process.env.ETCD_HOSTS?.split(',')
  if (!configuredHosts && missing) return { targets: [], text: `Not measured: \`ETCD_HOSTS\` was not given, and ${missing}.` }
  const started = configuredHosts ? undefined : await startMembers(1)
  const hosts = configuredHosts ?? started.hosts
  const prefix = `strongroom-bench-${process.pid}/`
  const others = `bench-of-strongroom-${process.pid}/`
  const storage = etcdStorage({ hosts, prefix })
  const byKernel = etcdStorage({ hosts, prefix: `${others}kernel/` })
  const own = bareClient(hosts, others)
  const json = jsonClient()
  const etcd3 = await driver(hosts)
  const postgresql = onPostgresql()
  try {
    let at = 0
    const byJson = () => {
      const key = base64(`${others}json/${at++}`)
      const compare = [{ key, target: 'MOD', result: 'EQUAL', mod_revision: '0' }]
      return json.ask(hosts[0], '/v3/kv/txn', { compare, success: [{ request_put: { key, value: base64(VALUE) } }] })
    }
    const driven = () => {
      const key = `${others}driver/${at++}`
      return etcd3.if(key, 'Mod', '==', 0).then(etcd3.put(key).value(VALUE)).commit()
    }
    const commit = commits(storage)
    const candidates = (how) => ({
      bare: how(own.write),
      JSON: how(byJson),
      ...(etcd3 && { driver: how(driven) }),
      storage: how(commit),
      ...(postgresql && { PostgreSQL: how(postgresql.write) }),
    })
    const rounds = await measure(candidates(oneByOne))
    const many = await measure(candidates(together))
    const rows = rounds.names.map((name) => [
      name,
      microseconds(rounds.time(name).median),
      ratioCell(rounds.speed('storage', name)),
      microseconds(many.time(name).median / IN_FLIGHT),
      Math.round((IN_FLIGHT * 1_000_000) / many.time(name).median).toLocaleString('en-US'),
      ratioCell(many.speed('storage', name)),
    ])
    const what = `commit on etcd, ${IN_FLIGHT} in flight: storage : bare transaction of the same client`
    const targets = [target(what, many.speed('storage', 'bare'), { atLeast: 0.7 }, ratio)]
    const header = ['', 'one at a time', 'storage : it', `${IN_FLIGHT} in flight, each`, 'a second', 'storage : it']
    return { targets, text: `${table(header, rows)}\n\n${await kernelTable(byKernel)}` }
  } finally {
    await Promise.all([storage.close(), byKernel.close()])
    own.close()
    etcd3?.close()
    await postgresql?.close()
    for (const used of started ? [] : [prefix, others]) {
      const [key, end] = [Buffer.from(used), Buffer.from(used)]
      end[end.length - 1]++
      await json.ask(hosts[0], '/v3/kv/deleterange', { key: key.toString('base64'), range_end: end.toString('base64') })
    }
    json.close()
    await started?.stop()
  }
}
