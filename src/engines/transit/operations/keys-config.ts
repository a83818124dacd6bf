/** Settings that apply to all keys of a mount. */
import { operation } from '../../../core/contract/operation.ts'
import { jsonRecord } from '../../../core/contract/record-kind.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'

interface KeysConfig {
  readonly disable_upsert: boolean
}

const CONFIG = /* @__PURE__ */ jsonRecord<KeysConfig>({ folder: 'config' })
const KEYS = 'keys'
const DEFAULTS: KeysConfig = { disable_upsert: false }

export const keysConfig = (tx: Tx): KeysConfig => tx.get(CONFIG, KEYS) ?? DEFAULTS

const returns = { disable_upsert: f.bool('Whether encrypt refuses to create missing keys.') }

/** @throws no errors of its own. */
export const readKeysConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/keys',
  summary: 'Shows the settings that apply to all keys of the mount.',
  fields: {},
  returns,
  run: keysConfig,
})

/** @throws no errors of its own. */
export const configureKeys = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config/keys',
  forwardable: true,
  summary: 'Changes the settings that apply to all keys of the mount.',
  fields: { disable_upsert: f.bool('Whether encrypt refuses to create missing keys.').default(false) },
  returns,
  run: (tx, { disable_upsert }) => {
    const config = { disable_upsert }
    tx.put(CONFIG, KEYS, config)
    return config
  },
})
