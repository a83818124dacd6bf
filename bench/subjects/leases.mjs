/**
 * Leases in memory storage by their number: opening a store, and per operation renewing, revoking and expiring, and a tick with nothing
 * due. None of it may depend on how many there are. `LEASES=1000000` measures with a million too, which takes minutes to fill in.
 *
 * Which engine leases does not matter: it is one that keeps nothing, put into the kernel as tests do it.
 */
import { performance } from 'node:perf_hooks'
import { keySeal, memoryStorage, systemClock } from 'strongroom'
import { composeKernel } from '../../dist/compose-kernel.js'
import { DEFERRED_ENGINES, ENGINES, FRESH_MOUNTS, SYSTEM } from '../../dist/conventional.js'
import { LEASED, leasedWire } from '../../dist/core/contract/lease-terms.js'
import { operation } from '../../dist/core/contract/operation.js'
import { microseconds, table, target } from '../report.mjs'

const MOST = Number(process.env.LEASES ?? 100_000)
const SIZES = [10_000, 100_000, 1_000_000].filter((size) => size <= MOST)
/** Operations per figure, in rounds of which the median counts. */
const ROUNDS = 9
const PER_ROUND = 200
const AT_ONCE = 64
const DAY = 86_400

export const title = `Leases by their number (memory; ${SIZES.map((size) => size.toLocaleString('en')).join(', ')})`

const lend = operation({
  kind: 'write',
  verb: 'GET',
  path: '/creds/app',
  summary: 'Leases nothing.',
  fields: {},
  returns: LEASED,
  wire: leasedWire,
  run: (tx) => tx.lease({ ttl: 30 * DAY, renewable: true, data: { user: 'v-token-app-0123456789' } }),
})
const LENDING = {
  type: 'lending',
  mounts: 'secret',
  operations: { lend },
  due: {},
  leases: { renew: () => undefined, revoke: () => undefined },
}

function movable() {
  let ahead = 0
  const advance = (ms) => {
    ahead += ms
  }
  return { now: () => systemClock.now() + ahead, sleep: (ms, signal) => systemClock.sleep(ms, signal), advance }
}

async function open(storage, clock) {
  const options = { storage, clock, seal: keySeal(new Uint8Array(32).fill(7)), initialize: true }
  const mounts = [...FRESH_MOUNTS, { path: 'lend/', type: 'lending', description: '' }]
  const { kernel } = await composeKernel(options, [...ENGINES, LENDING], SYSTEM, mounts, DEFERRED_ENGINES)
  return kernel
}

async function request(kernel, token, method, path, body) {
  const answer = await kernel.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': token }, body })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Some at a time, since a client does not wait for all others either. */
async function each(count, run) {
  for (let done = 0; done < count; done += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, at) => run(done + at)))
}

/** Microseconds per operation: the median of the rounds, and the middle half of them. */
async function timed(perRound, round) {
  const samples = []
  for (let at = 0; at < ROUNDS; at++) {
    const begin = performance.now()
    await round(at)
    samples.push(((performance.now() - begin) * 1000) / perRound)
  }
  samples.sort((a, b) => a - b)
  return { median: samples[4], low: samples[2], high: samples[6] }
}

async function measureWith(size) {
  const storage = memoryStorage()
  const clock = movable()
  let kernel = await open(storage, clock)
  const token = kernel.rootToken
  const ids = []
  const issue = async () => void ids.push((await request(kernel, token, 'GET', 'lend/creds/app')).lease_id)
  await each(size, issue)
  await kernel.close()

  const opened = await timed(1, async () => {
    kernel = await open(storage, clock)
    await kernel.close()
  })
  kernel = await open(storage, clock)
  const some = Math.floor(size / (3 * ROUNDS * PER_ROUND))
  const pick = (use, round, at) => ids[((use * ROUNDS + round) * PER_ROUND + at) * some]
  const issued = await timed(PER_ROUND, () => each(PER_ROUND, issue))
  const renewed = await timed(PER_ROUND, (round) =>
    each(PER_ROUND, (at) =>
      request(kernel, token, 'POST', 'sys/leases/renew', { lease_id: pick(0, round, at), increment: 20 * DAY }),
    ),
  )
  const revoked = await timed(PER_ROUND, (round) =>
    each(PER_ROUND, (at) => request(kernel, token, 'POST', 'sys/leases/revoke', { lease_id: pick(1, round, at) })),
  )
  await kernel.tick()
  const idle = await timed(PER_ROUND, async () => {
    for (let at = 0; at < PER_ROUND; at++) await kernel.tick()
  })
  for (let round = 0; round < ROUNDS; round++)
    await each(PER_ROUND, (at) =>
      request(kernel, token, 'POST', 'sys/leases/renew', { lease_id: pick(2, round, at), increment: 60 + round * 60 }),
    )
  const expired = await timed(PER_ROUND, async (round) => {
    clock.advance(60_000 + (round === 0 ? 30_000 : 0))
    const { done } = await kernel.tick()
    if (done !== PER_ROUND) throw new Error(`${done} leases expired instead of ${PER_ROUND}`)
  })
  await kernel.close()
  return { open: opened, issue: issued, renew: renewed, revoke: revoked, expire: expired, 'tick with nothing due': idle }
}

export async function run() {
  // Once for nothing, so that the first figures are not those of code that nobody has run yet.
  await measureWith(3 * ROUNDS * PER_ROUND)
  const found = []
  for (const size of SIZES) found.push(await measureWith(size))
  const [first] = found
  const rows = Object.keys(first).map((name) => [name, ...found.map((each) => microseconds(each[name].median))])
  const last = found.at(-1)
  const targets = Object.keys(first).map((name) => {
    const by = (value) => value / first[name].median
    const grown = { median: by(last[name].median), low: by(last[name].low), high: by(last[name].high) }
    const what = `leases, ${name}: with ${SIZES.at(-1).toLocaleString('en')} : with ${SIZES[0].toLocaleString('en')}`
    return target(what, grown, { atMost: 2 }, (value) => `${value.toFixed(2)}x`)
  })
  return { targets, text: table(['per operation', ...SIZES.map((size) => `${size.toLocaleString('en')} leases`)], rows) }
}
