/** sys/init: initialises a store (source: behaviour of the originals). */
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'

const OPEN_TO_ALL = { unauthenticated: true, inAnyState: true, rootOnly: true, onDrSecondary: true } as const

export const readInit = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/init',
  ...OPEN_TO_ALL,
  summary: 'Tells whether the store is initialised.',
  fields: {},
  returns: { initialized: f.bool('Whether it is.') },
  wire: (bare) => ({ bare }),
  control: async (asked) => ({ initialized: (await CONTROLS.of(asked).sealing.status()).initialized }),
})

const counts = (what: string, key: string) => ({
  shares: f.strictInt(`In how many shares the ${key} is split: 1 to 255. ${what}`).default(0),
  threshold: f.strictInt('How many of them give it back.').default(0),
  keys: f.strictTexts('Base64 of a binary PGP public key for each share, which is then encrypted to it.').default([]),
})
const manual = counts('Manual seals only.', 'key of the seal')
const recovery = counts('Automatic seals only; without it there is none.', 'recovery key')

export const initialize = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/init',
  ...OPEN_TO_ALL,
  summary: 'Makes the store: its keys, their shares, a root token. Shown once; nothing is stored by what is refused.',
  fields: {
    secret_shares: manual.shares,
    secret_threshold: manual.threshold,
    pgp_keys: manual.keys,
    recovery_shares: recovery.shares,
    recovery_threshold: recovery.threshold,
    recovery_pgp_keys: recovery.keys,
    root_token_pgp_key: f.strictText('Base64 of the binary PGP public key that the root token is encrypted to.').default(''),
  },
  returns: {
    keys: f.texts('Shares that open the store, hexadecimal; none with an automatic seal.'),
    keys_base64: f.texts('The same in base64.'),
    recovery_keys: f.texts('Shares of the recovery key, hexadecimal.').optional(),
    recovery_keys_base64: f.texts('The same in base64.').optional(),
    root_token: f.text('May everything.'),
  },
  wire: (bare) => ({ bare }),
  control: (asked, input) => CONTROLS.of(asked).sealing.initialize(input, true),
})
