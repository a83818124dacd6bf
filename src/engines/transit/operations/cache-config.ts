/** The cache size of a mount is stored for Vault's clients and has no effect: the kernel limits its caches for all mounts together. */
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { jsonRecord } from '../../../core/contract/record-kind.ts'
import { f } from '../../../core/field/fields.ts'

interface CacheConfig {
  readonly size: number
}

const CONFIG = /* @__PURE__ */ jsonRecord<CacheConfig>({ folder: 'cache' })
const CONFIG_ID = 'config'
const MIN_SIZE = 10

const returns = { size: f.int('The configured size; 0 means unlimited.') }

/** @throws no errors of its own. */
export const readCacheConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/cache-config',
  summary: "Shows the cache size of this mount. It exists for Vault's clients and has no effect.",
  fields: {},
  returns,
  run: (tx) => tx.get(CONFIG, CONFIG_ID) ?? { size: 0 },
})

/** @throws KernelError 400 if `size` is from 1 to 9, or negative. */
export const configureCache = operation({
  kind: 'write',
  verb: 'POST',
  path: '/cache-config',
  forwardable: true,
  summary: 'Sets the cache size of this mount, which has no effect. The option cache.keys limits the keys in memory.',
  fields: { size: f.int(`The cache size: 0 means unlimited; any other size must be at least ${MIN_SIZE}.`).default(0) },
  returns,
  run: (tx, { size }) => {
    if (size !== 0 && size < MIN_SIZE) throw invalid(`size: must be 0 or at least ${MIN_SIZE}`)
    tx.put(CONFIG, CONFIG_ID, { size })
    return { size }
  },
})
