interface Synced {
  /** `<type>/<name>`. */
  readonly destination: string
  /** The path of the secret in its mount. */
  readonly secret_name: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** The current version of the secret is in the external store. */
    'sync.synced': Synced
    /** The secret was removed from the external store. */
    'sync.unsynced': Synced
    /**
     * A push or removal failed. `status` is the new error status of the association; failures that do not change the status publish no
     * event.
     */
    'sync.failed': Synced & { readonly status: string }
    'sync_destination.written': { readonly destination: string }
    'sync_destination.deleted': { readonly destination: string }
  }
}

export const SYNC_EVENTS: readonly string[] = [
  'sync.synced',
  'sync.unsynced',
  'sync.failed',
  'sync_destination.written',
  'sync_destination.deleted',
]
