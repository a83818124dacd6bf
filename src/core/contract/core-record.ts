/** Kinds of the kernel's own records. Their folders declare a replication domain; the kinds of engines need none. */
import type { CoreFolder } from './core-folders.ts'
import { type JsonRecordOptions, jsonRecord, type KeyClass, type RecordKind, type SecretKind, textRecord } from './record-kind.ts'

interface InCoreFolder {
  readonly folder: CoreFolder
}

export type CoreRecordKind<T> = RecordKind<T> & InCoreFolder

export type CoreSecretKind = SecretKind & InCoreFolder

/** Like {@link jsonRecord}, for the kernel's own records. */
export const coreRecord = <T>(options: JsonRecordOptions<T> & InCoreFolder): CoreRecordKind<T> =>
  jsonRecord(options) as CoreRecordKind<T>

/** Like {@link textRecord}, for the kernel's own records. */
export const coreText = (options: { readonly class?: KeyClass } & InCoreFolder): CoreRecordKind<string> =>
  textRecord(options) as CoreRecordKind<string>
