/**
 * What the key/value engine tells of itself.
 */
interface Secret {
  /** Below the mount. */
  readonly path: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** `version` with version 2 of the engine. */
    'secret.written': Secret & { readonly version?: number }
    'secret.patched': Secret & { readonly version: number }
    'secret.deleted': Secret & { readonly versions?: readonly number[] }
    'secret.undeleted': Secret & { readonly versions: readonly number[] }
    'secret.destroyed': Secret & { readonly versions: readonly number[] }
    'secret.metadata_written': Secret
    /** With all its versions. */
    'secret.metadata_deleted': Secret
  }
}

export {}
