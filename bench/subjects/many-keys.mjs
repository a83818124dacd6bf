/**
 * A key for each tenant, row or person: what a call costs if the next key is always another one, beside a call with one key.
 *
 * Every figure is a ratio of processor times in one process, because memory that does not fit into the processor's caches is what many keys
 * cost, and another program on the machine takes more of them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeCrypto } from 'strongroom/crypto/node'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { measure, processorTime } from '../measure.mjs'
import { microseconds, ratio, ratioCell, table, target } from '../report.mjs'
import { bytes, openKernel } from '../setup.mjs'

const KEYS = 5_000
const BACKENDS = { default: () => ({}), node: () => ({ crypto: nodeCrypto() }) }
const FITS = { keys: 2 * KEYS, records: 4 * KEYS }
const TOO_SMALL = { keys: KEYS / 10, records: 4 * KEYS }
/** As in a store of a million keys, of which any may be next. */
const COLD = { keys: KEYS / 10, records: KEYS / 10 }
const plaintext = bytes(32)

export const title = 'Many keys'

export const variants = Object.keys(BACKENDS)

/** A kernel with many keys, each of which was used twice. */
async function openKeys(options, keys = KEYS) {
  const { kernel, transit } = await openKernel(options)
  const names = Array.from({ length: keys }, (_, i) => `k${i}`)
  for (const name of names) await transit.createKey({ name })
  const ciphertexts = []
  for (const name of names) ciphertexts.push((await transit.encrypt({ name, plaintext })).ciphertext)
  for (const name of names) await transit.encrypt({ name, plaintext })
  return { kernel, transit, names, ciphertexts }
}

/** Calls `work` with each number in turn, and continues where the last sample ended. */
function inTurn(count, work) {
  let next = 0
  return async (n) => {
    for (let i = 0; i < n; i++) {
      await work(next)
      next = (next + 1) % count
    }
  }
}

const encryptEach = ({ transit, names }) => inTurn(names.length, (i) => transit.encrypt({ name: names[i], plaintext }))

const decryptEach = ({ transit, names, ciphertexts }) =>
  inTurn(names.length, (i) => transit.decrypt({ name: names[i], ciphertext: ciphertexts[i] }))

