/**
 * sys/rekey/{init,update,verify} and sys/rekey-recovery-key/{init,update,verify}, as in Vault: replace key shares. The current shares
 * authorize the replacement, and no token is needed.
 */
import { isAnonymous } from '../../core/contract/caller.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import type { RekeyKind } from '../../core/seal/attempt/rekey-attempt.ts'
import { REKEY_ATTEMPTS } from '../../core/seal/attempt/rekey-attempts.ts'
import type { RekeyStatus } from '../../core/seal/attempt/rekey-status.ts'
import { BACKUP, backupOf, OUTCOME, PARAMETERS, REKEY_NONCE, REKEY_STATUS, VERIFICATION, VERIFIED } from './fields.ts'

const BY_SHARES = { unauthenticated: true, rootOnly: true, neverListed: true, switched: 'rekey' } as const

/** Makes a response whose body is the result itself, without Vault's envelope (`request_id`, `data`, …). */
const bare = <T extends object>(result: T) => ({ bare: result as Readonly<Record<string, unknown>> })

function operationsOf(
  kind: RekeyKind,
  at: '/rekey' | '/rekey-recovery-key',
  backup: '/rekey/backup' | '/rekey/recovery-key-backup',
) {
  const key = kind === 'barrier' ? 'unseal key' : 'recovery key'
  return {
    /** @throws no errors of its own. */
    readStatus: controlOperation({
      ...BY_SHARES,
      kind: 'read',
      verb: 'GET',
      path: `${at}/init`,
      summary: `Shows whether an attempt to replace the shares of the ${key} is running, and its progress.`,
      fields: {},
      returns: REKEY_STATUS,
      wire: bare,
      control: (asked) => REKEY_ATTEMPTS.of(asked)[kind].status(),
    }),
    init: controlOperation({
      ...BY_SHARES,
      kind: 'write',
      verb: 'POST',
      path: `${at}/init`,
      summary: `Begins an attempt to replace the shares of the ${key}. Nothing changes until enough current shares were submitted.`,
      fields: PARAMETERS,
      returns: REKEY_STATUS,
      wire: bare,
      control: (asked, wish) =>
        REKEY_ATTEMPTS.of(asked)[kind].begin(wish, {
          immediate: false,
          isUnauthenticated: isAnonymous(asked.call.caller),
        }) as Promise<RekeyStatus>,
    }),
    /**
     * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
     *   cases nothing was changed.
     */
    cancel: controlOperation({
      ...BY_SHARES,
      kind: 'write',
      verb: 'DELETE',
      path: `${at}/init`,
      summary: 'Cancels the running attempt. The current shares remain valid.',
      fields: { nonce: f.text('The nonce of the attempt. It is not checked.').optional() },
      returns: {},
      wire: () => ({ empty: true }),
      control: async (asked) => {
        await REKEY_ATTEMPTS.of(asked)[kind].cancel(false)
        return undefined
      },
    }),
    /**
     * @throws KernelError 400 if no rekey attempt is in progress, if `nonce` is not the nonce of the attempt, if the share is invalid or
     *   was already given, or if the given shares do not result in the current key.
     * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
     *   cases nothing was changed.
     */
    update: controlOperation({
      ...BY_SHARES,
      kind: 'write',
      verb: 'POST',
      path: `${at}/update`,
      summary: `Submits a current share. The response to the last required share contains the new shares.`,
      fields: { key: f.share('The share, in hexadecimal or base64.'), nonce: REKEY_NONCE.default('') },
      returns: OUTCOME,
      wire: bare,
      control: (asked, { key, nonce }) => REKEY_ATTEMPTS.of(asked)[kind].update({ share: key, nonce }),
    }),
    /** @throws KernelError 400 if no rekey attempt is in progress. */
    readVerification: controlOperation({
      ...BY_SHARES,
      kind: 'read',
      verb: 'GET',
      path: `${at}/verify`,
      summary: 'Shows how many of the new shares were submitted for verification.',
      fields: {},
      returns: VERIFICATION,
      wire: bare,
      control: (asked) => REKEY_ATTEMPTS.of(asked)[kind].verification(),
    }),
    /** @throws KernelError 400 if no rekey attempt is in progress. */
    restartVerification: controlOperation({
      ...BY_SHARES,
      kind: 'write',
      verb: 'DELETE',
      path: `${at}/verify`,
      summary: 'Restarts the verification: discards the submitted new shares, and changes the nonce.',
      fields: {},
      returns: VERIFICATION,
      wire: bare,
      control: (asked) => REKEY_ATTEMPTS.of(asked)[kind].restartVerification(),
    }),
    /**
     * @throws KernelError 400 if there is no new key to verify, if the new key was created in another process (only that process has the
     *   key), if `nonce` is not the nonce of the verification, if the share is invalid or was already given, or if the given shares do not
     *   result in the new key. After shares that do not result in the new key, all shares must be given again.
     * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
     *   cases nothing was changed.
     */
    verify: controlOperation({
      ...BY_SHARES,
      kind: 'write',
      verb: 'POST',
      path: `${at}/verify`,
      summary: 'Submits a new share for verification. After the last required share, the new shares are valid.',
      fields: {
        key: f.share('The new share, in hexadecimal or base64.'),
        nonce: f.strictText('The nonce of the verification.').default(''),
      },
      returns: VERIFIED,
      wire: bare,
      control: (asked, { key, nonce }) => REKEY_ATTEMPTS.of(asked)[kind].verify({ share: key, nonce }),
    }),
    /** @throws KernelError 400 if no backup is stored. */
    readBackup: readBackup(kind, backup),
    /**
     * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
     *   cases nothing was changed.
     */
    deleteBackup: deleteBackup(kind, backup),
  }
}

