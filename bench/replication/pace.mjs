/**
 * Whether what is done behind the writers keeps pace: `node bench/replication/pace.mjs [numbers of keys]`, after a build. A primary and a
 * secondary in one process, on memory, both started as an application starts them.
 *
 * First the primary is written to at full rate, and what counts is how soon after the last write the secondary has every record, and how soon
 * both trees have it, too. Then, for each number of keys that both hold: what a record takes in the primary's tree, what it takes on the
 * secondary from the message to the tree, and what a tick takes that has nothing to do. Times are those of the processor, since all of it
 * is one process and others may be using the machine.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { createKernel, inProcessNetwork, keySeal, memoryStorage } from 'strongroom'
import { IN_FLIGHT } from '../in-flight.mjs'
import { microseconds, ratio, table, target, targetTable } from '../report.mjs'

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000, 100_000, 1_000_000]
const SECONDS = 5
const LOOK_MS = 500
const WRITES = 512
const ROUNDS = 9
const TICKS = 40
/** No divisor in common with the sizes, so that what is written is spread over all keys. */
const SCATTER = 7_368_787

/** Carries messages as the network does, and counts them. */
function countedNetwork() {
  const inner = inProcessNetwork()
  const counted = { messages: 0, bytes: 0 }
  const request = async (address, bytes, signal) => {
    const answer = await inner.request(address, bytes, signal)
    counted.messages++
    counted.bytes += bytes.length + answer.length
    return answer
  }
  return { network: { ...inner, request }, counted }
}

const open = (network, seal) =>
  createKernel({
    storage: memoryStorage(),
    seal: keySeal(new Uint8Array(32).fill(seal)),
    initialize: true,
    ports: { replication: network },
  })

const write = (kernel, at) => kernel.kv.writeSecret({ path: `app/${at}`, data: { password: 'x'.repeat(85), at } })

/** As many calls at once as callers, who know nothing of each other. */
async function byMany(count, act) {
  let next = 0
  const caller = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
}

async function pairOf(keys) {
  const { network, counted } = countedNetwork()
  const [primary, secondary] = [await open(network, 1), await open(network, 2)]
  await byMany(keys, (at) => write(primary, at))
  await primary.replication.enablePrimary({})
  await primary.tick()
  const { wrap_info } = await primary.replication.createSecondaryToken({ id: 'b' })
  await secondary.replication.enableSecondary({ token: wrap_info.token })
  await secondary.tick()
  const close = async () => {
    await secondary.close()
    await primary.close()
  }
  return { primary, secondary, counted, close }
}

/** Waits until it holds. */
async function until(is) {
  for (const end = performance.now() + 120_000; !(await is()); await sleep(20))
    if (performance.now() > end) throw new Error('the secondary does not become level')
}

/** Microseconds of the processor. */
async function processorTime(work) {
  const begin = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begin)
  return user + system
}

/**
 * Callers come by the event loop, as they do from a network: on memory a call needs no turn of it, and callers who never leave it would keep
 * everybody else of this process from working, whatever the kernel does.
 */
async function fullRate() {
  const { primary, secondary, close } = await pairOf(1_000)
  const { last_wal: before } = await primary.replication.readStatus()
  const applied = async () => (await secondary.replication.readStatus()).last_remote_wal
  const stops = [primary.start(), secondary.start()]
  let [begun, writes] = [0, 0]
  let over = false
  const lags = []
  const watching = (async () => {
    for (; !over; await sleep(LOOK_MS)) lags.push(before + writes - (await applied()))
  })()
  let end = 0
  const writer = async () => {
    while (performance.now() < end) {
      await write(primary, begun++ % 10_000)
      writes++
      await immediate()
    }
  }
  const writing = await processorTime(async () => {
    end = performance.now() + SECONDS * 1000
    await Promise.all(Array.from({ length: IN_FLIGHT }, writer))
  })
  over = true
  const all = await processorTime(() => until(async () => (await applied()) >= before + writes))
  const roots = async () =>
    Promise.all([primary, secondary].map(async ({ replication }) => (await replication.readStatus()).merkle_root))
  const trees = await processorTime(() => until(async () => new Set(await roots()).size === 1))
  await watching
  for (const stop of stops) stop()
  await close()
  return { rate: writes / SECONDS, processor: writing / 1e6 / SECONDS, applied: all / 1_000, trees: (all + trees) / 1_000, lags }
}

