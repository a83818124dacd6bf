/** A table brought forward: `rewrapAll` of 100,000 ciphertexts, with two threads and without. */
import { performance } from 'node:perf_hooks'
import { nodeCrypto } from 'strongroom/crypto/node'
import { nodeWorkers } from 'strongroom/workers/node'
import { microseconds, ratio, ratioCell, table, target } from '../report.mjs'
import { bytes, openKernel } from '../setup.mjs'

const ITEMS = 100_000
const THREADS = 2
const CONCURRENCY = 4
const ROUNDS = 5
const BACKENDS = { default: () => ({}), node: () => ({ crypto: nodeCrypto() }) }
const SIZES = { '32 B': 32, '256 B': 256, '1 KiB': 1024 }
/** The event loop keeps what native code does. It must not get slower by threads that cannot help. */
const NATIVE = { 'aes256-gcm96': 0.9 }
const TARGETS = { default: NATIVE, node: NATIVE }

export const title = `rewrapAll of ${ITEMS.toLocaleString('en')} items with ${THREADS} threads`

export const variants = Object.keys(BACKENDS)

/** Ciphertexts under version 1 of a key that has two. */
async function opened(options, name, length) {
  const { kernel, transit } = await openKernel(options)
  const batch_input = Array.from({ length: 1000 }, () => ({ plaintext: bytes(length) }))
  const { batch_results } = await transit.encryptBatch({ name, batch_input })
  await transit.rotateKey({ name })
  const items = Array.from({ length: ITEMS }, (_, i) => ({ ciphertext: batch_results[i % 1000].ciphertext, reference: `${i}` }))
  return { kernel, walk: () => transit.rewrapAll({ name, items }, { concurrency: CONCURRENCY }) }
}

/** Milliseconds of one walk over all items. */
async function walked({ walk }) {
  const start = performance.now()
  for await (const { error } of walk()) if (error) throw error
  return performance.now() - start
}

function statistics(samples) {
  const sorted = samples.slice().sort((a, b) => a - b)
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)]
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** @param variant `default` or `node` */
export async function run(variant) {
  const [rows, targets] = [[], []]
  const cases = Object.entries(TARGETS[variant]).flatMap(([name, atLeast]) =>
    Object.entries(SIZES).map(([size, length]) => ({ name, atLeast, size, length })),
  )
  for (const { name, atLeast, size, length } of cases) {
    const alone = await opened(BACKENDS[variant](), name, length)
    const helped = await opened({ ...BACKENDS[variant](), workers: nodeWorkers(THREADS) }, name, length)
    await walked(helped)
    const [without, withWorkers, gains] = [[], [], []]
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await walked(alone))
      withWorkers.push(await walked(helped))
      gains.push(without.at(-1) / withWorkers.at(-1))
    }
    const gain = statistics(gains)
    const each = (samples) => microseconds((statistics(samples).median * 1000) / ITEMS)
    rows.push([`${name}, ${size}`, each(without), each(withWorkers), ratioCell(gain)])
    targets.push(target(`rewrap of 100,000 x ${size}, ${name}, ${variant}: without threads : with`, gain, { atLeast }, ratio))
    await Promise.all([alone.kernel.close(), helped.kernel.close()])
  }
  return { targets, text: table(['', 'an item without threads', 'an item with', 'without : with'], rows) }
}
