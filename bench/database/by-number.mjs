/**
 * What static roles cost a kernel in which none of them is due, by their number: a tick, and its heap. The store is LMDB, whose records lie
 * outside of the heap.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keySeal } from 'strongroom'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { fakeDatabasePlugin } from 'strongroom/testing'
import { each, oneByOne } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'
import { openKernel } from './world.mjs'

const SIZES = [100, 100_000]
const AT_ONCE = 256
const OPENINGS = 5

const FAKE = { connection_url: 'fake:', username: 'root', password: 'root-password' }

async function fill(path, seal, size) {
  const storage = lmdbStorage({ path })
  const plugin = fakeDatabasePlugin()
  plugin.addUser('owner', 'first')
  const kernel = await openKernel(plugin, FAKE, { storage, seal })
  await each(size, AT_ONCE, (at) =>
    kernel.database.writeStaticRole({ name: `s${at}`, db_name: 'db', username: 'owner', rotation_period: 86_400 }),
  )
  await kernel.close()
  await storage.close()
}

function heapUsed() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

async function open(path, seal) {
  const storage = lmdbStorage({ path })
  const kernel = await openKernel(fakeDatabasePlugin(), FAKE, { storage, seal })
  const close = async () => {
    await kernel.close()
    await storage.close()
  }
  return { kernel, close }
}

/** The heap of a kernel that is open and has ticked, of all the process uses. */
async function heapOf(path, seal) {
  const { kernel, close } = await open(path, seal)
  await kernel.tick()
  const used = heapUsed()
  await close()
  return used
}

const spread = (samples) => {
  const sorted = samples.toSorted((a, b) => a - b)
  return { median: sorted[sorted.length >> 1], low: sorted[1], high: sorted.at(-2) }
}

export async function byNumber() {
  const seal = keySeal(new Uint8Array(32).fill(7))
  const paths = SIZES.map(() => mkdtempSync(join(tmpdir(), 'strongroom-bench-')))
  try {
    for (const [at, size] of SIZES.entries()) await fill(paths[at], seal, size)
    const heaps = SIZES.map(() => [])
    for (let round = 0; round <= OPENINGS; round++)
      for (const at of SIZES.keys()) {
        const used = await heapOf(paths[at], seal)
        if (round > 0) heaps[at].push(used)
      }
    const [few, most] = await Promise.all(paths.map((path) => open(path, seal)))
    const ticks = await measure({ few: oneByOne(() => few.kernel.tick()), most: oneByOne(() => most.kernel.tick()) })
    await few.close()
    await most.close()
    const [first, last] = SIZES.map((size) => `${size.toLocaleString('en')} static roles`)
    const mebibytes = (samples) => `${(spread(samples).median / 2 ** 20).toFixed(1)} MiB`
    const rows = [
      ['tick with nothing due', microseconds(ticks.time('few').median), microseconds(ticks.time('most').median)],
      ['heap with a kernel open', ...heaps.map(mebibytes)],
    ]
    const grown = spread(heaps[1].map((used, round) => used / heaps[0][round]))
    const targets = [
      target(`tick with nothing due: with ${last} : with ${first}`, ticks.speed('few', 'most'), { atMost: 2 }, ratio),
      target(`heap of an open kernel: with ${last} : with ${first}`, grown, { atMost: 1.2 }, ratio),
    ]
    return { targets, text: table(['', first, last], rows) }
  } finally {
    for (const path of paths) rmSync(path, { recursive: true, force: true })
  }
}
