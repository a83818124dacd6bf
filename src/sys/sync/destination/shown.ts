/**
 * A destination as it is shown: without credentials.
 */
import type { Environment } from '../../../core/contract/tx.ts'
import { type Destination, type DestinationName, readDestinationId } from '../records.ts'
import { shownType } from '../types.ts'
import type { ShownDestination, ShownDetails } from './fields.ts'
import { KINDS_OF_STORE, MASK } from './kinds.ts'
import { defaultTemplate } from './name-template.ts'

/** The template that holds. */
export const templateOf = (
  { template, granularity }: Destination,
  { type }: Pick<DestinationName, 'type'>,
  { ciphertextPrefix }: Environment,
): string => template || defaultTemplate(type, granularity, ciphertextPrefix)

export function shownDestination(env: Environment, id: string, record: Destination): ShownDestination {
  const { type, name } = readDestinationId(id)
  const { masked } = KINDS_OF_STORE[type]
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
      secret_name_template: templateOf(record, { type }, env),
      custom_tags: { ...record.custom_tags },
    },
  }
}
