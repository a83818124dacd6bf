/** The parameters and results of the operations that replace key shares. */
import { encodeBase64 } from '../../core/base/base64.ts'
import { texts } from '../../core/base/texts.ts'
import { f } from '../../core/field/fields.ts'
import type { ShareBackup } from '../../core/seal/attempt/records.ts'
import type { RekeyParameters } from '../../core/seal/attempt/rekey-attempt.ts'

/**
 * The parameters of `init` on the paths that need no token. As in Vault, these paths refuse a value of another type instead of converting it.
 */
export const PARAMETERS = {
  secret_shares: f.strictInt('The number of shares into which the new key is split: 1 to 255.').default(0),
  secret_threshold: f
    .strictInt('The number of shares that are needed to use the key: at least 2 if there are several shares.')
    .default(0),
  pgp_keys: f
    .strictTexts(
      'Binary PGP public keys in base64, one for each share. Each share is encrypted with the key at the same position.',
    )
    .default([]),
  backup: f
    .strictBool('Whether to store the encrypted shares as a backup, which remains until `deleteBackup` is called.')
    .default(false),
  require_verification: f
    .strictBool('Whether the new shares become valid only after enough of them were submitted for verification.')
    .default(false),
}

/** The parameters of `init` on the paths that require a token. As in Vault, these paths convert a value of another type. */
export const CONVERTED_PARAMETERS = {
  secret_shares: f.int(PARAMETERS.secret_shares.description).default(0),
  secret_threshold: f.int(PARAMETERS.secret_threshold.description).default(0),
  pgp_keys: f.list(PARAMETERS.pgp_keys.description).default([]),
  backup: f.bool(PARAMETERS.backup.description).default(false),
  require_verification: f.bool(PARAMETERS.require_verification.description).default(false),
} satisfies Record<keyof RekeyParameters, unknown>

export const REKEY_NONCE = f.strictText('The nonce of the attempt.')

const fingerprints = f.json<readonly string[] | null>(
  'Fingerprints of the PGP keys, in the order of the shares; null without PGP keys.',
  {
    type: 'array',
    nullable: true,
  },
)

export const REKEY_STATUS = {
  nonce: f.text('The nonce to send with every share; empty if no attempt is running.'),
  started: f.bool('Whether an attempt is running.'),
  t: f.int('The threshold of the new shares.'),
  n: f.int('The number of the new shares.'),
  progress: f.int('The number of current shares submitted so far. They are kept only in this Node process.'),
  required: f.int('The number of current shares that are required.'),
  pgp_fingerprints: fingerprints,
  backup: f.bool('Whether the encrypted shares are stored as a backup.'),
  verification_required: f.bool('Whether the new shares must be submitted for verification.'),
  verification_nonce: f
    .text('The nonce to send with every new share; present while the new shares must be submitted for verification.')
    .optional(),
}

/** The result of submitting a share: the status of the attempt or, after the last required share, the new shares. */
export const OUTCOME = {
  nonce: REKEY_STATUS.nonce.optional(),
  complete: f.bool('Whether the new shares were created.').optional(),
  started: REKEY_STATUS.started.optional(),
  t: REKEY_STATUS.t.optional(),
  n: REKEY_STATUS.n.optional(),
  progress: REKEY_STATUS.progress.optional(),
  required: REKEY_STATUS.required.optional(),
  keys: f
    .texts('The new shares in hexadecimal, or the PGP messages that contain them. Empty if the key has no shares.')
    .optional(),
  keys_base64: f.texts('The values of `keys` in base64.').optional(),
  pgp_fingerprints: REKEY_STATUS.pgp_fingerprints,
  backup: REKEY_STATUS.backup,
  verification_required: REKEY_STATUS.verification_required,
  verification_nonce: REKEY_STATUS.verification_nonce,
}

export const VERIFICATION = {
  nonce: f.text('The nonce to send with every new share; empty if there is nothing to verify yet.'),
  started: f.bool('Whether the new shares were returned and must now be submitted for verification.'),
  t: REKEY_STATUS.t,
  n: REKEY_STATUS.n,
  progress: f.int('The number of new shares submitted so far. They are kept only in this Node process.'),
}

export const VERIFIED = {
  nonce: VERIFICATION.nonce,
  complete: f.bool('Whether the new shares are valid now.').optional(),
  started: VERIFICATION.started.optional(),
  t: VERIFICATION.t.optional(),
  n: VERIFICATION.n.optional(),
  progress: VERIFICATION.progress.optional(),
}

type Shares = Readonly<Record<string, string | readonly string[]>>

export const BACKUP = {
  nonce: f.text('The nonce of the attempt that created the shares.'),
  keys: f.json<Shares>(
    'Maps the fingerprint of each PGP key to its encrypted share: a PGP message in hexadecimal, or a list of messages for several shares.',
  ),
  keys_base64: f.json<Shares>('The values of `keys` in base64.'),
}

export function backupOf({ nonce, keys }: ShareBackup): { nonce: string; keys: Shares; keys_base64: Shares } {
  const shown = (form: (hex: string) => string): Shares =>
    Object.fromEntries(
      Object.entries(keys).map(([fingerprint, [first, ...others]]) => [
        fingerprint,
        others.length === 0 ? form(first ?? '') : [first ?? '', ...others].map(form),
      ]),
    )
  return { nonce, keys: shown((hex) => hex), keys_base64: shown((hex) => encodeBase64(texts.fromHex(hex))) }
}
