/** A process dies at each storage call of a reconciliation. */
import { it } from 'vitest'
import { diesAt } from './gateways-crashes.ts'

it.each(['before', 'after'] as const)(
  'a reconciliation is completed by the next tick if the process died %s any of its storage calls took effect',
  diesAt(1),
)
