/** The encryption engine, with the operations that are loaded with it. */

import { deferred } from '../../core/contract/deferred.ts'
import type { Engine } from '../../core/contract/engine.ts'
import { FURTHER_MANIFEST } from './further/manifest.ts'
import { createKey } from './operations/create-key.ts'
import { decrypt } from './operations/decrypt.ts'
import { encrypt } from './operations/encrypt.ts'
import { deleteKey, listKeys, readKey } from './operations/keys.ts'

const operations = {
  createKey,
  readKey,
  listKeys,
  deleteKey,
  encrypt,
  decrypt,
}

export const transit = {
  type: 'transit',
  mounts: 'secret',
  operations,
  deferredParts: [
    deferred(FURTHER_MANIFEST, { type: 'transit', load: async () => (await import('./further/engine.ts')).further }),
  ],
  due: {},
} satisfies Engine
