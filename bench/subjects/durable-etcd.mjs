/**
 * Writes on a cluster, on the etcd that ETCD_HOSTS names (with commas between them); without it nothing is measured. `storage` is the adapter's
 * commit of one record; `bare` a transaction of one put and one condition by JSON over a kept connection, as anybody may write it without a
 * driver, and `driver` the same by the package `etcd3`, where it is installed.
 */
import { Agent, request } from 'node:http'
import { etcdStorage } from 'strongroom/storage/etcd'
import { IN_FLIGHT, oneByOne, together } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'

const VALUE = Buffer.alloc(400, 1)

export const title = 'Durable writes on etcd'

const base64 = (text) => Buffer.from(text).toString('base64')

function jsonClient(host) {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  return (path, body) =>
    new Promise((resolve, reject) => {
      const asked = request(new URL(path, host), { method: 'POST', agent }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
      })
      asked.on('error', reject)
      asked.end(JSON.stringify(body))
    })
}

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

export async function run() {
  const hosts = process.env.ETCD_HOSTS?.split(',')
  if (!hosts) return { targets: [], text: 'Not measured: `ETCD_HOSTS` was not given.' }
  const prefix = `strongroom-bench-${process.pid}/`
  const others = `bench-of-strongroom-${process.pid}/`
  const storage = etcdStorage({ hosts, prefix })
  const json = jsonClient(hosts[0])
  const etcd3 = await driver(hosts)
  try {
    let at = 0
    const bare = () => {
      const key = base64(`${others}bare/${at++}`)
      const compare = [{ key, target: 'MOD', result: 'EQUAL', mod_revision: '0' }]
      return json('/v3/kv/txn', { compare, success: [{ request_put: { key, value: base64(VALUE) } }] })
    }
    const driven = () => {
      const key = `${others}driver/${at++}`
      return etcd3.if(key, 'Mod', '==', 0).then(etcd3.put(key).value(VALUE)).commit()
    }
    const commit = () => {
      const n = at++
      return storage.commit([{ op: 'put', key: `app/${n}`, value: VALUE, expect: 0 }], `commit ${n}`)
    }
    const candidates = (how) => ({ bare: how(bare), ...(etcd3 && { driver: how(driven) }), storage: how(commit) })
    const one = await measure(candidates(oneByOne))
    const many = await measure(candidates(together))
    const rows = one.names.map((name) => [
      name,
      microseconds(one.time(name).median),
      microseconds(many.time(name).median / IN_FLIGHT),
      Math.round((IN_FLIGHT * 1_000_000) / many.time(name).median).toLocaleString('en-US'),
    ])
    const targets = one.names
      .filter((name) => name !== 'storage')
      .map((name) =>
        target(`commit on etcd, ${IN_FLIGHT} in flight: storage : ${name}`, many.speed('storage', name), { atLeast: 0.7 }, ratio),
      )
    return { targets, text: table(['', 'one at a time', `${IN_FLIGHT} in flight, each`, 'a second'], rows) }
  } finally {
    await storage.close()
    etcd3?.close()
    for (const used of [prefix, others]) {
      const [key, end] = [Buffer.from(used), Buffer.from(used)]
      end[end.length - 1]++
      await json('/v3/kv/deleterange', { key: key.toString('base64'), range_end: end.toString('base64') })
    }
  }
}
