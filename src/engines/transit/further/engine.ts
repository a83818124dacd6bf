/** The part of the encryption engine that is loaded when it is first needed: operations, and the handlers of background work. */
import type { Engine } from '../../../core/contract/engine.ts'
import { backupKey } from '../operations/backup-key.ts'
import { configureCache, readCacheConfig } from '../operations/cache-config.ts'
import { configureKey } from '../operations/configure-key.ts'
import { signCsr } from '../operations/csr.ts'
import { generateDataKey } from '../operations/datakey.ts'
import { deriveKey } from '../operations/derive-key.ts'
import { exportKey } from '../operations/export-key.ts'
import { exportWrappedKey } from '../operations/export-wrapped-key.ts'
import { hash } from '../operations/hash.ts'
import { hmac } from '../operations/hmac.ts'
import { importKey, readWrappingKey } from '../operations/import-key.ts'
import { importKeyVersion } from '../operations/import-version.ts'
import { inspect } from '../operations/inspect.ts'
import { configureKeys, readKeysConfig } from '../operations/keys-config.ts'
import { random } from '../operations/random.ts'
import { restoreKey } from '../operations/restore-key.ts'
import { retireVersions } from '../operations/retire-versions.ts'
import { rewrap } from '../operations/rewrap.ts'
import { rotateDue, rotateKey } from '../operations/rotate-key.ts'
import { setCertificate } from '../operations/set-certificate.ts'
import { sign } from '../operations/sign.ts'
import { softDeleteKey, undeleteKey } from '../operations/soft-delete.ts'
import { trimKey } from '../operations/trim-key.ts'
import { verify } from '../operations/verify.ts'
import { wipeDue } from '../wiping.ts'
import { FURTHER_MANIFEST } from './manifest.ts'

const operations = {
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
  rewrap,
  inspect,
  generateDataKey,
  hmac,
  hash,
  random,
  sign,
  verify,
}

const { segments: _segments, facades, ...members } = FURTHER_MANIFEST

export const further = {
  ...members,
  operations,
  due: { rotation: rotateDue, housekeeping: wipeDue },
  facades: { transit: { path: facades.transit.path, operations } },
} satisfies Engine
