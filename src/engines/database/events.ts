import { CREDENTIAL_EVENTS } from '../credentials/events.ts'

interface ConnectionEvent {
  readonly name: string
}

declare module '../../core/contract/event.ts' {
  interface CommittedEvents {
    'connection.written': ConnectionEvent & { readonly plugin_name: string }
    'connection.deleted': ConnectionEvent
    'connection.reset': ConnectionEvent
  }
}

export const DATABASE_EVENTS: readonly string[] = [
  'connection.written',
  'connection.deleted',
  'connection.reset',
  ...CREDENTIAL_EVENTS,
]
