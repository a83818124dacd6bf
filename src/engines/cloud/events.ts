import { CREDENTIAL_EVENTS } from '../credentials/events.ts'

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    /** The root configuration was written. The event never contains its keys. */
    'root.configured': Readonly<Record<never, never>>
    /** The lease terms of users were written. `lease` and `lease_max` are Go durations, such as `12h0m0s`. */
    'lease.configured': { readonly lease: string; readonly lease_max: string }
  }
}

export const CLOUD_EVENTS: readonly string[] = ['root.configured', 'lease.configured', ...CREDENTIAL_EVENTS]
