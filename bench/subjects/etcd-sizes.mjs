/**
 * What records take of the space of an etcd (`dbSizeInUse`): once it is compacted and defragmented, and before that when the same is written
 * again. What an operator reckons a quota with.
 */
import { keySeal, systemClock } from 'strongroom'
import { etcdStorage } from 'strongroom/storage/etcd'
import { composeKernel } from '../../dist/compose-kernel.js'
import { DEFERRED_ENGINES, ENGINES, FRESH_MOUNTS, SYSTEM } from '../../dist/conventional.js'
import { LEASED, leasedWire } from '../../dist/core/contract/lease-terms.js'
import { operation } from '../../dist/core/contract/operation.js'
import { jsonClient } from '../etcd/json-client.mjs'
import { missing, startMembers } from '../etcd/members.mjs'
import { each } from '../in-flight.mjs'
import { table } from '../report.mjs'

const COUNT = 2000
const AT_ONCE = 64
const DATA = { password: 'x'.repeat(86) }

export const title = 'Space of records on etcd'

const lend = operation({
  kind: 'write',
  verb: 'GET',
  path: '/creds/app',
  summary: 'Leases nothing.',
  fields: {},
  returns: LEASED,
  wire: leasedWire,
  run: (tx) => tx.lease({ ttl: 86_400, renewable: true, data: { user: 'v-token-app-0123456789' } }),
})
const LENDING = {
  type: 'lending',
  mounts: 'secret',
  operations: { lend },
  due: {},
  leases: { renew: () => undefined, revoke: () => undefined },
}

async function open(storage) {
  const options = { storage, clock: systemClock, seal: keySeal(new Uint8Array(32).fill(7)), initialize: true }
  const mounts = [...FRESH_MOUNTS, { path: 'lend/', type: 'lending', description: '' }]
  const { kernel } = await composeKernel(options, [...ENGINES, LENDING], SYSTEM, mounts, DEFERRED_ENGINES)
  return kernel
}

export async function run() {
  if (missing) return { targets: [], text: `Not measured: ${missing}.` }
  const cluster = await startMembers(1)
  const [host] = cluster.hosts
  const json = jsonClient()
  const used = async () => Number((await json.ask(host, '/v3/maintenance/status', {})).dbSizeInUse)
  let last
  const compacted = async () => {
    const { revision } = (await json.ask(host, '/v3/kv/range', { key: 'AA==' })).header
    // Once each.
    if (revision !== last) await json.ask(host, '/v3/kv/compaction', { revision, physical: true })
    last = revision
    await json.ask(host, '/v3/maintenance/defragment', {})
    return used()
  }
  const storage = etcdStorage({ hosts: cluster.hosts })
  const kernel = await open(storage)
  const kv2 = kernel.kv2.at('versioned/')
  await kernel.mounts.createMount({ path: 'versioned/', type: 'kv', options: { version: '2' } })
  const headers = { 'X-Service-Token': kernel.rootToken }
  const send = async (method, path, body) => {
    const answer = await kernel.handle({ method, path: `/v1/${path}`, headers, body })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const kinds = {
    'secret of 100 bytes, version 1': (n) => kernel.kv.writeSecret({ path: `s/${n}`, data: DATA }),
    'secret of 100 bytes, version 2': (n) => kv2.writeSecret({ path: `s/${n}`, data: DATA }),
    'service token': () => send('POST', 'auth/token/create', { ttl: '24h' }),
    lease: () => send('GET', 'lend/creds/app'),
  }
  // The verdicts that are kept are there from now on.
  await each(3 * COUNT * 3, AT_ONCE, (n) => kernel.kv.writeSecret({ path: `filler/${n % 64}`, data: DATA }))
  const rows = []
  for (const [name, write] of Object.entries(kinds)) {
    const before = await compacted()
    await each(COUNT, AT_ONCE, write)
    const written = await used()
    const kept = await compacted()
    rows.push([name, Math.round((kept - before) / COUNT), Math.round((written - before) / COUNT)])
  }
  const before = await compacted()
  await each(COUNT, AT_ONCE, (n) => kernel.kv.writeSecret({ path: `s/${n % 64}`, data: DATA }))
  rows.push(['secret of 100 bytes, version 1, written again', 0, Math.round(((await used()) - before) / COUNT)])
  await kernel.close()
  await storage.close()
  json.close()
  await cluster.stop()
  return { targets: [], text: table(['', 'bytes', 'bytes until it is compacted'], rows) }
}
