/** The parameters and results of rekey calls. */
import { encodeBase64 } from '../../core/base/base64.ts'
import { texts } from '../../core/base/texts.ts'
import { f } from '../../core/field/fields.ts'
import type { ShareBackup } from '../../core/seal/attempt/records.ts'
import type { RekeyWish } from '../../core/seal/attempt/rekey-attempt.ts'

/** Strict types, as the originals have them where no token is required: no value is converted. */
export const WISH = {
  secret_shares: f.strictInt('In how many shares the new key is split: 1 to 255.').default(0),
  secret_threshold: f.strictInt('How many of them give it back: at least 2 where there are several.').default(0),
  pgp_keys: f.strictTexts('Base64 of a binary PGP public key for each share, which is then encrypted to it.').default([]),
  backup: f.strictBool('Keep the encrypted shares until somebody deletes them.').default(false),
  require_verification: f.strictBool('The new shares come into force when enough of them were given back.').default(false),
}

/** The same where a token is required, with conversion. */
export const LOOSE_WISH = {
  secret_shares: f.int(WISH.secret_shares.description).default(0),
  secret_threshold: f.int(WISH.secret_threshold.description).default(0),
  pgp_keys: f.list(WISH.pgp_keys.description).default([]),
  backup: f.bool(WISH.backup.description).default(false),
  require_verification: f.bool(WISH.require_verification.description).default(false),
} satisfies Record<keyof RekeyWish, unknown>

export const NONCE = f.strictText('Of the attempt.')

const fingerprints = f.json<readonly string[] | null>('Of the PGP keys, in the order of the shares; null without.', {
  type: 'array',
  nullable: true,
})

export const STATUS = {
  nonce: f.text('Goes with every share; empty where nothing is running.'),
  started: f.bool('Whether an attempt is running.'),
  t: f.int('Threshold of the new shares.'),
  n: f.int('Number of the new shares.'),
  progress: f.int('Present shares that were given to this process.'),
  required: f.int('Present shares that are needed.'),
  pgp_fingerprints: fingerprints,
  backup: f.bool('Whether the encrypted shares are kept.'),
  verification_required: f.bool('Whether the new shares have to be given back.'),
  verification_nonce: f.text('Goes with every new share, while they are to be given back.').optional(),
}

/** The status, or after the last share the new shares. */
export const OUTCOME = {
  nonce: STATUS.nonce.optional(),
  complete: f.bool('The new shares are here.').optional(),
  started: STATUS.started.optional(),
  t: STATUS.t.optional(),
  n: STATUS.n.optional(),
  progress: STATUS.progress.optional(),
  required: STATUS.required.optional(),
  keys: f.texts('The new shares, hexadecimal; with PGP keys the messages to them. None where nobody holds the key.').optional(),
  keys_base64: f.texts('The same in base64.').optional(),
  pgp_fingerprints: STATUS.pgp_fingerprints,
  backup: STATUS.backup,
  verification_required: STATUS.verification_required,
  verification_nonce: STATUS.verification_nonce,
}

export const VERIFICATION = {
  nonce: f.text('Goes with every new share; empty where there is nothing to verify yet.'),
  started: f.bool('Whether the new shares are out.'),
  t: STATUS.t,
  n: STATUS.n,
  progress: f.int('New shares that were given back to this process.'),
}

export const VERIFIED = {
  nonce: VERIFICATION.nonce,
  complete: f.bool('The new shares are in force.').optional(),
  started: VERIFICATION.started.optional(),
  t: VERIFICATION.t.optional(),
  n: VERIFICATION.n.optional(),
  progress: VERIFICATION.progress.optional(),
}

type Shares = Readonly<Record<string, string | readonly string[]>>

export const BACKUP = {
  nonce: f.text('Of the attempt that made them.'),
  keys: f.json<Shares>('By fingerprint its share, a PGP message in hexadecimal; a list where the key was given several.'),
  keys_base64: f.json<Shares>('The same in base64.'),
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
