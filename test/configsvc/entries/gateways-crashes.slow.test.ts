/** A process dies at each storage call of a reconciliation. */
import { it } from 'vitest'
import { diesAt } from './gateways-crashes.ts'

it.each(['before', 'after'] as const)(
  'a reconciliation is completed by the next tick, wherever a process died (%s the call took effect)',
  diesAt(1),
)
