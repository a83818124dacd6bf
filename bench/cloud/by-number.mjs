/**
 * What a tick costs where none of the static roles is due, by their number. The store is LMDB.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keySeal } from 'strongroom'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { fakeCloudProvider } from 'strongroom/testing'
import { each, oneByOne } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'
import { openKernel, ROOT } from './world.mjs'

const SIZES = [100, 100_000]
const AT_ONCE = 256

async function filled(path, size) {
  const storage = lmdbStorage({ path })
  const seal = keySeal(new Uint8Array(32).fill(7))
  const users = Object.fromEntries(Array.from({ length: size }, (_, at) => [`u${at}`, 0]))
  const kernel = await openKernel(fakeCloudProvider({ root: ROOT, users }), ROOT, { storage, seal })
  await each(size, AT_ONCE, (at) => kernel.cloud.writeStaticRole({ name: `s${at}`, username: `u${at}`, rotation_period: 86_400 }))
  const close = async () => {
    await kernel.close()
    await storage.close()
  }
  return { kernel, close }
}

export async function byNumber() {
  const paths = SIZES.map(() => mkdtempSync(join(tmpdir(), 'strongroom-bench-')))
  try {
    const [few, most] = [await filled(paths[0], SIZES[0]), await filled(paths[1], SIZES[1])]
    const ticks = await measure({ few: oneByOne(() => few.kernel.tick()), most: oneByOne(() => most.kernel.tick()) })
    await few.close()
    await most.close()
    const [first, last] = SIZES.map((size) => `${size.toLocaleString('en')} static roles`)
    const rows = [['tick with nothing due', microseconds(ticks.time('few').median), microseconds(ticks.time('most').median)]]
    const targets = [
      target(`tick with nothing due: with ${last} of a cloud : with ${first}`, ticks.speed('few', 'most'), { atMost: 2 }, ratio),
    ]
    return { targets, text: table(['', first, last], rows) }
  } finally {
    for (const path of paths) rmSync(path, { recursive: true, force: true })
  }
}