const spread = (list) => {
  const sorted = list.slice().sort((a, b) => a - b)
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)]
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

async function atSize(keys) {
  const { primary, secondary, counted, close } = await pairOf(keys)
  const times = { fold: [], follow: [], primaryTick: [], secondaryTick: [] }
  let nth = 0
  for (let round = 0; round <= ROUNDS; round++) {
    await byMany(WRITES, () => write(primary, (nth++ * SCATTER) % keys))
    const fold = (await processorTime(() => primary.tick())) / WRITES
    const follow = (await processorTime(() => secondary.tick())) / WRITES
    // The first round is for the compiler.
    if (round > 0) for (const [name, time] of Object.entries({ fold, follow })) times[name].push(time)
  }
  const [a, b] = [await primary.replication.readStatus(), await secondary.replication.readStatus()]
  if (a.merkle_root !== b.merkle_root) throw new Error('the secondary is not level')
  Object.assign(counted, { messages: 0, bytes: 0 })
  for (let tick = 0; tick < TICKS; tick++) {
    times.primaryTick.push(await processorTime(() => primary.tick()))
    times.secondaryTick.push(await processorTime(() => secondary.tick()))
  }
  await close()
  const found = Object.entries(times).map(([name, list]) => [name, spread(list)])
  return { keys, messages: counted.messages / TICKS, bytes: counted.bytes / TICKS, ...Object.fromEntries(found) }
}

const number = (value) => Math.round(value).toLocaleString('en')
const exactly = (median) => ({ median, low: median, high: median })
const targets = []

const { rate, processor, applied, trees, lags } = await fullRate()
console.log(
  `${IN_FLIGHT} writers for ${SECONDS} s: ${number(rate)} writes a second, by ${ratio(processor)} of a processor. Records behind, each half second: ${lags.join(' ')}.\n`,
)
const milliseconds = (value) => `${number(value)} ms`
targets.push(target('the secondary has every record, after the last write', exactly(applied), { atMost: 1_000 }, milliseconds))
targets.push(target('both trees have it', exactly(trees), { atMost: 1_000 }, milliseconds))

const sizes = []
for (const keys of SIZES) {
  sizes.push(await atSize(keys))
  console.error(`measured ${number(keys)} keys`)
}
const time = ({ median }) => microseconds(median)
console.log(
  table(
    [
      'keys',
      'into the tree, a record',
      'followed, a record',
      'idle tick, primary',
      'idle tick, secondary',
      'its messages',
      'bytes',
    ],
    sizes.map(({ keys, fold, follow, primaryTick, secondaryTick, messages, bytes }) => [
      number(keys),
      time(fold),
      time(follow),
      time(primaryTick),
      time(secondaryTick),
      String(messages),
      number(bytes),
    ]),
  ),
)
const [smallest] = sizes
for (const size of sizes.slice(1)) {
  for (const [name, what] of Object.entries({
    fold: 'into the tree',
    follow: 'followed',
    secondaryTick: 'idle tick of a secondary',
  })) {
    const grown = exactly(size[name].median / smallest[name].median)
    targets.push(target(`${what}, ${number(size.keys)} keys : ${number(smallest.keys)}`, grown, { atMost: 1.3 }, ratio))
  }
}
for (const { keys, messages } of sizes)
  targets.push(target(`messages of an idle tick, ${number(keys)} keys`, exactly(messages), { atMost: 1 }, String))
console.log(`\n${targetTable(targets)}`)
