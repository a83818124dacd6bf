interface Key {
  readonly name: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    'key.created': Key & { readonly key_type: string }
    /** `version` is the new version. Automatic rotations send this event too. */
    'key.rotated': Key & { readonly key_type: string; readonly version: number }
    /** A version, or the private half of a version, was imported. */
    'key.imported': Key & { readonly key_type: string; readonly version: number }
    'key.restored': Key & { readonly key_type: string; readonly version: number }
    /** Settings or a certificate changed. */
    'key.configured': Key
    'key.trimmed': Key & { readonly min_available_version: number }
    'key.soft_deleted': Key
    'key.undeleted': Key
    'key.deleted': Key
  }
}

export const TRANSIT_EVENTS: readonly string[] = [
  'key.created',
  'key.rotated',
  'key.imported',
  'key.restored',
  'key.configured',
  'key.trimmed',
  'key.soft_deleted',
  'key.undeleted',
  'key.deleted',
]
