/**
 * What secret sync costs those who do nothing with it: a tick with nothing due, by the number of associations, on LMDB; and in memory a write
 * to a mount without associations, beside the same write in a kernel of engines without `sync()`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keySeal, memoryStorage } from 'strongroom'
import { kv, sync } from 'strongroom/engines'
import { createKernel } from 'strongroom/kernel'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { fakeSyncDestination } from 'strongroom/testing'
import { each, oneByOne } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target, timeCell } from '../report.mjs'

const SIZES = [10, 10_000]
const AT_ONCE = 64
const SECRETS = 1000
/** The bound lies so close that few rounds would leave it to chance. */
const ROUNDS = 41
const DATA = { user: 'app', password: 'x'.repeat(32), host: 'db.example', port: 5432 }
const DESTINATION = { type: 'cloud-a-sm', name: 'd' }

export const title = 'Secret sync'

const WITH = () => ({ engines: [kv(), sync()], ports: { sync: { [DESTINATION.type]: fakeSyncDestination() } } })
const WITHOUT = () => ({ engines: [kv()] })

async function open(storage, chosen) {
  const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(7)), initialize: true, ...chosen })
  for (const path of ['kv', 'pushed']) await kernel.mounts.createMount({ path, type: 'kv', options: { version: '2' } })
  return kernel
}

async function associate(kernel, count) {
  await kernel.sync.writeCloudASm({ name: DESTINATION.name, region: 'eu-west-1', secret_name_template: '{{ .SecretPath }}' })
  const secrets = kernel.kv2.at('pushed/')
  await each(count, AT_ONCE, async (at) => {
    const secret_name = `s${at}`
    await secrets.writeSecret({ path: secret_name, data: DATA })
    await kernel.sync.setAssociation({ ...DESTINATION, mount: 'pushed', secret_name })
  })
  for (let due = true; due; ) {
    const { done, more } = await kernel.tick()
    due = done > 0 || more
  }
}

async function filled(path, size) {
  const storage = lmdbStorage({ path })
  const kernel = await open(storage, WITH())
  await associate(kernel, size)
  const close = async () => {
    await kernel.close()
    await storage.close()
  }
  return { kernel, close }
}

async function ticks() {
  const paths = SIZES.map(() => mkdtempSync(join(tmpdir(), 'strongroom-bench-')))
  try {
    const [few, most] = [await filled(paths[0], SIZES[0]), await filled(paths[1], SIZES[1])]
    const rounds = await measure({ few: oneByOne(() => few.kernel.tick()), most: oneByOne(() => most.kernel.tick()) })
    await few.close()
    await most.close()
    const [first, last] = SIZES.map((size) => `${size.toLocaleString('en')} associations`)
    const rows = [['tick with nothing due', microseconds(rounds.time('few').median), microseconds(rounds.time('most').median)]]
    const what = `tick with nothing due: with ${last} : with ${first}`
    return { targets: [target(what, rounds.speed('few', 'most'), { atMost: 2 }, ratio)], text: table(['', first, last], rows) }
  } finally {
    for (const path of paths) rmSync(path, { recursive: true, force: true })
  }
}

/** A loop of its own for each candidate. */
const writing = (secrets) => async (n) => {
  for (let i = 0; i < n; i++) await secrets.writeSecret({ path: `app/service-${i % SECRETS}`, data: DATA })
}

async function writes() {
  const [synced, plain] = [await open(memoryStorage(), WITH()), await open(memoryStorage(), WITHOUT())]
  await associate(synced, 1)
  const candidates = { synced: writing(synced.kv2.at('kv/')), plain: writing(plain.kv2.at('kv/')) }
  // As many versions as are kept, so that all writes are alike.
  for (const fill of Object.values(candidates)) await fill(11 * SECRETS)
  const rounds = await measure(candidates, { rounds: ROUNDS })
  await synced.close()
  await plain.close()
  const what = 'write to a mount without associations: with sync() : without'
  const rows = [['write', timeCell(rounds.time('synced')), timeCell(rounds.time('plain'))]]
  return {
    targets: [target(what, rounds.speed('plain', 'synced'), { atMost: 1.05 }, ratio)],
    text: table(['mount without associations', 'engines with sync()', 'without'], rows),
  }
}

export async function run() {
  const parts = [await ticks(), await writes()]
  return { targets: parts.flatMap(({ targets }) => targets), text: parts.map(({ text }) => text).join('\n\n') }
}
