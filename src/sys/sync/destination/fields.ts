import { f } from '../../../core/field/fields.ts'
import type { SyncGranularity } from '../port.ts'
import { type ShownSyncType, SYNC_TYPES, TYPE_ALIASES } from '../types.ts'

export const DESTINATION_NAME = f.name('The name of the destination.')

export const DESTINATION_TYPE = f.oneOf(SYNC_TYPES, 'The type of the destination.', TYPE_ALIASES)

/** The fields of destinations of every type. A field that a request omits keeps its value. */
export const COMMON_FIELDS = {
  name: DESTINATION_NAME,
  granularity: f
    .oneOf(
      ['secret-path', 'secret-key'],
      '`secret-path` to push a secret as one external secret, `secret-key` to push each key of a secret as a separate one. The default depends on the type of the destination.',
    )
    .optional(),
  secret_name_template: f
    .text(
      'The template from which the names of external secrets are made. A change applies only to associations that are set afterwards. If it is empty, the default of the destination type is used.',
    )
    .optional(),
}

export const TAGS_FIELD = {
  custom_tags: f.pairs('The tags that every pushed secret gets. The new tags replace all former tags.').optional(),
}

/** How secrets are pushed to a destination. */
export interface DestinationOptions {
  /** Whether a secret is pushed as one external secret (`secret-path`), or each of its keys as a separate one (`secret-key`). */
  readonly granularity_level: SyncGranularity
  /** The template from which the names of external secrets are made. */
  readonly secret_name_template: string
  /** The tags that every pushed secret gets. */
  readonly custom_tags: Readonly<Record<string, string>>
}

/** The values of the configuration parameters, keyed by parameter. Credentials are shown as `*****`. */
export type ShownDetails = Readonly<Record<string, string | readonly string[]>>

/** A destination in responses. */
export interface ShownDestination {
  readonly name: string
  readonly type: ShownSyncType
  readonly connection_details: ShownDetails
  readonly options: DestinationOptions
}

export const SHOWN_DESTINATION = {
  name: f.text('The name of the destination.'),
  type: f.json<ShownSyncType>('The type of the destination.', { type: 'string' }),
  connection_details: f.json<ShownDetails>('The values of the configuration parameters. Credentials are shown as `*****`.'),
  options: f.json<DestinationOptions>('How secrets are pushed to the destination.'),
}
