/**
 * What secret sync tells of itself.
 */
interface Synced {
  /** `<type>/<name>`. */
  readonly destination: string
  /** The path of the secret in its mount. */
  readonly secret_name: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** What is live is in the external store. */
    'sync.synced': Synced
    /** Nothing of it is in the external store any more. */
    'sync.unsynced': Synced
    /** `status` is that of the association. Told once for each change of it. */
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
