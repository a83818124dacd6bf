// Opens a store, reports the outcome, and keeps the store open until a message arrives or the process is killed. Started by lmdb-holders.slow.test.ts.
const [, , library, path, shared] = process.argv
const { lmdbStorage } = await import(library)
const tell = (message) => (process.send ? process.send(message) : process.stdout.write(`${message}\n`))
try {
  const storage = lmdbStorage({ path, shared: shared === 'true' })
  await storage.commit([{ op: 'put', key: `by ${process.pid}`, value: new Uint8Array(1) }], `${process.pid}`)
  process.on('message', async () => {
    await storage.close()
    tell('closed')
  })
  process.stdin.on('end', () => process.exit())
  process.stdin.resume()
  tell('held')
} catch (error) {
  tell(error.message)
  process.exit()
}
