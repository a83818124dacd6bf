/**
 * A kernel's host, as one kind of replication uses it.
 */
import type { Host } from '../../../core/transaction/host.ts'
import type { Kind } from './kind.ts'

export interface SetHost extends Host {
  readonly kind: Kind
}

export const setHost = (host: Host, kind: Kind): SetHost => ({ ...host, kind })
