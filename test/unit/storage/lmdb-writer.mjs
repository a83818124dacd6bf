// Commits several writes at a time until it is killed, and reports each commit that resolved. Started by lmdb-kill.slow.test.ts.
import { writeSync } from 'node:fs'

const [, , library, path, run] = process.argv
const { lmdbStorage } = await import(library)
const storage = lmdbStorage({ path, shared: true })
const value = new Uint8Array(300).fill(7)

let count = 0
async function commitForEver() {
  for (;;) {
    const name = `${run}-${count++}`
    const ops = [
      { op: 'put', key: `left/${name}`, value, expect: 0 },
      { op: 'put', key: `right/${name}`, value },
      { op: 'append', log: 'log', value },
    ]
    const { ok, revision, appended } = await storage.commit(ops, name)
    if (!ok) throw new Error(`unexpected conflict at ${name}`)
    writeSync(1, `${name} ${revision} ${appended[0]}\n`)
  }
}
await Promise.all([commitForEver(), commitForEver(), commitForEver(), commitForEver()])
