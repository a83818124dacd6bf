// Opens damaged stores one after another and reports each outcome, so that the parent knows which one crashed the process. Started by
// lmdb-damage.slow.test.ts.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , library, sound, home] = process.argv
const { lmdbStorage } = await import(library)
const whole = readFileSync(join(sound, 'data.mdb'))
let count = 0

async function tryToOpen({ length = whole.length, at, xor }) {
  const path = join(home, `store-${count++}`)
  mkdirSync(path)
  const bytes = Buffer.from(whole.subarray(0, length))
  if (at !== undefined) bytes[at] ^= xor
  writeFileSync(join(path, 'data.mdb'), bytes)
  try {
    const storage = lmdbStorage({ path })
    const entries = await storage.scan('')
    const verdict = await storage.commit([{ op: 'put', key: 'later', value: new Uint8Array(1) }], 'later')
    await storage.close()
    return { records: entries.length, revision: verdict.revision }
  } catch (error) {
    return { error: error.message }
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

process.on('message', async (damage) => process.send(await tryToOpen(damage)))
process.send('ready')
