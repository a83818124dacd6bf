// Opens a store alone, commits once and closes it, many times. Waits while another process has it open. Started by lmdb-holders.slow.test.ts.
const [, , library, path, rounds] = process.argv
const { lmdbStorage } = await import(library)

async function openWhenFree() {
  for (;;) {
    try {
      return lmdbStorage({ path })
    } catch (error) {
      if (error.code !== 'ERR_IN_USE') throw error
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
}

for (let round = 0; round < Number(rounds); round++) {
  const storage = await openWhenFree()
  const name = `${process.pid}/${round}`
  await storage.commit([{ op: 'put', key: name, value: new Uint8Array(1) }], name)
  await storage.close()
}
