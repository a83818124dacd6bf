/**
 * Measures the comparison of two Merkle trees: `node bench/replication/diff.mjs [numbers of keys]`, after a build. Prints a table per number of keys; its rows are
 * the numbers of keys that differ. Bytes are those of the messages in both directions; times are those of both sides in one process, with
 * records in memory. A third of the differing keys is missing here, a third there, and the rest has other values.
 */
import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { systemClock } from '../../dist/core/base/clock.js'
import { nobleCrypto } from '../../dist/core/crypto/noble/index.js'
import { buildPages } from '../../dist/sys/replication/tree/build.js'
import { answerRequest } from '../../dist/sys/replication/tree/diff/answer-request.js'
import { compareTrees } from '../../dist/sys/replication/tree/diff/compare-trees.js'
import { fold } from '../../dist/sys/replication/tree/fold.js'
import { readRoots } from '../../dist/sys/replication/tree/stored-tree.js'
import { TreeKeys } from '../../dist/sys/replication/tree/tree-keys.js'
import { microseconds, table, target, targetTable } from '../report.mjs'

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000, 1_000_000]
const DIFFERING = [0, 1, 10, 100, 1_000, 10_000]
const DOMAINS = 10
const WRITES = 100
/** No divisor in common with the sizes, so that keys are spread over all of them and none is taken twice. */
const SCATTER = 7_368_787

const crypto = nobleCrypto()
const sha256 = crypto.hash('sha2-256')
const keys = new TreeKeys(new Uint8Array(32).fill(7), crypto)
const domainOf = (key) => key.split('/')[0]
const leafOf = (text) => new Uint8Array(createHash('sha1').update(text).digest())

/** Nine of ten keys are in the first domain. */
const keyOf = (at) => {
  const domain = at % DOMAINS === 0 ? (at / DOMAINS) % DOMAINS : 0
  return `${domain.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000/data/record-${at}`
}

function treeOf(records) {
  const read = async (names) => names.map((name) => records.get(name))
  const domains = async () => [...new Set([...records.keys()].filter((name) => name.endsWith('/root')).map(domainOf))]
  const names = async (prefix, { after = '', limit }) =>
    [...records.keys()]
      .filter((name) => name.startsWith(prefix) && name > after)
      .sort()
      .slice(0, limit)
  return { records, read, names, domains, domainOf, keys, sha256, clock: systemClock }
}

function write({ records }, writes) {
  for (const { name, bytes } of writes) {
    if (bytes) records.set(name, bytes)
    else records.delete(name)
  }
}

async function build(size) {
  const tree = treeOf(new Map())
  function* walk(hashOf) {
    for (let at = 0; at < size; at++) {
      const key = keyOf(at)
      const hash = hashOf(key)
      if (hash) yield { hash, leaf: leafOf(key), key }
    }
  }
  for await (const writes of buildPages({ ...tree, walk }, { recordsPerBatch: WRITES })) write(tree, writes)
  return tree
}

/** Copies of a tree that differ in so many keys, spread over all of them. */
async function pairOf(tree, size, differing) {
  const own = treeOf(new Map(tree.records))
  const other = treeOf(new Map(tree.records))
  const changes = { own: [], other: [] }
  for (let nth = 0; nth < differing; nth++) {
    const key = keyOf((nth * SCATTER) % size)
    const side = nth % 3 === 2 ? 'other' : 'own'
    changes[side].push({ key, leaf: nth % 3 === 0 ? leafOf(`other ${key}`) : undefined })
  }
  const begin = performance.now()
  for (const [side, left] of [
    [own, changes.own],
    [other, changes.other],
  ])
    for (let took = 0; took < left.length; ) {
      const folded = await fold(side, left.slice(took), WRITES)
      write(side, folded.records)
      took += folded.took
    }
  return { own, other, folding: performance.now() - begin }
}

async function compare(own, other) {
  const answering = { ...other, roots: await readRoots(other) }
  const counted = { up: 0, down: 0, roundTrips: 0, found: 0 }
  const ask = async (request) => {
    const reply = await answerRequest(answering, request)
    counted.up += request.length
    counted.down += reply.length
    counted.roundTrips++
    return reply
  }
  const begin = performance.now()
  for await (const piece of compareTrees(own, ask)) counted.found += piece.fetch.length + piece.delete.length
  return { ...counted, took: performance.now() - begin }
}

const number = (value) => Math.round(value).toLocaleString('en')
const targets = []
for (const size of SIZES) {
  const begin = performance.now()
  const tree = await build(size)
  const took = performance.now() - begin
  const rows = []
  for (const differing of DIFFERING) {
    const { own, other, folding } = await pairOf(tree, size, differing)
    const { up, down, roundTrips, found, took } = await compare(own, other)
    if (found !== differing) throw new Error(`${found} of ${differing} differences were found`)
    const each = differing > 0 ? number((up + down) / differing) : ''
    rows.push(
      [differing, roundTrips, up, down, up + down]
        .map(number)
        .concat(each, microseconds(took * 1_000), microseconds(folding * 1_000)),
    )
    if (differing !== 1) continue
    const exactly = (median) => ({ median, low: median, high: median })
    targets.push(target(`bytes for one of ${number(size)} keys`, exactly(up + down), { atMost: 2_500 }, number))
    targets.push(target(`round trips for one of ${number(size)} keys`, exactly(roundTrips), { atMost: 4 }, number))
  }
  console.log(`## ${number(size)} keys in ${DOMAINS} domains, built in ${microseconds(took * 1_000)}\n`)
  console.log(
    `${table(['differing', 'round trips', 'bytes up', 'bytes down', 'bytes', 'per key', 'comparing', 'folding before'], rows)}\n`,
  )
}
console.log(targetTable(targets))
