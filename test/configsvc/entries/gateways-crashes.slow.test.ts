/** Reconciliation by a process that dies at any call of its store. */
import { it } from 'vitest'
import { diesAt } from './gateways-crashes.ts'

it.each(['before', 'after'] as const)(
  'is finished by the next tick, wherever a process died (%s the call took effect)',
  diesAt(1),
)
