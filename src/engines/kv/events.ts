interface Secret {
  /** The path of the secret, relative to the mount. */
  readonly path: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** Only version 2 of the engine sets `version`. */
    'secret.written': Secret & { readonly version?: number }
    'secret.patched': Secret & { readonly version: number }
    'secret.deleted': Secret & { readonly versions?: readonly number[] }
    'secret.undeleted': Secret & { readonly versions: readonly number[] }
    'secret.destroyed': Secret & { readonly versions: readonly number[] }
    'secret.metadata_written': Secret
    /** The secret was deleted with all its versions. */
    'secret.metadata_deleted': Secret
  }
}

export const KV_EVENTS: readonly string[] = [
  'secret.written',
  'secret.patched',
  'secret.deleted',
  'secret.undeleted',
  'secret.destroyed',
  'secret.metadata_written',
  'secret.metadata_deleted',
]
