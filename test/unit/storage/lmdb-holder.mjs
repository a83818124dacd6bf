// Opens a store, reports the outcome, and keeps the store open until a message arrives or the process is killed. Started by lmdb-holders.slow.test.ts.
const [, , library, path, shared] = process.argv
const { lmdbStorage } = await import(library)

/** Allocates over several turns until V8 has collected old garbage twice, as in a busy application. */
async function allocateUntilCollected() {
  for (let round = 0; round < 2; round++) {
    let isCollected = false
    const registry = new FinalizationRegistry(() => {
      isCollected = true
    })
    registry.register({ marker: new Array(100).fill(round) }, undefined)
    let kept = []
    while (!isCollected) {
      kept = [...kept.slice(-20), Array.from({ length: 20_000 }, (_, at) => ({ at }))]
      await new Promise((resolve) => setTimeout(resolve, 0))
      // With --expose-gc the collection is complete; without it, V8 collects when memory runs short.
      globalThis.gc?.()
    }
  }
}

const report = (message) => (process.send ? process.send(message) : process.stdout.write(`${message}\n`))
try {
  const storage = lmdbStorage({ path, shared: shared === 'true' })
  await storage.commit([{ op: 'put', key: `by ${process.pid}`, value: new Uint8Array(1) }], `${process.pid}`)
  process.on('message', async (message) => {
    if (message === 'collect') {
      await allocateUntilCollected()
      return report('collected')
    }
    await storage.close()
    report('closed')
  })
  process.stdin.on('end', () => process.exit())
  process.stdin.resume()
  report('held')
} catch (error) {
  report(error.message)
  process.exit()
}
