/**
 * What replication costs a primary that nobody follows: calls of a kernel with it on against one with it off, on memory, on LMDB, and on the
 * PostgreSQL that DATABASE_URL names. What is done behind the writers has a line of its own. With STRONGROOM_BEFORE, the path of another build's `index.js`, off is also held against that one; and reads of a secondary
 * against those of a kernel that follows nobody.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { createKernel, inProcessNetwork, keySeal, memoryStorage } from 'strongroom'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { postgresqlStorage } from 'strongroom/storage/postgresql'
import { oneByOne, together } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, ratioCell, table, target } from '../report.mjs'

const SEAL = keySeal(new Uint8Array(32).fill(7))
const SECRET = { password: 'x'.repeat(85) }
const PLACES = 500
const ROUNDS = 15
const WRITERS = 64
const KERNELS = 4
const CALLS = 10

export const title = 'Replication'

const WRITES = {
  'create a token': ({ kernel }) => kernel.tokens.createToken({ policies: ['default'] }),
  'create a key': (opened) => opened.kernel.transit.createKey({ name: `key-${opened.at++}` }),
  'write a secret of 100 B': (opened) => opened.kernel.kv.writeSecret({ path: `app/${opened.at++ % PLACES}`, data: SECRET }),
}

const READS = {
  'read a secret': ({ kernel }) => kernel.kv.readSecret({ path: 'app/7' }),
  'encrypt 32 B': ({ kernel }) => kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(32) }),
}

async function open(storage, { on = false, create = createKernel, network } = {}) {
  const ports = network ? { ports: { replication: network } } : {}
  const kernel = await create({ storage, seal: SEAL, initialize: true, ...ports })
  if (on) {
    await kernel.replication.enablePrimary({})
    await kernel.tick()
  }
  return { kernel, at: 0 }
}

/** How many times as long `own` takes as `base`: the other way round than a speed. */
const cost = (rounds, own, base) => rounds.speed(base, own)

async function writing(where, make, limitOf, ways) {
  const before = process.env.STRONGROOM_BEFORE
  const candidates = { off: await open(await make('off')), on: await open(await make('on'), { on: true }) }
  if (before) {
    const { createKernel: create } = await import(pathToFileURL(before).href)
    candidates.before = await open(await make('before'), { create })
  }
  const rows = []
  const targets = []
  for (const [way, how] of Object.entries(ways)) {
    for (const [name, act] of Object.entries(WRITES)) {
      const works = Object.entries(candidates).map(([label, one]) => [label, how(() => act(one))])
      const rounds = await measure(Object.fromEntries(works), { rounds: ROUNDS })
      const [onToOff, offToBefore] = [cost(rounds, 'on', 'off'), before && cost(rounds, 'off', 'before')]
      rows.push([
        `${where}, ${way}: ${name}`,
        microseconds(rounds.time('off').median),
        microseconds(rounds.time('on').median),
        ratioCell(onToOff),
        offToBefore ? ratioCell(offToBefore) : '',
      ])
      targets.push(target(`replication on : off, ${where}, ${way}: ${name}`, onToOff, { atMost: limitOf(name) }, ratio))
      if (offToBefore)
        targets.push(target(`replication off : before, ${where}, ${way}: ${name}`, offToBefore, { atMost: 1.05 }, ratio))
    }
  }
  for (const { kernel } of Object.values(candidates)) await kernel.close()
  return { rows, targets }
}

/** What the tree takes for each record of the log, behind the writers. */
async function folding() {
  const opened = await open(memoryStorage(), { on: true })
  const times = []
  for (let round = 0; round < 7; round++) {
    await Promise.all(Array.from({ length: PLACES }, () => WRITES['write a secret of 100 B'](opened)))
    const begin = performance.now()
    await opened.kernel.tick()
    times.push(((performance.now() - begin) * 1000) / PLACES)
  }
  await opened.kernel.close()
  return times.sort((a, b) => a - b)[times.length >> 1]
}

async function reading() {
  const network = inProcessNetwork()
  const primary = await open(memoryStorage(), { on: true, network })
  const alone = await open(memoryStorage())
  for (const { kernel } of [primary, alone]) {
    await kernel.transit.createKey({ name: 'orders' })
    await kernel.kv.writeSecret({ path: 'app/7', data: SECRET })
  }
  const secondary = await open(memoryStorage(), { network })
  const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'b' })
  await secondary.kernel.replication.enableSecondary({ token: wrap_info.token })
  await secondary.kernel.tick()
  const rows = []
  const targets = []
  for (const [name, act] of Object.entries(READS)) {
    const rounds = await measure(
      { alone: oneByOne(() => act(alone)), secondary: oneByOne(() => act(secondary)) },
      { rounds: 2 * ROUNDS },
    )
    const speed = rounds.speed('secondary', 'alone')
    rows.push([name, microseconds(rounds.time('alone').median), microseconds(rounds.time('secondary').median), ratioCell(speed)])
    targets.push(target(`secondary : kernel alone, ${name}`, speed, { atLeast: 0.97 }, ratio))
  }
  for (const { kernel } of [primary, secondary, alone]) await kernel.close()
  return { rows, targets }
}

