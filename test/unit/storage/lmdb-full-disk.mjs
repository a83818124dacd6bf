// Writes to a store until its disk is full, and then some more. Started by lmdb-failures.slow.test.ts.
const [, , library, path, atOnce] = process.argv
const { lmdbStorage } = await import(library)
const storage = lmdbStorage({ path })
const value = new Uint8Array(5000)
const refused = []
const kept = []
const aTurn = () => new Promise((resolve) => setTimeout(resolve, 20))

for (let round = 0; refused.length < 4; round++) {
  const keys = Array.from({ length: Number(atOnce) }, (_, at) => `k/${round}-${at}`)
  const outcomes = await Promise.allSettled(keys.map((key) => storage.commit([{ op: 'put', key, value }], key)))
  for (const [at, { status, reason }] of outcomes.entries()) {
    if (status === 'fulfilled') kept.push(keys[at])
    else refused.push(reason.name)
  }
  // An unhandled rejection of the driver would end the process in a later turn.
  if (refused.length > 0) await aTurn()
}
const found = new Set(await storage.list('k/'))
await storage.close()
await aTurn()
process.send({ refused, kept: kept.length, lost: kept.filter((key) => !found.has(key.slice(2))).length })
