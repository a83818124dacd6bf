/** Long work must remove its listeners from abort signals: Node warns about the eleventh listener of a signal. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inProcessNetwork, type ReplicationTransport } from '../../../src/index.ts'
import { clusters, pair, tokenOf } from './cluster.ts'

const warnings: string[] = []
const note = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`)

interface Network extends ReplicationTransport {
  /** The number of requests without an answer. */
  waiting: number
}

function countedNetwork(): Network {
  const inner = inProcessNetwork()
  const network: Network = {
    waiting: 0,
    listen: inner.listen,
    async request(...args) {
      network.waiting++
      try {
        return await inner.request(...args)
      } finally {
        network.waiting--
      }
    },
  }
  return network
}

/** Waits until this many secondaries wait for new entries of their primary. */
const untilWaiting = (network: Network, count: number) =>
  vi.waitFor(() => expect(network.waiting).toBe(count), { timeout: 60_000, interval: 5 })

beforeEach(() => {
  warnings.length = 0
  process.on('warning', note)
})
afterEach(() => {
  process.off('warning', note)
})

it('a streaming secondary and the primary that it waits for cause no warning about event listeners', async () => {
  const network = countedNetwork()
  const { make } = clusters()
  const [primary, secondary] = await pair({ make: (options) => make({ ...options, ports: { replication: network } }) })
  const stop = secondary.start()
  await untilWaiting(network, 1)
  // Commits that a secondary does not receive.
  for (let n = 0; n < 30; n++) await primary.seal.rotate()
  await stop()
  expect(warnings).toEqual([])
})

it('many secondaries that wait for one primary cause no warning about event listeners', async () => {
  const network = countedNetwork()
  const { make } = clusters()
  const open = () => make({ ports: { replication: network } })
  const primary = await open()
  await primary.replication.enablePrimary()
  const secondaries = await Promise.all(Array.from({ length: 14 }, open))
  for (const [at, { replication }] of secondaries.entries())
    await replication.enableSecondary({ token: await tokenOf(primary, `s${at}`) })
  for (const secondary of secondaries) await secondary.tick()
  const stops = secondaries.map((secondary) => secondary.start())
  await untilWaiting(network, secondaries.length)
  await primary.kv.writeSecret({ path: 'a', data: { n: 1 } })
  await Promise.all(stops.map((stop) => stop()))
  expect(warnings).toEqual([])
})

it('many concurrent forwarded writes cause no warning about event listeners', async () => {
  const [, secondary] = await pair(clusters(), 'app')
  await Promise.all(Array.from({ length: 64 }, (_, n) => secondary.kv.writeSecret({ path: `a/${n}`, data: { n } })))
  expect(warnings).toEqual([])
})
