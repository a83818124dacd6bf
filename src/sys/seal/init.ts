/** The operations at `sys/init`, which show whether a store is initialized and initialize it, as in Vault. */
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'

const OPEN_TO_ALL = { unauthenticated: true, inAnyState: true, rootOnly: true, onDrSecondary: true } as const

export const readInit = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/init',
  ...OPEN_TO_ALL,
  summary: 'Shows whether the store is initialized.',
  fields: {},
  returns: { initialized: f.bool('Whether the store is initialized.') },
  wire: (bare) => ({ bare }),
  control: async (asked) => ({ initialized: (await CONTROLS.of(asked).sealing.status()).initialized }),
})

const counts = (what: string, key: string) => ({
  shares: f.strictInt(`The number of shares into which the ${key} is split: 1 to 255. ${what}`).default(0),
  threshold: f.strictInt(`The number of shares that are needed to reconstruct the ${key}.`).default(0),
  keys: f
    .strictTexts('Binary PGP public keys in base64, one for each share. Each share is encrypted to the key at the same position.')
    .default([]),
})
const manual = counts('For manual seals only.', 'unseal key')
const recovery = counts('For automatic seals only. If it is absent, no recovery key is created.', 'recovery key')

export const initialize = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/init',
  ...OPEN_TO_ALL,
  summary:
    'Initializes the store: creates its keys and a root token. The key shares and the root token are shown only once. A refused request stores nothing.',
  fields: {
    secret_shares: manual.shares,
    secret_threshold: manual.threshold,
    pgp_keys: manual.keys,
    recovery_shares: recovery.shares,
    recovery_threshold: recovery.threshold,
    recovery_pgp_keys: recovery.keys,
    root_token_pgp_key: f.strictText('The binary PGP public key in base64 to which the root token is encrypted.').default(''),
  },
  returns: {
    keys: f.texts('The unseal key shares, in hexadecimal; empty for an automatic seal.'),
    keys_base64: f.texts('The unseal key shares, in base64; empty for an automatic seal.'),
    recovery_keys: f.texts('The shares of the recovery key, in hexadecimal; absent if there is no recovery key.').optional(),
    recovery_keys_base64: f.texts('The shares of the recovery key, in base64; absent if there is no recovery key.').optional(),
    root_token: f.text('The root token, which has all permissions.'),
  },
  wire: (bare) => ({ bare }),
  control: (asked, input) => CONTROLS.of(asked).sealing.initialize(input, true),
})
