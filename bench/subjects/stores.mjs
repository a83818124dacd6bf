/**
 * Stores by their number of secrets, in memory and on LMDB: opening a kernel, its memory, and what operations cost. Opening may not depend on
 * the number, operations hardly. `SECRETS=1000000` measures with a million too, which takes minutes to fill in.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { copyStorage, createKernel, keySeal, memoryStorage } from 'strongroom'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'

const MOST = Number(process.env.SECRETS ?? 100_000)
const SIZES = [1000, 100_000, 1_000_000].filter((size) => size <= MOST)
const FOLDER = 100
const SEAL = keySeal(new Uint8Array(32).fill(7))
/** Small, so that reads of random secrets go to the store. */
const CACHE = { records: 64, keys: 8 }
const OPENINGS = 9

export const title = `Stores by their number of secrets (${SIZES.map((size) => size.toLocaleString('en')).join(', ')})`

const pathOf = (n) => `app/${Math.floor(n / FOLDER)}/${n % FOLDER}`
const median = (times) => times.slice().sort((a, b) => a - b)[times.length >> 1]
const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`

async function filled(size) {
  const storage = memoryStorage()
  const kernel = await createKernel({ storage, seal: SEAL, initialize: true, cache: CACHE })
  await kernel.transit.createKey({ name: 'orders' })
  const data = { username: 'application', password: 'correct horse battery staple' }
  let next = 0
  const fill = async () => {
    while (next < size) await kernel.kv.writeSecret({ path: pathOf(next++), data })
  }
  await Promise.all(Array.from({ length: 64 }, fill))
  await kernel.close()
  return storage
}

/**
 * How long a kernel takes to open and to encrypt for the first time, and what it holds then: of each store in every round, so that what
 * the machine does meanwhile meets all of them. The first round warms up.
 */
async function openings(stores) {
  const all = stores.map(() => ({ open: [], encrypt: [], heap: [] }))
  for (let round = 0; round <= OPENINGS; round++) {
    for (const [at, { storage }] of stores.entries()) {
      globalThis.gc?.()
      const before = process.memoryUsage().heapUsed
      const start = performance.now()
      const kernel = await createKernel({ storage, seal: SEAL, cache: CACHE })
      const opened = performance.now()
      await kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(32) })
      const encrypted = performance.now()
      const heap = process.memoryUsage().heapUsed - before
      await kernel.close()
      if (round === 0) continue
      all[at].open.push((opened - start) * 1000)
      all[at].encrypt.push((encrypted - opened) * 1000)
      all[at].heap.push(heap)
    }
  }
  return all
}

/** The last store against the first, round by round. */
function growth(all, what) {
  const ratios = all
    .at(-1)
    [what].map((value, round) => value / all[0][what][round])
    .sort((a, b) => a - b)
  const at = (share) => ratios[Math.round((ratios.length - 1) * share)]
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

const OPERATIONS = {
  'read a secret, not cached': ({ kernel, size }) => kernel.kv.readSecret({ path: pathOf(Math.floor(Math.random() * size)) }),
  'read a secret, cached': ({ kernel }) => kernel.kv.readSecret({ path: pathOf(7) }),
  'list a folder of 100': ({ kernel, size }) =>
    kernel.kv.listSecrets({ path: `app/${Math.floor((Math.random() * size) / FOLDER)}` }),
  'write over a secret': ({ kernel, size }) =>
    kernel.kv.writeSecret({ path: pathOf(Math.floor(Math.random() * size)), data: { password: 'correct horse battery staple' } }),
  encrypt: ({ kernel }) => kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(32) }),
}

async function compare(kind, stores) {
  const label = (size) => size.toLocaleString('en')
  const rows = []
  const targets = []
  const [first, last] = [stores[0], stores.at(-1)]
  const own = await openings(stores)
  for (const [what, name] of [
    ['open', 'open a kernel'],
    ['encrypt', 'first encryption after that'],
  ]) {
    const cost = growth(own, what)
    rows.push([name, ...own.map((rounds) => microseconds(median(rounds[what]))), ratio(cost.median)])
    if (first !== last)
      targets.push(target(`${kind}, ${name}: ${label(last.size)} : ${label(first.size)}`, cost, { atMost: 2 }, ratio))
  }
  rows.push(['heap of an open kernel', ...own.map(({ heap }) => mebibytes(median(heap))), ''])
  const kernels = []
  for (const { storage, size } of stores)
    kernels.push({ size, kernel: await createKernel({ storage, seal: SEAL, cache: CACHE }) })
  for (const [name, act] of Object.entries(OPERATIONS)) {
    const candidates = Object.fromEntries(
      kernels.map((kernel) => [
        label(kernel.size),
        async (n) => {
          for (let i = 0; i < n; i++) await act(kernel)
        },
      ]),
    )
    const rounds = await measure(candidates)
    // Times: the slower one has the larger.
    const cost = rounds.speed(label(first.size), label(last.size))
    rows.push([name, ...rounds.names.map((size) => microseconds(rounds.time(size).median)), ratio(cost.median)])
    if (first !== last)
      targets.push(target(`${kind}, ${name}: ${label(last.size)} : ${label(first.size)}`, cost, { atMost: 3 }, ratio))
  }
  for (const { kernel } of kernels) await kernel.close()
  return { targets, text: `### ${kind}\n\n${table(['', ...stores.map(({ size }) => label(size)), 'largest : smallest'], rows)}` }
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  const [memory, lmdb, sizes] = [[], [], []]
  try {
    for (const size of SIZES) {
      const storage = await filled(size)
      memory.push({ size, storage })
      const path = join(folder, String(size))
      const copy = lmdbStorage({ path })
      const start = performance.now()
      const { records } = await copyStorage(storage, copy)
      const seconds = (performance.now() - start) / 1000
      lmdb.push({ size, storage: copy })
      sizes.push([
        size.toLocaleString('en'),
        records.toLocaleString('en'),
        mebibytes(statSync(join(path, 'data.mdb')).size),
        `${seconds.toFixed(2)} s`,
      ])
    }
    const results = [await compare('memory', memory), await compare('LMDB', lmdb)]
    const copies = table(['secrets', 'records', 'LMDB file', 'copied from memory to LMDB, and compared'], sizes)
    return {
      targets: results.flatMap(({ targets }) => targets),
      text: [...results.map(({ text }) => text), copies].join('\n\n'),
    }
  } finally {
    for (const { storage } of [...lmdb, ...memory]) await storage.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
