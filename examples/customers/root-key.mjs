/**
 * The root key: a key of 32 bytes, which is not in the store and unseals it.
 *
 * A key file next to the store is acceptable only in an example: anyone who copies the folder has both. In production, keep the key apart
 * from the store: in an environment variable that your platform sets from its secret store, or in a KMS. `keySeal` accepts the bytes from
 * any source. If a KMS does not export its key, write a seal that calls it (`kmsSeal`, with the methods `wrap` and `unwrap`).
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DATABASE, ROOT_KEY, STORE, shown } from './places.mjs'

const KEY_BYTES = 32
const OTHERS = 0o077

/** @returns The key, and whether this run created it. @throws Error that says what to do */
export function rootKey() {
  if (existsSync(ROOT_KEY)) return { key: readRootKey(), fresh: false }
  if (existsSync(DATABASE)) throw missing()
  const key = randomBytes(KEY_BYTES)
  mkdirSync(STORE, { recursive: true, mode: 0o700 })
  // `wx`: if two runs start at the same time, the second must not replace the key that the first has begun to use.
  writeFileSync(ROOT_KEY, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  return { key, fresh: true }
}

/** @throws Error if the file does not exist, other users may read it, or it does not contain a key */
export function readRootKey() {
  if (!existsSync(ROOT_KEY)) throw missing()
  const mode = statSync(ROOT_KEY).mode & 0o777
  // Windows has no permission bits and reports all of them as set.
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    throw new Error(`${shown(ROOT_KEY)} can be read by other users (mode ${mode.toString(8)}). Set it to 600.`)
  const key = Buffer.from(readFileSync(ROOT_KEY, 'latin1').trim(), 'base64')
  if (key.length !== KEY_BYTES)
    throw new Error(`${shown(ROOT_KEY)} has ${key.length} bytes instead of ${KEY_BYTES}: it is damaged.`)
  return key
}

const missing = () =>
  new Error(
    `There is a store in ${shown(DATABASE)}, but its root key ${shown(ROOT_KEY)} is missing.\n` +
      'Nothing opens the store without it. Put the file back, or delete the folder store/ to start over.',
  )
