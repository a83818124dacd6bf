/**
 * Parameters and results of destinations.
 */
import { f } from '../../../core/field/fields.ts'
import type { SyncGranularity } from '../port.ts'
import { type ShownSyncType, SYNC_TYPES, TYPE_ALIASES } from '../types.ts'

export const DESTINATION_NAME = f.name('The name of the destination.')

export const DESTINATION_TYPE = f.oneOf(SYNC_TYPES, 'The type of the store.', TYPE_ALIASES)

/** Of every type. What is not given stays. */
export const COMMON_FIELDS = {
  name: DESTINATION_NAME,
  granularity: f
    .oneOf(
      ['secret-path', 'secret-key'],
      'Whether a secret is pushed as a whole, or each of its keys. Default: what the store has.',
    )
    .optional(),
  secret_name_template: f
    .text('The template of external names; it counts for what is associated from then on. Empty: the default of the type.')
    .optional(),
}

export const TAGS_FIELD = {
  custom_tags: f.pairs('Tags of all that is pushed; those that are no longer named are taken away.').optional(),
}

/** How secrets are pushed to a destination. */
export interface DestinationOptions {
  /** Whether a secret is pushed as a whole, or each of its keys. */
  readonly granularity_level: SyncGranularity
  /** The template of external names. */
  readonly secret_name_template: string
  /** Tags of all that is pushed. */
  readonly custom_tags: Readonly<Record<string, string>>
}

/** What was configured, by parameter; credentials are `*****`. */
export type ShownDetails = Readonly<Record<string, string | readonly string[]>>

/** A destination, in replies. */
export interface ShownDestination {
  readonly name: string
  readonly type: ShownSyncType
  readonly connection_details: ShownDetails
  readonly options: DestinationOptions
}

export const SHOWN_DESTINATION = {
  name: f.text('Its name.'),
  type: f.json<ShownSyncType>('The type of the store.', { type: 'string' }),
  connection_details: f.json<ShownDetails>('What was configured; credentials are `*****`.'),
  options: f.json<DestinationOptions>('How secrets are pushed.'),
}