/** First encryptions with keys that are created before each sample, which is not timed. */
async function firstEncryptions({ transit }, one, rounds = 9, keys = 500) {
  const ratios = []
  let made = 0
  for (let round = 0; round < rounds; round++) {
    const names = Array.from({ length: keys }, () => `first${made++}`)
    for (const name of names) await transit.createKey({ name })
    const first = await timed(async () => {
      for (const name of names) await transit.encrypt({ name, plaintext })
    })
    const known = await timed(() => one(keys * 10))
    if (round > 1) ratios.push((first / known) * 10)
  }
  ratios.sort((a, b) => a - b)
  const at = (share) => ratios[Math.round((ratios.length - 1) * share)]
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

async function timed(work) {
  const begin = processorTime()
  await work()
  return processorTime() - begin
}

export async function run(variant) {
  const options = BACKENDS[variant]()
  const one = await openKernel(options)
  await one.transit.createKey({ name: 'derived', derived: true })
  const name = 'aes256-gcm96'
  const { ciphertext } = await one.transit.encrypt({ name, plaintext })
  const fits = await openKeys({ ...options, cache: FITS })
  const spills = await openKeys({ ...options, cache: TOO_SMALL })
  const spillsToo = await openKeys({ ...options, cache: TOO_SMALL })
  const cold = await openKeys({ ...options, cache: COLD })
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-keys-'))
  const onDisk = await openKeys({ ...options, cache: FITS, storage: await lmdbStorage({ path: join(folder, 'fits') }) })
  const diskSpills = await openKeys({
    ...options,
    cache: TOO_SMALL,
    storage: await lmdbStorage({ path: join(folder, 'spills') }),
  })
  const context = new Uint8Array(16)
  const counter = new DataView(context.buffer)
  let contexts = 0
  const encryptOne = async (n) => {
    for (let i = 0; i < n; i++) await one.transit.encrypt({ name, plaintext })
  }
  const known = bytes(16)
  const rounds = await measure(
    {
      'encrypt, one key': encryptOne,
      'decrypt, one key': async (n) => {
        for (let i = 0; i < n; i++) await one.transit.decrypt({ name, ciphertext })
      },
      'encrypt, 5,000 keys in the cache': encryptEach(fits),
      'decrypt, 5,000 keys in the cache': decryptEach(fits),
      'encrypt, 5,000 keys, cache of 500': encryptEach(spills),
      'decrypt, 5,000 keys, cache of 500': decryptEach(spillsToo),
      'decrypt, 5,000 keys, cache of 500 keys and 500 records': decryptEach(cold),
      'encrypt, 5,000 keys in the cache, LMDB': encryptEach(onDisk),
      'decrypt, 5,000 keys, cache of 500, LMDB': decryptEach(diskSpills),
      'encrypt, derived, a new context': async (n) => {
        for (let i = 0; i < n; i++) {
          counter.setUint32(0, contexts++)
          await one.transit.encrypt({ name: 'derived', plaintext, context })
        }
      },
      'encrypt, derived, a known context': async (n) => {
        for (let i = 0; i < n; i++) await one.transit.encrypt({ name: 'derived', plaintext, context: known })
      },
    },
    { now: processorTime, rounds: 9 },
  )
  const first = await firstEncryptions(fits, encryptOne)
  for (const { kernel } of [one, fits, spills, spillsToo, cold, onDisk, diskSpills]) await kernel.close()
  rmSync(folder, { recursive: true })
  return report(variant, rounds, first)
}

/** How many times as long as the same call with one key. */
const times = (rounds, candidate, base) => rounds.speed(base, candidate)

function report(variant, rounds, first) {
  const baseOf = (candidate) => (candidate.startsWith('decrypt') ? 'decrypt, one key' : 'encrypt, one key')
  const limits = {
    'encrypt, 5,000 keys in the cache': 3.5,
    'decrypt, 5,000 keys in the cache': 3.5,
    // Each call reads records and opens them, builds a key, and wipes another one. None of these takes a third of the time.
    'encrypt, 5,000 keys, cache of 500': 9.5,
    'decrypt, 5,000 keys, cache of 500': 9.5,
    'decrypt, 5,000 keys, cache of 500 keys and 500 records': 18,
    // One derivation by HKDF (two HMACs of noble), and building the key.
    'encrypt, derived, a new context': 5.2,
    'encrypt, derived, a known context': 1.5,
  }
  const rows = rounds.names.map((candidate) => [
    candidate,
    microseconds(rounds.time(candidate).median),
    ratioCell(times(rounds, candidate, baseOf(candidate))),
  ])
  rows.push(['encrypt, first use of a key, with its reservation', '', ratioCell(first)])
  const pairs = [
    ['encrypt, 5,000 keys in the cache', 'encrypt, 5,000 keys in the cache, LMDB'],
    ['decrypt, 5,000 keys, cache of 500', 'decrypt, 5,000 keys, cache of 500, LMDB'],
  ]
  const targets = [
    ...Object.entries(limits).map(([candidate, atMost]) =>
      target(`${variant}: ${candidate} : one key`, times(rounds, candidate, baseOf(candidate)), { atMost }, ratio),
    ),
    target(`${variant}: encrypt, first use of a key : one key`, first, { atMost: 28 }, ratio),
    ...pairs.map(([memory, lmdb]) => target(`${variant}: ${lmdb} : memory`, rounds.speed(memory, lmdb), { atMost: 1.3 }, ratio)),
  ]
  return { targets, text: table(['', 'processor time', 'in calls with one key'], rows) }
}
