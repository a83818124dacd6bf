// Upgrades a store and kills itself before its n-th write. Started by lmdb-format.slow.test.ts.
import { open } from 'lmdb'

const [, , format, path, last] = process.argv
const { migrateFormat } = await import(format)
const BINARY = { encoding: 'binary', keyEncoding: 'binary' }
const root = open({ path, noSubdir: false, overlappingSync: false, eventTurnBatching: false, ...BINARY })
let left = Number(last)
const counting = (name) => {
  const table = root.openDB({ name, ...BINARY })
  const put = (key, value) => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
    return table.put(key, value)
  }
  return { getBinary: (key) => table.getBinary(key), getKeys: (range) => table.getKeys(range), put }
}
migrateFormat(root, { meta: counting('meta'), head: counting('head'), changes: counting('changes') })
process.stdout.write('done')