/** Commits that met another one: callers of several kernels on one store, which know nothing of each other. */
async function conflicts(on, act) {
  const inner = memoryStorage()
  const counted = { commits: 0, conflicts: 0 }
  const commit = async (ops, id) => {
    const verdict = await inner.commit(ops, id)
    counted.commits++
    if (!verdict.ok) counted.conflicts++
    return verdict
  }
  const storage = { ...inner, commit }
  const first = await open(storage, { on })
  await first.kernel.transit.createKey({ name: 'orders' })
  const all = [first]
  while (all.length < KERNELS) all.push(await open(storage))
  // Keys by several kernels have names of their own.
  for (const [at, one] of all.entries()) one.at = at * 1_000_000
  Object.assign(counted, { commits: 0, conflicts: 0 })
  const caller = async (opened) => {
    for (let n = 0; n < CALLS; n++) await act(opened)
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, at) => caller(all[at % KERNELS])))
  for (const { kernel } of all) await kernel.close()
  return counted
}

const MEETINGS = {
  'secrets of their own': WRITES['write a secret of 100 B'],
  'keys of their own': WRITES['create a key'],
  'one key': ({ kernel }) => kernel.transit.rotateKey({ name: 'orders' }),
}

/** Each several times, since who comes first is chance. */
async function meeting() {
  const rows = []
  const targets = []
  for (const [name, act] of Object.entries(MEETINGS)) {
    const counts = { off: [], on: [] }
    for (let round = 0; round < 5; round++)
      for (const on of [false, true]) counts[on ? 'on' : 'off'].push((await conflicts(on, act)).conflicts)
    const [off, on] = [counts.off, counts.on].map((list) => list.sort((a, b) => a - b))
    const spread = ([low, , median, , high]) => ({ median, low, high })
    const shown = (list) => `${list[2]} (${list[0]} to ${list[4]})`
    rows.push([`${WRITERS} writers on ${KERNELS} kernels, ${name}`, shown(off), shown(on), String(WRITERS * CALLS)])
    targets.push(target(`conflicts with replication on, ${WRITERS} writers, ${name}`, spread(on), { atMost: off[4] }, String))
  }
  return { rows, targets }
}

export async function run() {
  // A log entry costs about 25 us, as much as such a write itself.
  const memoryLimit = (name) => (name.startsWith('write') ? 2.2 : 1.5)
  const stores = [await writing('memory', async () => memoryStorage(), memoryLimit, { 'one at a time': oneByOne })]
  const ways = { 'one at a time': oneByOne, '64 in flight': together }
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  const opened = []
  const kept = (storage) => {
    opened.push(storage)
    return storage
  }
  try {
    stores.push(
      await writing(
        'LMDB',
        async (name) => kept(lmdbStorage({ path: join(folder, name) })),
        () => 1.55,
        ways,
      ),
    )
    const connectionString = process.env.DATABASE_URL
    if (connectionString) {
      const { Pool } = await import('pg')
      const pool = new Pool({ connectionString, max: 10 })
      const schemas = []
      const make = async (name) => {
        const schema = `strongroom_bench_${process.pid}_${name}`
        schemas.push(schema)
        return kept(postgresqlStorage({ pool, schema }))
      }
      try {
        stores.push(await writing('PostgreSQL', make, () => 1.2, ways))
      } finally {
        for (const schema of schemas) await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
        await Promise.all(opened.splice(0).map((storage) => storage.close()))
        await pool.end()
      }
    }
  } finally {
    await Promise.all(opened.map((storage) => storage.close()))
    rmSync(folder, { recursive: true, force: true })
  }
  const [reads, met, fold] = [await reading(), await meeting(), await folding()]
  const text = [
    table(
      ['', 'off', 'on', 'on : off', 'off : before'],
      stores.flatMap(({ rows }) => rows),
    ),
    table(['', 'kernel alone', 'secondary', 'secondary : alone'], reads.rows),
    table(['conflicts', 'off', 'on', 'writes'], met.rows),
    `Folding a log entry into the Merkle tree, after the writes: ${microseconds(fold)} with memory storage, 500 entries at a time.`,
  ].join('\n\n')
  return { text, targets: [...stores.flatMap(({ targets }) => targets), ...reads.targets, ...met.targets] }
}
