/**
 * Deletes the objects that prevent the deletion of a user and that the engine does not create: login profile, MFA devices, SSH keys,
 * certificates, service-specific credentials.
 */
import { type AwsError, awsFailure } from './failure.ts'
import { allPages, MAX_PAGE_ITEMS } from './pages.ts'
import type { Iam, PagedOutput } from './sdk.ts'

interface AbortOptions {
  readonly abortSignal: AbortSignal
}

const asInput = (input: object): never => input as never

async function unlessMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (awsFailure(error).reason !== 'not-found') throw error
  }
}

/**
 * Deletes the objects of each kind. If one kind fails, for example because a permission is missing, the other kinds are still deleted.
 * @throws AwsError The first failure.
 */
export async function deleteExtras(iam: Iam, UserName: string, options: AbortOptions): Promise<void> {
  const user = { UserName }
  const each = async <P extends PagedOutput>(
    list: (input: never, options: AbortOptions) => Promise<P>,
    idsOf: (page: P) => readonly (string | undefined)[] | undefined,
    remove: (id: string) => Promise<void>,
  ): Promise<void> => {
    const ids = await allPages((marker) => list(asInput({ ...user, MaxItems: MAX_PAGE_ITEMS, ...marker }), options), idsOf)
    for (const id of ids) if (id !== undefined) await remove(id)
  }
  const kinds: readonly (() => Promise<void>)[] = [
    () => unlessMissing(iam.deleteLoginProfile(asInput(user), options)),
    () =>
      each(
        (input, more) => iam.listMFADevices(input, more),
        ({ MFADevices }) => MFADevices?.map(({ SerialNumber }) => SerialNumber),
        async (SerialNumber) => {
          await unlessMissing(iam.deactivateMFADevice(asInput({ ...user, SerialNumber }), options))
          // Only virtual MFA devices can be deleted; hardware devices are only deactivated.
          if (/^arn:[^:]+:iam::\d+:mfa\//.test(SerialNumber))
            await unlessMissing(iam.deleteVirtualMFADevice(asInput({ SerialNumber }), options))
        },
      ),
    () =>
      each(
        (input, more) => iam.listSSHPublicKeys(input, more),
        ({ SSHPublicKeys }) => SSHPublicKeys?.map(({ SSHPublicKeyId }) => SSHPublicKeyId),
        (SSHPublicKeyId) => unlessMissing(iam.deleteSSHPublicKey(asInput({ ...user, SSHPublicKeyId }), options)),
      ),
    () =>
      each(
        (input, more) => iam.listSigningCertificates(input, more),
        ({ Certificates }) => Certificates?.map(({ CertificateId }) => CertificateId),
        (CertificateId) => unlessMissing(iam.deleteSigningCertificate(asInput({ ...user, CertificateId }), options)),
      ),
    () =>
      each(
        (input, more) => iam.listServiceSpecificCredentials(input, more),
        ({ ServiceSpecificCredentials: all }) => all?.map(({ ServiceSpecificCredentialId: id }) => id),
        (ServiceSpecificCredentialId) =>
          unlessMissing(iam.deleteServiceSpecificCredential(asInput({ ...user, ServiceSpecificCredentialId }), options)),
      ),
  ]
  let first: AwsError | undefined
  for (const kind of kinds) {
    options.abortSignal.throwIfAborted()
    await kind().catch((error: unknown) => {
      const failed = awsFailure(error)
      // If the user does not exist, there is nothing to delete.
      if (failed.reason !== 'not-found') first ??= failed
    })
  }
  if (first) throw first
}
