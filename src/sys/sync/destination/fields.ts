import { f } from '../../../core/field/fields.ts'
import type { SyncGranularity } from '../port.ts'
import { type ShownSyncType, SYNC_TYPES, TYPE_ALIASES } from '../types.ts'

export const DESTINATION_NAME = f.name('The name of the destination.')

export const DESTINATION_TYPE = f.oneOf(SYNC_TYPES, 'The type of the destination.', TYPE_ALIASES)

/** Fields of every type. A field that the request omits keeps its value. */
export const COMMON_FIELDS = {
  name: DESTINATION_NAME,
  granularity: f
    .oneOf(
      ['secret-path', 'secret-key'],
      'Whether a secret is pushed as a whole, or each of its keys. The default depends on the type.',
    )
    .optional(),
  secret_name_template: f
    .text('The template for external names. It applies to secrets that are associated later. Empty: the default of the type.')
    .optional(),
}

export const TAGS_FIELD = {
  custom_tags: f.pairs('The tags of every pushed secret. Tags that the list no longer contains are removed.').optional(),
}

/** How secrets are pushed to a destination. */
export interface DestinationOptions {
  /** Whether a secret is pushed as a whole, or each of its keys. */
  readonly granularity_level: SyncGranularity
  /** The template of external names. */
  readonly secret_name_template: string
  /** Tags of every pushed secret. */
  readonly custom_tags: Readonly<Record<string, string>>
}

/** The configuration by parameter; credentials are shown as `*****`. */
export type ShownDetails = Readonly<Record<string, string | readonly string[]>>

/** A destination in responses. */
export interface ShownDestination {
  readonly name: string
  readonly type: ShownSyncType
  readonly connection_details: ShownDetails
  readonly options: DestinationOptions
}

export const SHOWN_DESTINATION = {
  name: f.text('Its name.'),
  type: f.json<ShownSyncType>('The type of the destination.', { type: 'string' }),
  connection_details: f.json<ShownDetails>('The configuration; credentials are shown as `*****`.'),
  options: f.json<DestinationOptions>('How secrets are pushed.'),
}
