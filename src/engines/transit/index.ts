/** The encryption engine: its operations under their names in the typed API, and the handlers of its background work. */
import type { Engine } from '../../core/contract/engine.ts'
import { backupKey } from './operations/backup-key.ts'
import { configureCache, readCacheConfig } from './operations/cache-config.ts'
import { configureKey } from './operations/configure-key.ts'
import { createKey } from './operations/create-key.ts'
import { signCsr } from './operations/csr.ts'
import { generateDataKey } from './operations/datakey.ts'
import { decrypt } from './operations/decrypt.ts'
import { deriveKey } from './operations/derive-key.ts'
import { encrypt } from './operations/encrypt.ts'
import { exportKey } from './operations/export-key.ts'
import { exportWrappedKey } from './operations/export-wrapped-key.ts'
import { hash } from './operations/hash.ts'
import { hmac } from './operations/hmac.ts'
import { importKey, readWrappingKey } from './operations/import-key.ts'
import { importKeyVersion } from './operations/import-version.ts'
import { inspect } from './operations/inspect.ts'
import { deleteKey, listKeys, readKey } from './operations/keys.ts'
import { configureKeys, readKeysConfig } from './operations/keys-config.ts'
import { random } from './operations/random.ts'
import { restoreKey } from './operations/restore-key.ts'
import { retireVersions } from './operations/retire-versions.ts'
import { rewrap } from './operations/rewrap.ts'
import { rotateDue, rotateKey } from './operations/rotate-key.ts'
import { setCertificate } from './operations/set-certificate.ts'
import { sign } from './operations/sign.ts'
import { softDeleteKey, undeleteKey } from './operations/soft-delete.ts'
import { trimKey } from './operations/trim-key.ts'
import { verify } from './operations/verify.ts'
import { wipeDue } from './wiping.ts'

export const operations = {
  createKey,
  readKey,
  listKeys,
  deleteKey,
  configureKey,
  rotateKey,
  softDeleteKey,
  undeleteKey,
  retireVersions,
  trimKey,
  readWrappingKey,
  importKey,
  importKeyVersion,
  exportKey,
  exportWrappedKey,
  backupKey,
  restoreKey,
  signCsr,
  setCertificate,
  deriveKey,
  configureKeys,
  readKeysConfig,
  configureCache,
  readCacheConfig,
  encrypt,
  decrypt,
  rewrap,
  inspect,
  generateDataKey,
  hmac,
  hash,
  random,
  sign,
  verify,
}

export const transit = {
  type: 'transit',
  mounts: 'secret',
  operations,
  due: {
    rotation: rotateDue,
    housekeeping: wipeDue,
  },
} satisfies Engine
