import type { Environment } from '../../../core/contract/environment.ts'
import { type DestinationName, readDestinationId, type SyncDestinationRecord } from '../records.ts'
import { shownType } from '../types.ts'
import type { ShownDestination, ShownDetails } from './fields.ts'
import { defaultExternalNameTemplate } from './name-template.ts'
import { MASK, STORE_TYPES } from './store-types.ts'

/** Returns the configured template for external names, or the default template if none is configured. */
export const nameTemplateOf = (
  { template, granularity }: SyncDestinationRecord,
  { type }: Pick<DestinationName, 'type'>,
  { ciphertextPrefix }: Environment,
): string => template || defaultExternalNameTemplate(type, granularity, ciphertextPrefix)

export function shownDestination(env: Environment, id: string, record: SyncDestinationRecord): ShownDestination {
  const { type, name } = readDestinationId(id)
  const { masked } = STORE_TYPES[type]
  const details = Object.entries(record.config).map(([field, value]) => [
    field,
    masked.includes(field) && value !== '' ? MASK : (value as string | readonly string[]),
  ])
  return {
    name,
    type: shownType(env, type),
    connection_details: Object.fromEntries(details) as ShownDetails,
    options: {
      granularity_level: record.granularity,
      secret_name_template: nameTemplateOf(record, { type }, env),
      custom_tags: { ...record.custom_tags },
    },
  }
}
