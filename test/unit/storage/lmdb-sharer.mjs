// One of several processes on one store: runs the commands of its parent and answers them. Started by lmdb-shared.slow.test.ts.
const [, , library, path] = process.argv
const { lmdbStorage } = await import(library)
const storage = lmdbStorage({ path, shared: true })
const utf8 = new TextEncoder()
const changes = []
let commits = 0

const tasks = {
  /** Increments a counter and retries until the commit succeeds. */
  async increment({ times }) {
    let conflicts = 0
    for (let done = 0; done < times; ) {
      const entry = await storage.get('counter')
      const value = utf8.encode(String(Number(new TextDecoder().decode(entry?.value ?? utf8.encode('0'))) + 1))
      const verdict = await storage.commit(
        [{ op: 'put', key: 'counter', value, expect: entry?.version ?? 0 }],
        `${process.pid} ${commits++}`,
      )
      if (verdict.ok) done++
      else conflicts++
    }
    return conflicts
  },
  async fill({ from, to, bytes }) {
    for (let n = from; n < to; n++) {
      const value = new Uint8Array(bytes).fill(n)
      await storage.commit([{ op: 'put', key: `filled/${n}`, value }], `${process.pid} ${commits++}`)
    }
  },
  async check({ from, to, bytes }) {
    for (let n = from; n < to; n++) {
      const entry = await storage.get(`filled/${n}`)
      if (entry?.value.length !== bytes || entry.value.some((byte) => byte !== n % 256))
        throw new Error(`filled/${n} is not what it was`)
    }
  },
  async watch() {
    await storage.watch('', 0, ({ revision, keys }) => changes.push([revision, keys]))
  },
  async heard({ revision }) {
    while ((changes.at(-1)?.[0] ?? 0) < revision) await new Promise((resolve) => setTimeout(resolve, 5))
    return changes
  },
  /** Blocks in the middle of a read until the parent kills the process. */
  async hang() {
    storage.getSync('counter')
    process.send('hanging')
    for (;;);
  },
}

process.on('message', async ({ task, ...parameters }) => {
  try {
    process.send({ result: (await tasks[task](parameters)) ?? null })
  } catch (error) {
    process.send({ error: error.message })
  }
})
process.send('ready')
