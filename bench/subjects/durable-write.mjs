/** Writes that survive a crash: new keys on LMDB, against a bare transaction of the engine that writes as many bytes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table } from '../report.mjs'
import { openKernel } from '../setup.mjs'

const IN_FLIGHT = 64
/** About what a new key writes: its ring, its bytes, the id of the commit. */
const VALUE = Buffer.alloc(400, 1)
const KEYS = 4

export const title = 'Durable writes on LMDB'

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  const storage = lmdbStorage({ path: join(folder, 'kernel') })
  const bare = open({ path: join(folder, 'bare'), overlappingSync: false, encoding: 'binary' })
  try {
    const { kernel, transit } = await openKernel({ storage })
    let at = 0
    const createFresh = async () => {
      const name = `fresh-${at++}`
      await transit.createKey({ name })
    }
    const put = () => {
      const n = at++
      return bare.transaction(() => {
        for (let i = 0; i < KEYS; i++) bare.putSync(`r/mount/folder/${n}/${i}`, VALUE)
      })
    }
    const together = (work) => async (n) => {
      for (let i = 0; i < n; i++) await Promise.all(Array.from({ length: IN_FLIGHT }, work))
    }
    const one = await measure({
      kernel: async (n) => {
        for (let i = 0; i < n; i++) await createFresh()
      },
      'bare engine': async (n) => {
        for (let i = 0; i < n; i++) await put()
      },
    })
    const many = await measure({ kernel: together(createFresh), 'bare engine': together(put) })
    await kernel.close()
    const row = (label, rounds, count) => [
      label,
      ...rounds.names.map((name) => microseconds(rounds.time(name).median / count)),
      ratio(rounds.speed('kernel', 'bare engine').median),
    ]
    const rows = [row('one at a time', one, 1), row(`${IN_FLIGHT} in flight, per write`, many, IN_FLIGHT)]
    return { targets: [], text: table(['create a key', ...one.names, 'kernel : bare engine'], rows) }
  } finally {
    await storage.close()
    await bare.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
