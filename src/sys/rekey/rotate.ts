/**
 * sys/rotate/{root,recovery}/{init,update,verify,backup}, as in Vault. These operations work on the same attempts as `sys/rekey`, but
 * require a token in addition to the shares.
 */
import { invalid } from '../../core/base/errors.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import type { Result } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import type { RekeyKind } from '../../core/seal/attempt/rekey-attempt.ts'
import { REKEY_ATTEMPTS } from '../../core/seal/attempt/rekey-attempts.ts'
import type { RekeyCompletion, RekeyStatus } from '../../core/seal/attempt/rekey-status.ts'
import { CONVERTED_PARAMETERS, OUTCOME, VERIFICATION, VERIFIED } from './fields.ts'
import { deleteBackup, readBackup } from './rekey.ts'

/** The results of the operations in this file. In contrast to `sys/rekey`, a response omits members that do not apply. */
const SHOWN = {
  ...OUTCOME,
  pgp_fingerprints: OUTCOME.pgp_fingerprints.optional(),
  backup: OUTCOME.backup.optional(),
  verification_required: OUTCOME.verification_required.optional(),
}
const SHARE = { key: f.share('The share, in hexadecimal or base64.'), nonce: f.text('The nonce of the attempt.') }

type Shown = Result<typeof SHOWN>

function shownStatus({ verification_nonce = '', ...status }: RekeyStatus): Shown {
  const { started, t, n, required, progress, nonce, verification_required } = status
  if (!started) return { started, t, n, required }
  const plain = { nonce, started, t, n, progress, required, verification_required, verification_nonce }
  return status.pgp_fingerprints ? { ...plain, pgp_fingerprints: status.pgp_fingerprints, backup: status.backup } : plain
}

const shown = (outcome: RekeyStatus | RekeyCompletion): Shown =>
  'complete' in outcome ? { verification_nonce: '', ...outcome } : shownStatus(outcome)

function checkNonce(nonce: string): string {
  if (nonce === '') throw invalid('nonce: is required')
  return nonce
}

function operationsOf(
  kind: RekeyKind,
  at: '/rotate/root' | '/rotate/recovery',
  backup: '/rotate/root/backup' | '/rotate/recovery/backup',
) {
  return {
    readStatus: controlOperation({
      kind: 'read',
      verb: 'GET',
      path: `${at}/init`,
      rootOnly: true,
      summary: 'Shows whether an attempt to replace key shares is running, and its progress.',
      fields: {},
      returns: SHOWN,
      control: async (asked) => shownStatus(await REKEY_ATTEMPTS.of(asked)[kind].status()),
    }),
    init: controlOperation({
      kind: 'write',
      verb: 'POST',
      path: `${at}/init`,
      rootOnly: true,
      summary:
        'Begins an attempt to replace shares. If there are no recovery shares that could authorize it, the first recovery shares are returned at once.',
      fields: CONVERTED_PARAMETERS,
      returns: SHOWN,
      control: async (asked, wish) => {
        const outcome = await REKEY_ATTEMPTS.of(asked)[kind].begin(wish, { immediate: true, isUnauthenticated: false })
        if (!('complete' in outcome)) return shownStatus(outcome)
        // The new shares were created at once. The nonce is shown only if they must still be verified; otherwise the attempt has ended.
        const { nonce, ...completion } = shown(outcome)
        const counted = { ...completion, t: wish.secret_threshold, n: wish.secret_shares }
        return outcome.verification_nonce && nonce ? { ...counted, nonce } : counted
      },
    }),
    cancel: controlOperation({
      kind: 'write',
      verb: 'DELETE',
      path: `${at}/init`,
      rootOnly: true,
      summary: 'Cancels the running attempt. The current shares remain valid.',
      fields: { nonce: f.text('The nonce of the attempt. It is not checked.').optional() },
      returns: {},
      wire: () => ({ empty: true }),
      control: async (asked) => {
        await REKEY_ATTEMPTS.of(asked)[kind].cancel(true)
        return undefined
      },
    }),
    update: controlOperation({
      kind: 'write',
      verb: 'POST',
      path: `${at}/update`,
      rootOnly: true,
      summary: 'Submits a current share. The response to the last required share contains the new shares.',
      fields: SHARE,
      returns: SHOWN,
      control: async (asked, { key, nonce }) =>
        shown(await REKEY_ATTEMPTS.of(asked)[kind].update({ share: key, nonce: checkNonce(nonce) })),
    }),
    readVerification: controlOperation({
      kind: 'read',
      verb: 'GET',
      path: `${at}/verify`,
      rootOnly: true,
      summary: 'Shows how many of the new shares were submitted for verification.',
      fields: {},
      returns: VERIFICATION,
      control: (asked) => REKEY_ATTEMPTS.of(asked)[kind].verification(),
    }),
    restartVerification: controlOperation({
      kind: 'write',
      verb: 'DELETE',
      path: `${at}/verify`,
      rootOnly: true,
      summary: 'Restarts the verification: discards the submitted new shares, and changes the nonce.',
      fields: {},
      returns: VERIFICATION,
      wire: (data) => ({ data }),
      control: (asked) => REKEY_ATTEMPTS.of(asked)[kind].restartVerification(),
    }),
    verify: controlOperation({
      kind: 'write',
      verb: 'POST',
      path: `${at}/verify`,
      rootOnly: true,
      summary: 'Submits a new share for verification. After the last required share, the new shares are valid.',
      fields: SHARE,
      returns: VERIFIED,
      control: (asked, { key, nonce }) => REKEY_ATTEMPTS.of(asked)[kind].verify({ share: key, nonce: checkNonce(nonce) }),
    }),
    readBackup: readBackup(kind, backup),
    deleteBackup: deleteBackup(kind, backup),
  }
}

export const rotateRoot = operationsOf('barrier', '/rotate/root', '/rotate/root/backup')
export const rotateRecovery = operationsOf('recovery', '/rotate/recovery', '/rotate/recovery/backup')
