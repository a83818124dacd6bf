/** Keys and versions in the form of replies. */
import { rfc3339 } from '../../../core/base/clock.ts'
import { KernelError } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { durationText } from './duration-text.ts'
import { type FoundKey, keptVersionsOf } from './key.ts'
import type { KeyRecord, VersionInfo } from './records.ts'

/** The metadata of a version. */
export interface SecretVersion {
  /** RFC 3339. */
  readonly created_time: string
  /** The custom metadata of the key. */
  readonly custom_metadata: Readonly<Record<string, string>> | null
  /** When it was deleted or will be; empty for never. */
  readonly deletion_time: string
  /** Whether its data is gone for good. */
  readonly destroyed: boolean
  /** Its number. */
  readonly version: number
}

/** An entry of `versions` in a key's metadata. */
export type VersionMetadata = Pick<SecretVersion, 'created_time' | 'deletion_time' | 'destroyed'>

const CUSTOM = f.json<Readonly<Record<string, string>> | null>('What was set for people and programs; null where nothing was.')

export const VERSION_RESULT = {
  created_time: f.text('When it was written.'),
  custom_metadata: CUSTOM,
  deletion_time: f.text('When it was deleted or will be; empty for never.'),
  destroyed: f.bool('Whether its data is gone for good.'),
  version: f.int('Its number.'),
}

export const VERSION_METADATA = f.json<SecretVersion>('What is known of the version.')

export const METADATA_RESULT = {
  cas_required: f.bool('Whether writes need `cas`.'),
  created_time: f.text('When the key was made.'),
  current_metadata_version: f.int('How often its settings were written.'),
  current_version: f.int('The newest version; 0 where there is none.'),
  custom_metadata: CUSTOM,
  delete_version_after: f.text('After what time versions delete themselves; `0s` is never.'),
  max_versions: f.int('How many versions are kept at least; 0: as the mount says.'),
  metadata_cas_required: f.bool('Whether writes of settings need `metadata_cas`.'),
  oldest_version: f.int('The oldest version that is kept, once the limit was reached; before that 0.'),
  updated_time: f.text('Of the last write of data or settings.'),
  versions: f.json<Readonly<Record<string, VersionMetadata>>>('The versions that are kept, by number.'),
}

const timeText = (time: number | null): string => (time === null ? '' : rfc3339(time))

const showVersionInfo = ({ created, deletion, state }: VersionInfo): VersionMetadata => ({
  created_time: rfc3339(created),
  deletion_time: timeText(deletion),
  destroyed: state === 'destroyed',
})

export function showVersion(
  { custom_metadata }: KeyRecord,
  version: number,
  { created, deletion, state }: VersionInfo,
): SecretVersion {
  return {
    created_time: rfc3339(created),
    custom_metadata,
    deletion_time: timeText(deletion),
    destroyed: state === 'destroyed',
    version,
  }
}

export function showKey(tx: Tx, found: FoundKey) {
  const { key } = found
  return {
    cas_required: key.cas_required,
    created_time: rfc3339(key.created),
    current_metadata_version: key.settings_version,
    current_version: key.current,
    custom_metadata: key.custom_metadata,
    delete_version_after: durationText(key.delete_version_after),
    max_versions: key.max_versions,
    metadata_cas_required: key.metadata_cas_required,
    oldest_version: key.oldest,
    updated_time: rfc3339(key.updated),
    versions: Object.fromEntries(keptVersionsOf(tx, found).map(([version, mark]) => [version, showVersionInfo(mark)])),
  }
}

/** The 404 for a version without data, which shows its metadata. */
export function versionGone(
  { version, destroyed, deletion_time }: SecretVersion,
  data: Readonly<Record<string, unknown>>,
): KernelError {
  const what = destroyed ? 'destroyed' : 'deleted'
  const details = { version, destroyed, deletion_time }
  return new KernelError('ERR_NOT_FOUND', `version ${version} of this secret was ${what}`, { details, shown: { data } })
}
