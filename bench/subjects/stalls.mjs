/** How long the event loop is kept from its other work: the longest time between two of its turns while something large is done. */
import { performance } from 'node:perf_hooks'
import { nobleCrypto } from 'strongroom'
import { nodeCrypto } from 'strongroom/crypto/node'
import { microseconds, table, target } from '../report.mjs'
import { bytes, openKernel } from '../setup.mjs'

const NAME = 'aes256-gcm96'
const MIB = 1_048_576
const ITEMS = 10_000
const ROUNDS = 9
const MOST_US = 10_000
/** A garbage collection happens during the longest turn of a batch. */
const MOST_WITH_COLLECTION_US = 12_500

export const title = 'Longest stalls of the event loop'

/** Microseconds. */
async function longestStall(work) {
  let over = false
  let longest = 0
  let last = performance.now()
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!over) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  await new Promise((resolve) => setImmediate(resolve))
  over = true
  return longest * 1000
}

const BACKENDS = {
  default: () => nobleCrypto(),
  'noble alone': () => nobleCrypto({ accelerate: false }),
  node: () => nodeCrypto(),
}

const WORK = {
  '16 encryptions of 1 MiB at once': ({ transit }) => {
    const plaintext = bytes(MIB)
    return () => Promise.all(Array.from({ length: 16 }, () => transit.encrypt({ name: NAME, plaintext })))
  },
  'an encryption of 1 MiB': ({ transit }) => {
    const plaintext = bytes(MIB)
    return () => transit.encrypt({ name: NAME, plaintext })
  },
  'a batch of 10,000, encrypt 32 B': ({ transit }) => {
    const batch_input = Array.from({ length: ITEMS }, () => ({ plaintext: bytes(32) }))
    return () => transit.encryptBatch({ name: NAME, batch_input })
  },
  'a batch of 10,000, sign ed25519': ({ transit }) => {
    const batch_input = Array.from({ length: ITEMS }, () => ({ input: bytes(64) }))
    return () => transit.signBatch({ name: 'ed25519', batch_input })
  },
  'an RSA-4096 key': ({ transit }) => {
    let n = 0
    return () => transit.createKey({ name: `rsa-${n++}`, type: 'rsa-4096' })
  },
}

/** Microseconds: of several rounds. */
function statistics(samples) {
  const sorted = samples.slice().sort((a, b) => a - b)
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)]
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

export async function run() {
  const rows = []
  const targets = []
  for (const [what, prepare] of Object.entries(WORK)) {
    const cells = [what]
    for (const [name, crypto] of Object.entries(BACKENDS)) {
      const setup = await openKernel({ crypto: crypto() })
      const work = prepare(setup)
      await work()
      const stalls = []
      for (let round = 0; round < ROUNDS; round++) stalls.push(await longestStall(work))
      await setup.kernel.close()
      const stall = statistics(stalls)
      cells.push(microseconds(stall.median))
      // Sixteen calls of OpenSSL in a row are what that backend is asked for.
      const isStated = name === 'node' && what.startsWith('16')
      const atMost = what.startsWith('a batch') ? MOST_WITH_COLLECTION_US : MOST_US
      if (!isStated) targets.push(target(`longest stall, ${what}, ${name}`, stall, { atMost }, microseconds))
    }
    rows.push(cells)
  }
  return { targets, text: table(['', ...Object.keys(BACKENDS)], rows) }
}
