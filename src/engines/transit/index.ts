/** The operations of the encryption engine that are loaded with it, and the handlers of its background work. */
import type { Engine } from '../../core/contract/engine.ts'
import { deferred } from '../../core/contract/engine-manifest.ts'
import { FURTHER_MANIFEST } from './further/manifest.ts'
import { configureKey } from './operations/configure-key.ts'
import { createKey } from './operations/create-key.ts'
import { decrypt } from './operations/decrypt.ts'
import { encrypt } from './operations/encrypt.ts'
import { deleteKey, listKeys, readKey } from './operations/keys.ts'
import { rewrap } from './operations/rewrap.ts'
import { rotateDue, rotateKey } from './operations/rotate-key.ts'
import { wipeDue } from './wiping.ts'

const operations = {
  createKey,
  readKey,
  listKeys,
  deleteKey,
  configureKey,
  rotateKey,
  encrypt,
  decrypt,
  rewrap,
}

export const transit = {
  type: 'transit',
  mounts: 'secret',
  operations,
  deferredParts: [
    deferred(FURTHER_MANIFEST, { type: 'transit', load: async () => (await import('./further/engine.ts')).further }),
  ],
  due: {
    rotation: rotateDue,
    housekeeping: wipeDue,
  },
} satisfies Engine
