/**
 * The one secret that is not in the store: 32 bytes that open it.
 *
 * A file beside the store is good enough for an example and for nothing else: whoever copies the folder has both. In production the
 * key comes from where the store is not: an environment variable that your platform fills from its secret store, or a KMS. `keySeal`
 * takes the bytes from anywhere; a KMS that never lets its key out becomes a seal of your own (two methods, `wrap` and `unwrap`).
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DATABASE, ROOT_KEY, STORE, shown } from './places.mjs'

const KEY_BYTES = 32
const OTHERS = 0o077

/** @returns The key, and whether this run made it. @throws Error that says what to do. */
export function rootKey() {
  if (existsSync(ROOT_KEY)) return { key: readRootKey(), fresh: false }
  if (existsSync(DATABASE)) throw missing()
  const key = randomBytes(KEY_BYTES)
  mkdirSync(STORE, { recursive: true, mode: 0o700 })
  // `wx`: a run that starts at the same moment must not replace the key that the other one has begun to use.
  writeFileSync(ROOT_KEY, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  return { key, fresh: true }
}

/** @throws Error when there is none, others may read it, or it is no key. */
export function readRootKey() {
  if (!existsSync(ROOT_KEY)) throw missing()
  const mode = statSync(ROOT_KEY).mode & 0o777
  // Windows has no such bits and shows all of them.
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    throw new Error(`${shown(ROOT_KEY)} can be read by others (mode ${mode.toString(8)}). Set it to 600.`)
  const key = Buffer.from(readFileSync(ROOT_KEY, 'latin1').trim(), 'base64')
  if (key.length !== KEY_BYTES)
    throw new Error(`${shown(ROOT_KEY)} holds ${key.length} bytes instead of ${KEY_BYTES}: it is damaged.`)
  return key
}

const missing = () =>
  new Error(
    `There is a store in ${shown(DATABASE)}, but its root key ${shown(ROOT_KEY)} is missing.\n` +
      'Nothing opens the store without it. Put the file back, or delete the folder store/ to start over.',
  )