type BackupPath = '/rekey/backup' | '/rekey/recovery-key-backup' | '/rotate/root/backup' | '/rotate/recovery/backup'

/** Unlike the other operations in this file, the two operations on the backup require a token. */
export const readBackup = (kind: RekeyKind, path: BackupPath) =>
  controlOperation({
    rootOnly: true,
    kind: 'read',
    verb: 'GET',
    path,
    summary: 'Shows the backup of the encrypted shares.',
    fields: {},
    returns: BACKUP,
    wire: (data) => ({ data, repeated: true }),
    control: async (asked) => backupOf(await REKEY_ATTEMPTS.of(asked).backup(kind)),
  })

export const deleteBackup = (kind: RekeyKind, path: BackupPath) =>
  controlOperation({
    rootOnly: true,
    kind: 'write',
    verb: 'DELETE',
    path,
    summary: 'Deletes the backup of the encrypted shares.',
    fields: {},
    returns: {},
    wire: () => ({ empty: true }),
    control: async (asked) => {
      await REKEY_ATTEMPTS.of(asked).deleteBackup(kind)
      return undefined
    },
  })

const barrier = operationsOf('barrier', '/rekey', '/rekey/backup')

export const barrierRekey = {
  ...barrier,
  /**
   * @throws KernelError 400 if another rekey attempt is in progress, if the number of shares or the threshold is invalid, if the number of
   *   PGP keys differs from the number of shares, if a PGP key cannot be parsed, if `backup` is set and no PGP keys are given, or if the
   *   seal is automatic and PGP keys or `require_verification` are given. With an automatic seal, the number of shares and the threshold
   *   are ignored.
   * @throws KernelError 429 if too many PGP keys were tested recently for callers without a token. Try again after a second.
   * @throws KernelError 502 if the PGP port failed. Its error is the `cause`.
   */
  init: barrier.init,
}

const recovery = operationsOf('recovery', '/rekey-recovery-key', '/rekey/recovery-key-backup')

export const recoveryRekey = {
  ...recovery,
  /**
   * @throws KernelError 400 if another rekey attempt is in progress, if the number of shares or the threshold is invalid, if the number of
   *   PGP keys differs from the number of shares, if a PGP key cannot be parsed, if `backup` is set and no PGP keys are given, or if the
   *   seal is not automatic.
   * @throws KernelError 429 if too many PGP keys were tested recently for callers without a token. Try again after a second.
   * @throws KernelError 502 if the PGP port failed. Its error is the `cause`.
   */
  init: recovery.init,
}
