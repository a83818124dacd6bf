/** cache-config (source: behaviour of the originals). The kernel bounds its caches itself, for all mounts together. */
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

const returns = { size: f.int('The size that was set; 0 is no bound.') }

export const readCacheConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/cache-config',
  summary: 'Shows the cache size that was set for this mount. It is kept for clients of the originals and bounds nothing here.',
  fields: {},
  returns,
  run: (tx) => tx.get(CONFIG, CONFIG_ID) ?? { size: 0 },
})

export const configureCache = operation({
  kind: 'write',
  verb: 'POST',
  path: '/cache-config',
  forwardable: true,
  summary: 'Sets the cache size of this mount. It is kept and shown; what bounds the keys in memory is the option cache.keys.',
  fields: { size: f.int(`0, or at least ${MIN_SIZE}.`).default(0) },
  returns,
  run: (tx, { size }) => {
    if (size !== 0 && size < MIN_SIZE) throw invalid(`size: must be 0 or at least ${MIN_SIZE}`)
    tx.put(CONFIG, CONFIG_ID, { size })
    return { size }
  },
})
