/** Converts stored keys and versions to the form in which answers show them. */
import { rfc3339 } from '../../../core/base/clock.ts'
import { KernelError } from '../../../core/base/errors.ts'
import { formatGoSeconds } from '../../../core/base/go-duration.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { type FoundKey, keptVersionsOf } from './key.ts'
import type { KeyRecord, SecretVersionInfo } from './records.ts'

/** The metadata of a version. */
export interface SecretVersion {
  /** The creation time of the version, in RFC 3339 format. */
  readonly created_time: string
  /** The custom metadata of the secret. */
  readonly custom_metadata: Readonly<Record<string, string>> | null
  /** When the version was or will be deleted, RFC 3339; empty for never. */
  readonly deletion_time: string
  /** Whether the data was deleted permanently. */
  readonly destroyed: boolean
  /** The version number. */
  readonly version: number
}

/** An entry of `versions` in the metadata of a secret. */
export type VersionMetadata = Pick<SecretVersion, 'created_time' | 'deletion_time' | 'destroyed'>

const CUSTOM = f.json<Readonly<Record<string, string>> | null>('The custom metadata of the secret; null if none was set.')

export const VERSION_RESULT = {
  created_time: f.text('When the version was written, RFC 3339.'),
  custom_metadata: CUSTOM,
  deletion_time: f.text('When the version was or will be deleted, RFC 3339; empty for never.'),
  destroyed: f.bool('Whether the data was deleted permanently.'),
  version: f.int('The version number.'),
}

export const VERSION_METADATA = f.json<SecretVersion>('The metadata of the version.')

export const METADATA_RESULT = {
  cas_required: f.bool('Whether writes require `cas`.'),
  created_time: f.text('When the secret was created, RFC 3339.'),
  current_metadata_version: f.int('How many times the settings were written.'),
  current_version: f.int('The latest version; 0 if the secret has no version.'),
  custom_metadata: CUSTOM,
  delete_version_after: f.text('The age at which versions are deleted automatically; `0s` means never.'),
  max_versions: f.int("How many of the latest versions are kept; 0 means the mount's setting."),
  metadata_cas_required: f.bool('Whether writes of settings require `metadata_cas`.'),
  oldest_version: f.int('The oldest kept version; 0 until the secret has had as many versions as its limit.'),
  updated_time: f.text('When data or settings were last written, RFC 3339.'),
  versions: f.json<Readonly<Record<string, VersionMetadata>>>('The kept versions, by number.'),
}

const timeText = (time: number | null): string => (time === null ? '' : rfc3339(time))

const showVersionInfo = ({ created, deletion, state }: SecretVersionInfo): VersionMetadata => ({
  created_time: rfc3339(created),
  deletion_time: timeText(deletion),
  destroyed: state === 'destroyed',
})

export function showVersion(
  { custom_metadata }: KeyRecord,
  version: number,
  { created, deletion, state }: SecretVersionInfo,
): SecretVersion {
  return {
    created_time: rfc3339(created),
    custom_metadata,
    deletion_time: timeText(deletion),
    destroyed: state === 'destroyed',
    version,
  }
}

export function showSecretKey(tx: Tx, found: FoundKey) {
  const { key } = found
  return {
    cas_required: key.cas_required,
    created_time: rfc3339(key.created),
    current_metadata_version: key.settings_version,
    current_version: key.current,
    custom_metadata: key.custom_metadata,
    delete_version_after: formatGoSeconds(key.delete_version_after),
    max_versions: key.max_versions,
    metadata_cas_required: key.metadata_cas_required,
    oldest_version: key.oldest,
    updated_time: rfc3339(key.updated),
    versions: Object.fromEntries(keptVersionsOf(tx, found).map(([version, info]) => [version, showVersionInfo(info)])),
  }
}

/** The 404 for a deleted or destroyed version. It shows the version's metadata. */
export function versionGone(
  { version, destroyed, deletion_time }: SecretVersion,
  data: Readonly<Record<string, unknown>>,
): KernelError {
  const what = destroyed ? 'destroyed' : 'deleted'
  const details = { version, destroyed, deletion_time }
  return new KernelError('ERR_NOT_FOUND', `version ${version} of this secret was ${what}`, { details, shown: { data } })
}
